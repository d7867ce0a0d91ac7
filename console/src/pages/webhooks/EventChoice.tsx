import { Checkbox } from "../../components/Checkbox.tsx";
import { WEBHOOK_EVENTS, type WebhookEvent } from "../../rules/webhook-events.ts";

interface EventChoiceProps {
	readonly chosen: readonly WebhookEvent[];
	readonly onChange: (events: readonly WebhookEvent[]) => void;
}

export function EventChoice({ chosen, onChange }: EventChoiceProps) {
	return (
		<fieldset className="choices">
			<legend className="label">Events</legend>
			{WEBHOOK_EVENTS.map(({ id, text }) => (
				<Checkbox
					key={id}
					isSelected={chosen.includes(id)}
					onChange={(isChosen) => onChange(isChosen ? [...chosen, id] : chosen.filter((other) => other !== id))}
				>
					{text} <code>{id}</code>
				</Checkbox>
			))}
		</fieldset>
	);
}

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Form } from "react-aria-components";
import { api, type Schemas } from "../../api/client.ts";
import { Button } from "../../components/Button.tsx";
import { Checkbox } from "../../components/Checkbox.tsx";
import { ErrorMessage } from "../../components/ErrorMessage.tsx";
import { TextInput } from "../../components/Field.tsx";
import { parseTags } from "../../rules/tags.ts";
import { parseList, WEBHOOK_EVENTS, type WebhookEvent } from "../../rules/webhook-events.ts";
import { webhooksKey } from "./queries.ts";

export type CreatedWebhook = Schemas["CreatedWebhook"];

interface CreateWebhookProps {
	readonly onCreated: (webhook: CreatedWebhook) => void;
	readonly onCancel: () => void;
}

/** The form for a new webhook. */
export function CreateWebhook({ onCreated, onCancel }: CreateWebhookProps) {
	const [url, setUrl] = useState("");
	const [events, setEvents] = useState<readonly WebhookEvent[]>([]);
	const [taskIds, setTaskIds] = useState("");
	const [categories, setCategories] = useState("");
	const queries = useQueryClient();
	const create = useMutation({
		mutationFn: () => {
			const named = parseTags(categories);
			const filters = { task_ids: parseList(taskIds), categories: named.length === 0 ? null : named };
			return api.createWebhook({ url: url.trim(), events: [...events], ...filters });
		},
		onSuccess: async (webhook) => {
			await queries.invalidateQueries({ queryKey: webhooksKey });
			onCreated(webhook);
		},
	});
	const isReady = url.trim() !== "" && events.length > 0;
	return (
		<Form
			className="form card"
			aria-label="Create a webhook"
			onSubmit={(event) => {
				event.preventDefault();
				if (isReady) create.mutate();
			}}
		>
			<TextInput
				label="URL"
				type="url"
				hint="It must respond with a 2xx status within 10 seconds."
				value={url}
				onChange={setUrl}
				isMono
				isRequired
				autoFocus
			/>
			<EventChoice chosen={events} onChange={setEvents} />
			<div className="form-row">
				<TextInput label="Only these tasks" hint="Ids, separated by commas. Empty for all." value={taskIds} onChange={setTaskIds} isMono />
				<TextInput label="Only these categories" hint="Separated by commas. Empty for all." value={categories} onChange={setCategories} />
			</div>
			{create.error !== null && <ErrorMessage error={create.error} title="The webhook was not created." />}
			<div className="actions">
				<Button type="submit" kind="primary" isDisabled={!isReady} isPending={create.isPending}>
					{create.isPending ? "Testing the receiver…" : "Create the webhook"}
				</Button>
				<Button onPress={onCancel}>Cancel</Button>
			</div>
		</Form>
	);
}

interface EventChoiceProps {
	readonly chosen: readonly WebhookEvent[];
	readonly onChange: (events: readonly WebhookEvent[]) => void;
}

function EventChoice({ chosen, onChange }: EventChoiceProps) {
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

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { formatDateTime } from "../../../../src/domain/formats.ts";
import { api } from "../../api/client.ts";
import { Button } from "../../components/Button.tsx";
import { ErrorMessage } from "../../components/ErrorMessage.tsx";
import { showMessage } from "../../components/Messages.tsx";
import { type Delivery, deliveriesKey, type Webhook } from "../../queries/webhooks.ts";
import { describeAttempt } from "../../rules/webhook-events.ts";

const STATES = {
	pending: ["Pending", "badge badge-running"],
	delivered: ["Delivered", "badge badge-live"],
	failed: ["Failed", "badge badge-error"],
	cancelled: ["Cancelled", "badge"],
} as const satisfies Record<Delivery["status"], readonly [string, string]>;

/** Shows one delivery. Its attempts open below it. */
export function DeliveryView({ webhook, delivery }: { readonly webhook: Webhook; readonly delivery: Delivery }) {
	const [name, className] = STATES[delivery.status];
	return (
		<details className="card delivery">
			<summary>
				<span className={className}>{name}</span> <strong>{delivery.event}</strong>{" "}
				<span className="soft">{formatDateTime(delivery.created_at)}</span>
				{delivery.replay_of !== null && <span className="soft"> · sent again</span>}
			</summary>
			<dl className="pairs">
				<dt>Event</dt>
				<dd>
					<code>{delivery.event_id}</code> (<code>id</code> in the body, <code>webhook-id</code> in the headers)
				</dd>
				{delivery.next_attempt_at !== null && (
					<>
						<dt>Next attempt</dt>
						<dd>{formatDateTime(delivery.next_attempt_at)}</dd>
					</>
				)}
			</dl>
			<ol className="attempts">
				{delivery.attempts.map((attempt) => (
					<li key={attempt.number}>
						<p>
							{formatDateTime(attempt.started_at)}: <strong>{describeAttempt(attempt)}</strong>
						</p>
						{attempt.response_body !== null && attempt.response_body !== "" && <pre className="secret">{attempt.response_body}</pre>}
					</li>
				))}
			</ol>
			{delivery.attempts.length === 0 && <p className="soft">Not sent yet.</p>}
			{webhook.active && <Replay webhook={webhook} delivery={delivery} />}
		</details>
	);
}

function Replay({ webhook, delivery }: { readonly webhook: Webhook; readonly delivery: Delivery }) {
	const queries = useQueryClient();
	const isPending = delivery.status === "pending";
	const replay = useMutation({
		mutationFn: () => {
			return api.replayWebhookDelivery(webhook.id, delivery.id);
		},
		onSuccess: async () => {
			await queries.invalidateQueries({ queryKey: deliveriesKey(webhook.id) });
			showMessage(isPending ? "The next attempt starts now." : "The event is sent again, with the same id.");
		},
	});
	return (
		<>
			<div className="actions">
				<Button isPending={replay.isPending} onPress={() => replay.mutate()}>
					{isPending ? "Send now" : "Send again"}
				</Button>
			</div>
			{replay.error !== null && <ErrorMessage error={replay.error} title="It was not sent." />}
		</>
	);
}

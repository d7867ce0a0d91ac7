import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { formatDateTime } from "../../../../src/domain/formats.ts";
import { api } from "../../api/client.ts";
import { Button } from "../../components/Button.tsx";
import { ConfirmDialog } from "../../components/ConfirmDialog.tsx";
import { ErrorMessage } from "../../components/ErrorMessage.tsx";
import { showMessage } from "../../components/Messages.tsx";
import { SecretOnce } from "../../components/SecretOnce.tsx";
import { deliveriesKey, type Webhook, webhooksKey } from "../../queries/webhooks.ts";
import { EditWebhook } from "./EditWebhook.tsx";

interface NewSecret {
	readonly secret: string;
	readonly previous_secret_expires_at: string;
}

/** Tests, changes, pauses and deletes a webhook, and rotates its secret. */
export function WebhookActions({ webhook }: { readonly webhook: Webhook }) {
	const [isEditing, setEditing] = useState(false);
	const [rotated, setRotated] = useState<NewSecret | null>(null);
	const queries = useQueryClient();
	const refresh = () => Promise.all([webhooksKey, deliveriesKey(webhook.id)].map((queryKey) => queries.invalidateQueries({ queryKey })));
	const test = useMutation({
		mutationFn: () => api.testWebhook(webhook.id),
		onSuccess: async () => {
			await refresh();
			showMessage("A test is on its way.");
		},
	});
	const setActive = useSetActive(webhook.id, refresh);
	if (!webhook.active) return webhook.inactive_reason === "deleted" ? null : <Start setActive={setActive} />;
	if (isEditing) return <EditWebhook webhook={webhook} onDone={() => setEditing(false)} />;
	const isSigned = webhook.format === "standard";
	const rotate = async () => setRotated(await api.rotateWebhookSecret(webhook.id));
	const remove = async () => {
		await api.deleteWebhook(webhook.id);
		await refresh();
		showMessage("The webhook is deleted.");
	};
	return (
		<>
			<div className="actions">
				<Button kind="primary" isPending={test.isPending} onPress={() => test.mutate()}>
					Send a test
				</Button>
				<Button onPress={() => setEditing(true)}>Change</Button>
				<Button isPending={setActive.isPending} onPress={() => setActive.mutate(false)}>
					Pause
				</Button>
				{isSigned && (
					<ConfirmDialog trigger="Rotate the secret…" title="Rotate the secret?" confirm="Rotate" onConfirm={rotate}>
						<p>
							A new secret signs deliveries from now on. For 24 hours they also carry a signature with the current secret, so that you can
							switch over.
						</p>
					</ConfirmDialog>
				)}
				<ConfirmDialog
					trigger="Delete…"
					triggerKind="danger"
					isDangerous
					title="Delete this webhook?"
					confirm="Delete the webhook"
					onConfirm={remove}
				>
					<p>
						<code className="breaks">{webhook.url}</code> will not receive any more events, and pending deliveries are cancelled. The log
						stays readable for 30 days. This cannot be undone.
					</p>
				</ConfirmDialog>
			</div>
			{setActive.error !== null && <ErrorMessage error={setActive.error} title="The webhook was not paused." />}
			{test.error !== null && <ErrorMessage error={test.error} title="The test was not sent." />}
			{rotated !== null && (
				<SecretOnce label="The new secret" secret={rotated.secret} onDone={() => setRotated(null)}>
					<p>
						This secret is shown only now. Until {formatDateTime(rotated.previous_secret_expires_at)} deliveries also carry a signature with
						the previous one.
					</p>
				</SecretOnce>
			)}
		</>
	);
}

/** Pauses the webhook, or resumes one that was paused or has stopped. */
function useSetActive(webhookId: string, refresh: () => Promise<unknown>) {
	return useMutation({
		mutationFn: (active: boolean) => api.updateWebhook(webhookId, { active }),
		onSuccess: async ({ active }) => {
			await refresh();
			showMessage(active ? "The webhook receives events again." : "The webhook is paused.");
		},
	});
}

function Start({ setActive }: { readonly setActive: ReturnType<typeof useSetActive> }) {
	return (
		<>
			<div className="actions">
				<Button kind="primary" isPending={setActive.isPending} onPress={() => setActive.mutate(true)}>
					Start it again
				</Button>
			</div>
			{setActive.error !== null && <ErrorMessage error={setActive.error} title="The webhook was not started." />}
		</>
	);
}

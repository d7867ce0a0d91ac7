import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { Button } from "../../components/Button.tsx";
import { EmptyState } from "../../components/EmptyState.tsx";
import { showMessage } from "../../components/Messages.tsx";
import { PagedTable } from "../../components/PagedTable.tsx";
import { SecretOnce } from "../../components/SecretOnce.tsx";
import { Page } from "../../layout/Page.tsx";
import { type Webhook, webhooksQuery } from "../../queries/webhooks.ts";
import type { ChatService } from "../../rules/webhook-events.ts";
import { type CreatedWebhook, CreateWebhook } from "./CreateWebhook.tsx";
import { WebhookState } from "./WebhookState.tsx";

/** The open form: for a chat service, or for signed JSON. Null if none is open. */
type OpenForm = ChatService | "standard" | null;

export function WebhooksPage() {
	const { connect } = useSearch({ from: "/member/webhooks" });
	const navigate = useNavigate();
	const [created, setCreated] = useState<CreatedWebhook | null>(null);
	const [form, setForm] = useState<OpenForm>(connect ?? null);
	const onCreated = (webhook: CreatedWebhook) => {
		setForm(null);
		if (webhook.format === "standard") setCreated(webhook);
		else {
			showMessage("Connected. Send a test to see it arrive.");
			void navigate({ to: "/webhooks/$webhookId", params: { webhookId: webhook.id } });
		}
	};
	return (
		<Page
			title="Webhooks"
			actions={
				form === null &&
				created === null && (
					<>
						<Button onPress={() => setForm("slack")}>Connect Slack</Button>
						<Button onPress={() => setForm("discord")}>Connect Discord</Button>
						<Button kind="primary" onPress={() => setForm("standard")}>
							Create a webhook
						</Button>
					</>
				)
			}
		>
			<p className="soft">
				A webhook posts events to your URL as they happen: signed JSON for programs, or messages in a Slack or Discord channel.
			</p>
			{created !== null && (
				<SecretOnce label="The webhook's secret" secret={created.secret} onDone={() => setCreated(null)}>
					<p>{created.message}</p>
					<p>Use the secret to check the signature of every delivery. It is shown only now.</p>
				</SecretOnce>
			)}
			{form !== null && (
				<CreateWebhook key={form} service={form === "standard" ? undefined : form} onCancel={() => setForm(null)} onCreated={onCreated} />
			)}
			<WebhookList />
		</Page>
	);
}

function WebhookList() {
	const list = useInfiniteQuery(webhooksQuery);
	const nothing = <EmptyState title="You have no webhooks." />;
	return <PagedTable label="Webhooks" loading="Loading your webhooks" query={list} columns={COLUMNS} empty={nothing} />;
}

const COLUMNS = [
	{
		id: "url",
		head: "URL",
		cell: ({ id, url }: Webhook) => (
			<Link to="/webhooks/$webhookId" params={{ webhookId: id }} className="breaks">
				{url}
			</Link>
		),
	},
	{ id: "state", head: "State", cell: (webhook: Webhook) => <WebhookState webhook={webhook} /> },
	{
		id: "events",
		head: "Events",
		cell: ({ events, format }: Webhook) =>
			format === "standard" ? events.join(", ") : `${events.length} ${events.length === 1 ? "event" : "events"}`,
	},
];

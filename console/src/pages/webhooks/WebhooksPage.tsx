// The webhooks of the caller.
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { Button } from "../../components/Button.tsx";
import { EmptyState } from "../../components/EmptyState.tsx";
import { PagedTable } from "../../components/PagedTable.tsx";
import { SecretOnce } from "../../components/SecretOnce.tsx";
import { Page } from "../../layout/Page.tsx";
import { type CreatedWebhook, CreateWebhook } from "./CreateWebhook.tsx";
import { type Webhook, webhooksQuery } from "./queries.ts";
import { WebhookState } from "./WebhookState.tsx";

export function WebhooksPage() {
	const [created, setCreated] = useState<CreatedWebhook | null>(null);
	const [isCreating, setCreating] = useState(false);
	return (
		<Page
			title="Webhooks"
			actions={
				!isCreating &&
				created === null && (
					<Button kind="primary" onPress={() => setCreating(true)}>
						Create a webhook
					</Button>
				)
			}
		>
			<p className="soft">A webhook posts events to a URL of yours as they happen, signed with a secret.</p>
			{created !== null && (
				<SecretOnce label="The webhook's secret" secret={created.secret} onDone={() => setCreated(null)}>
					<p>{created.message}</p>
					<p>The secret checks the signature of every delivery. It is shown only now.</p>
				</SecretOnce>
			)}
			{isCreating && (
				<CreateWebhook
					onCancel={() => setCreating(false)}
					onCreated={(webhook) => {
						setCreated(webhook);
						setCreating(false);
					}}
				/>
			)}
			<WebhookList />
		</Page>
	);
}

function WebhookList() {
	const list = useInfiniteQuery(webhooksQuery);
	const nothing = <EmptyState title="You have no webhook." />;
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
	{ id: "events", head: "Events", cell: ({ events }: Webhook) => events.join(", ") },
];

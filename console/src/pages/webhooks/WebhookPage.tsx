// Shows a webhook with its log: deliveries, responses, and a button to send again.

import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { useEffect } from "react";
import { formatDateTime } from "../../../../src/domain/formats.ts";
import { EmptyState } from "../../components/EmptyState.tsx";
import { ErrorMessage } from "../../components/ErrorMessage.tsx";
import { Facts } from "../../components/Facts.tsx";
import { Loading } from "../../components/Progress.tsx";
import { ShowMore } from "../../components/ShowMore.tsx";
import { Page } from "../../layout/Page.tsx";
import { deliveriesQuery, type Webhook, webhooksQuery } from "../../queries/webhooks.ts";
import { CHAT_SERVICES, nameEvents } from "../../rules/webhook-events.ts";
import { DeliveryView } from "./DeliveryView.tsx";
import { WebhookActions } from "./WebhookActions.tsx";
import { WebhookState } from "./WebhookState.tsx";

export function WebhookPage() {
	const { webhookId } = useParams({ from: "/member/webhooks/$webhookId" });
	const { data, error, hasNextPage, isFetching, fetchNextPage } = useInfiniteQuery(webhooksQuery);
	const webhook = data?.pages.flatMap((page) => page.data).find(({ id }) => id === webhookId);
	// The API has no endpoint for a single webhook, so an older one is searched for page by page.
	const isOnLaterPage = data !== undefined && webhook === undefined && hasNextPage;
	useEffect(() => {
		if (isOnLaterPage && !isFetching && error === null) void fetchNextPage();
	}, [isOnLaterPage, isFetching, error, fetchNextPage]);
	const above = <Link to="/webhooks">Webhooks</Link>;
	if (data === undefined || isOnLaterPage)
		return (
			<Page title="Webhook" above={above}>
				{error === null ? <Loading label="Loading the webhook" /> : <ErrorMessage error={error} />}
			</Page>
		);
	if (webhook === undefined)
		return (
			<Page title="Webhook" above={above}>
				<EmptyState title="You have no webhook with this id." />
			</Page>
		);
	return (
		<Page title={new URL(webhook.url).host} above={above}>
			<Description webhook={webhook} />
			<WebhookActions webhook={webhook} />
			<Log webhook={webhook} />
		</Page>
	);
}

function Description({ webhook }: { readonly webhook: Webhook }) {
	const { url, events, task_ids: tasks, categories, format, created_at } = webhook;
	return (
		<Facts
			facts={[
				["State", <WebhookState key="state" webhook={webhook} />],
				[
					"URL",
					<code key="url" className="breaks">
						{url}
					</code>,
				],
				["Sends", format === "standard" ? "Signed JSON" : `${CHAT_SERVICES[format].name} messages`],
				["Events", <Wide key="events" text={nameEvents(events, format)} />],
				...(tasks === null ? [] : [["Only tasks", <Wide key="tasks" text={tasks.join(", ")} />] as const]),
				...(categories === null ? [] : [["Only categories", <Wide key="categories" text={categories.join(", ")} />] as const]),
				["Created", formatDateTime(created_at)],
			]}
		/>
	);
}

/** Shows text that spans the page on a phone, because event names would break in a narrow column. */
function Wide({ text }: { readonly text: string }) {
	return <span className="wide">{text}</span>;
}

function Log({ webhook }: { readonly webhook: Webhook }) {
	const list = useInfiniteQuery(deliveriesQuery(webhook.id));
	const { data, error } = list;
	const deliveries = data?.pages.flatMap((page) => page.data) ?? [];
	return (
		<section className="section" aria-labelledby="log">
			<h2 id="log">Deliveries</h2>
			{data === undefined && error === null && <Loading label="Loading the log" />}
			{data !== undefined && deliveries.length === 0 && (
				<EmptyState
					title={`Nothing has been sent${webhook.inactive_reason === "deleted" ? "." : " yet. Send a test to see what arrives."}`}
				/>
			)}
			{deliveries.map((delivery) => (
				<DeliveryView key={delivery.id} webhook={webhook} delivery={delivery} />
			))}
			<ShowMore query={list} />
		</section>
	);
}

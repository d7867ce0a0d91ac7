import { infiniteQueryOptions } from "@tanstack/react-query";
import { api, readPage, type Schemas } from "../api/client.ts";

export type Webhook = Schemas["Webhook"];
export type Delivery = Schemas["WebhookDelivery"];

export const webhooksKey = ["webhooks"] as const;
const PAGE_SIZE = 50;
const POLL_MS = 2000;

export const webhooksQuery = infiniteQueryOptions({
	queryKey: webhooksKey,
	initialPageParam: "",
	queryFn: ({ pageParam }) => {
		const query = { limit: PAGE_SIZE, ...(pageParam === "" ? {} : { cursor: pageParam }) };
		return readPage(api.listWebhooks(query));
	},
	getNextPageParam: ({ pagination }) => pagination.next_cursor,
});

export const deliveriesKey = (webhookId: string) => ["deliveries", webhookId] as const;

/** Returns true if a delivery is due within seconds, so that its result is worth polling for. */
function isDue({ status, next_attempt_at: next }: Delivery): boolean {
	return status === "pending" && (next === null || Date.parse(next) < Date.now() + POLL_MS * 5);
}

/** Reads a webhook's log, newest first. No stream reports deliveries, so the log is polled while one is due. */
export const deliveriesQuery = (webhookId: string) =>
	infiniteQueryOptions({
		queryKey: deliveriesKey(webhookId),
		initialPageParam: "",
		queryFn: ({ pageParam }) => {
			const query = { limit: 20, ...(pageParam === "" ? {} : { cursor: pageParam }) };
			return readPage(api.listWebhookDeliveries(webhookId, query));
		},
		getNextPageParam: ({ pagination }) => pagination.next_cursor,
		refetchInterval: ({ state }) => (state.data?.pages[0]?.data.some(isDue) === true ? POLL_MS : false),
		refetchOnMount: "always",
	});

import { infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { api, readPage, type Schemas } from "../api/client.ts";
import { useIdentity } from "../layout/identity.ts";
import { announceUnread } from "../layout/inbox.ts";

export type InboxEntry = Schemas["InboxEntry"];

/** The beginning of the key of every list of entries. */
export const inboxKey = ["inbox"] as const;

const PAGE_SIZE = 30;
const LATEST = 20;

export const inboxQuery = (isUnreadOnly: boolean) =>
	infiniteQueryOptions({
		queryKey: [...inboxKey, "pages", isUnreadOnly],
		initialPageParam: "",
		queryFn: ({ pageParam }) => {
			const unread = isUnreadOnly ? ({ unread: "true" } as const) : {};
			return readPage(api.listInbox({ limit: PAGE_SIZE, ...unread, ...(pageParam === "" ? {} : { cursor: pageParam }) }));
		},
		getNextPageParam: ({ pagination }) => pagination.next_cursor,
		refetchOnMount: "always",
	});

/** Reads the newest entries, for the start page. */
export const latestQuery = queryOptions({
	queryKey: [...inboxKey, "latest"],
	queryFn: async () => (await readPage(api.listInbox({ limit: LATEST }))).data,
});

type Mark = Parameters<typeof api.markInboxRead>[0];

/** Marks entries as read, here and in the other tabs. */
export function useMarkRead() {
	const queries = useQueryClient();
	const identity = useIdentity();
	return useMutation({
		mutationFn: (mark: Mark) => api.markInboxRead(mark),
		onSuccess: async ({ unread }) => {
			if (identity !== null) announceUnread(queries, identity.agent_id, unread);
			await queries.invalidateQueries({ queryKey: inboxKey });
		},
	});
}

// One tab follows the inbox stream and informs the others, because a browser opens only six connections to a host.
import { type QueryClient, queryOptions, skipToken, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { MERGED_INBOX_EVENTS } from "../../../src/domain/inbox-events.ts";
import { api, readPage, type Schemas } from "../api/client.ts";
import { staleAfter } from "../rules/inbox.ts";

type Entry = Pick<Schemas["InboxEntry"], "event" | "task_id" | "submission_id">;

/** Messages between tabs. `hello` asks the tab that follows the stream for the number of unread entries. */
type News =
	| { readonly kind: "hello" }
	| { readonly kind: "unread"; readonly unread: number }
	| { readonly kind: "entry"; readonly entry: Entry };

/** How long a tab waits before it follows the stream, so that the reader's page loads first. */
const FOLLOW_AFTER_MS = 1_500;

const unreadQuery = queryOptions<number>({ queryKey: ["inbox-unread"], queryFn: skipToken });

/** Returns the number of unread entries, or null until the stream or another tab has reported it. */
export function useUnread(): number | null {
	return useQuery(unreadQuery).data ?? null;
}

const nameOf = (agentId: string): string => `console.inbox.${agentId}`;

/** The id of the newest entry that this browser knows, across reloads and tabs. */
const newestItemOf = (agentId: string): string => `console.inbox.newest.${agentId}`;

/** Returns true if an entry arrived while this browser did not follow the stream. Pages that were loaded earlier are then out of date. */
const isNews = (agentId: string, newestId: string): boolean => newestId !== "0" && newestId !== localStorage.getItem(newestItemOf(agentId));

/** Sends the number of unread entries to all tabs. */
export function announceUnread(queries: QueryClient, agentId: string, unread: number): void {
	const news = { kind: "unread", unread } as const;
	apply(queries, news);
	const channel = new BroadcastChannel(nameOf(agentId));
	channel.postMessage(news);
	channel.close();
}

/** Keeps the number of unread entries and the pages on screen up to date for as long as the component is shown. */
export function useInboxNews(agentId: string): void {
	const queries = useQueryClient();
	useEffect(() => {
		const controller = new AbortController();
		const channel = new BroadcastChannel(nameOf(agentId));
		let isFollowing = false;
		const tell = (news: News) => {
			apply(queries, news);
			channel.postMessage(news);
		};
		channel.addEventListener("message", ({ data }: MessageEvent<News>) => {
			const unread = queries.getQueryData(unreadQuery.queryKey);
			if (data.kind !== "hello") apply(queries, data);
			else if (isFollowing && unread !== undefined) channel.postMessage({ kind: "unread", unread });
		});
		channel.postMessage({ kind: "hello" });
		const { signal } = controller;
		const follow = async () => {
			isFollowing = true;
			for await (const { id, type, data } of api.streamInbox({ signal, maxOutageMs: Number.POSITIVE_INFINITY })) {
				const news: readonly News[] = type === "connected" ? [{ kind: "unread", unread: data.unread }] : await newsOf(data);
				news.forEach(tell);
				if (type === "connected" && isNews(agentId, id)) void queries.invalidateQueries();
				localStorage.setItem(newestItemOf(agentId), id);
			}
		};
		// The pages work without live updates, so if the stream is rejected, they stay as they were loaded.
		const start = () => navigator.locks.request(nameOf(agentId), { signal }, follow).catch(() => undefined);
		const timer = setTimeout(() => void start(), FOLLOW_AFTER_MS);
		return () => {
			clearTimeout(timer);
			controller.abort();
			channel.close();
		};
	}, [agentId, queries]);
}

/**
 * Returns what all tabs must learn about an entry. An entry that the platform has extended arrives again but counts as one, so the number
 * of unread entries is read again.
 */
async function newsOf(entry: Schemas["InboxEntry"]): Promise<readonly News[]> {
	const news = { kind: "entry", entry } as const;
	if (!MERGED_INBOX_EVENTS.includes(entry.event)) return [news];
	const { unread } = await readPage(api.listInbox({ limit: 1 }));
	return [news, { kind: "unread", unread }];
}

function apply(queries: QueryClient, news: News): void {
	if (news.kind === "unread") queries.setQueryData(unreadQuery.queryKey, news.unread);
	if (news.kind !== "entry") return;
	queries.setQueryData(unreadQuery.queryKey, (unread = 0) => unread + 1);
	// The list of pending actions depends on the other queries, so it is refreshed last.
	for (const queryKey of [...staleAfter(news.entry), ["inbox"]]) void queries.invalidateQueries({ queryKey });
}

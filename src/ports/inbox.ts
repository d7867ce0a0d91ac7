import type { InboxEvent } from "../domain/inbox-events.ts";
import type { Subscription } from "./topics.ts";

export interface Notice {
	readonly event: InboxEvent;
	/** One sentence about the event, for the agent. */
	readonly text: string;
	/**
	 * The rest of a sentence that begins with a number of events, for an entry that several events share. Null if events of this kind do not
	 * share entries.
	 */
	readonly afterCount: string | null;
	/** The console page about the event, such as `/console/deals/…`. */
	readonly path: string;
	/** The task that the notice is about. Null if it is about none. */
	readonly taskId: string | null;
	readonly submissionId: string | null;
	readonly dealId: string | null;
}

/** A notice to add to an inbox. If it is sent twice, its kind and `eventId` are the same, so it adds only one entry. */
export interface AddNotice extends Notice {
	/** The id of the domain event that caused the notice. */
	readonly eventId: string;
	/** When the event happened, in milliseconds since the epoch. */
	readonly happenedAt: number;
	/** When the agent registered, in milliseconds since the epoch. */
	readonly registeredAt: number;
}

export interface InboxEntry extends Omit<Notice, "afterCount"> {
	/** The entry's position in the inbox. Later entries have larger numbers. */
	readonly seq: number;
	readonly id: string;
	readonly createdAt: number;
	readonly isRead: boolean;
}

export interface InboxQuery {
	/** The page contains only entries whose `seq` is smaller. Null for the first page. */
	readonly before: number | null;
	readonly limit: number;
	readonly isUnreadOnly: boolean;
}

/** What the agent has read: an entry and everything older, or individual entries. */
export type ReadMark = { readonly upTo: string } | { readonly ids: readonly string[] };

/** The inbox methods of an agent's {@link WorkspacePort}. */
export interface InboxPort {
	/**
	 * Adds an entry, or adds to an unread one. Does nothing if the agent registered, and last opened its inbox, over 30 days ago. Repeating
	 * the call changes nothing.
	 */
	notify(notice: AddNotice): Promise<void>;
	/** Reads a page, newest entry first, and the number of unread entries. This opens the inbox, so it gets entries for another 30 days. */
	readInbox(query: InboxQuery): Promise<{
		readonly entries: readonly InboxEntry[];
		readonly unread: number;
		/** When the agent last marked entries as read, in milliseconds since the epoch. Null if it never has. */
		readonly markedAt: number | null;
	}>;
	/** Marks entries as read. Returns the number of entries that are still unread. Unknown ids change nothing. */
	markRead(mark: ReadMark): Promise<number>;
	/**
	 * Reads the start of a stream.
	 *
	 * @param afterId The last entry that the client has, or `0` if it has none. With null or an unknown id, the stream has only new entries.
	 * @returns `entries` has the entries after `afterId`, oldest first. It is null if the stream has only new entries.
	 */
	readInboxAfter(afterId: string | null): Promise<{
		readonly head: number;
		readonly headId: string;
		readonly unread: number;
		readonly entries: readonly InboxEntry[] | null;
	}>;
	/** Subscribes a relay to new entries. Returns the number of the newest entry, or 0 if there is none. */
	watchInbox(subscription: Subscription): Promise<number>;
}

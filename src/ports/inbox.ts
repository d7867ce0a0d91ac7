import type { InboxEvent } from "../domain/inbox-events.ts";
import type { Subscription } from "./topics.ts";

/** An agent is told such a notice. */
export interface Notice {
	readonly event: InboxEvent;
	/** The text is one sentence for the reader. */
	readonly text: string;
	/** After a number, this is the sentence about that many of these events. Null if an entry is about one event only. */
	readonly afterCount: string | null;
	/** The path is the console's page about it, such as `/console/deals/…`. */
	readonly path: string;
	/** Null for a notice that is about no task. */
	readonly taskId: string | null;
	readonly submissionId: string | null;
	readonly dealId: string | null;
}

/** A repeated notice has the same key and adds no second entry. */
export interface AddNotice extends Notice {
	/** This is the id of the domain event. One event makes at most one entry of each kind in an inbox. */
	readonly eventId: string;
	/** In milliseconds since the epoch. */
	readonly happenedAt: number;
	/** When the agent registered, in milliseconds since the epoch. */
	readonly registeredAt: number;
}

export interface InboxEntry extends Omit<Notice, "afterCount"> {
	/** The number is the place of the entry in the inbox. Later entries have larger numbers. */
	readonly seq: number;
	readonly id: string;
	readonly createdAt: number;
	readonly isRead: boolean;
}

export interface InboxQuery {
	/** The page has only entries with smaller numbers. Null for the first page. */
	readonly before: number | null;
	readonly limit: number;
	readonly isUnreadOnly: boolean;
}

/** The agent has read an entry with everything older, or some entries. */
export type ReadMark = { readonly upTo: string } | { readonly ids: readonly string[] };

/** An agent's {@link WorkspacePort} has its inbox behind these methods. */
export interface InboxPort {
	/** Adds an entry, unless the agent has not looked at its inbox for 30 days. A repeated call changes nothing. */
	notify(notice: AddNotice): Promise<void>;
	/** Reads a page, newest first, and the number of unread entries. The agent counts as a reader for another 30 days. */
	readInbox(query: InboxQuery): Promise<{
		readonly entries: readonly InboxEntry[];
		readonly unread: number;
		/** When the agent last marked entries as read, in milliseconds since the epoch. Null if it never has. */
		readonly markedAt: number | null;
	}>;
	/** Marks entries as read. Returns the number of unread ones. Unknown ids change nothing. */
	markRead(mark: ReadMark): Promise<number>;
	/**
	 * Reads what a stream begins with.
	 *
	 * @param afterId The last entry that the client has, `0` for none. Null or unknown starts from now.
	 * @returns `entries` is null if the stream starts from now; else what came after the entry, oldest first.
	 */
	readInboxAfter(afterId: string | null): Promise<{
		readonly head: number;
		readonly headId: string;
		readonly unread: number;
		readonly entries: readonly InboxEntry[] | null;
	}>;
	/** Subscribes a relay to new entries. Returns the number of the last one, 0 before the first. */
	watchInbox(subscription: Subscription): Promise<number>;
}

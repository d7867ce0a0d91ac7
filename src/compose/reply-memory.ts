import { eq, sql } from "drizzle-orm";
import { prepareOnce } from "../db/task/prepared.ts";
import { outbox } from "../db/task/schema/task.ts";
import type { TaskDatabase, TaskReply } from "../ports/task.ts";

/** The maximum number of replies in memory. It is low, because callers repeat a call at once or not at all. */
const MAX_REPLIES = 50;

const replyQuery = prepareOnce((db) =>
	db
		.select({ value: outbox.returned })
		.from(outbox)
		.where(eq(outbox.callId, sql.placeholder("callId")))
		.prepare(),
);

/**
 * A Task object keeps the replies to its latest changes in memory. After a restart, it finds the replies to unsent changes in the outbox.
 */
export class ReplyMemory {
	readonly #replies = new Map<string, TaskReply>();

	/** Returns the reply to an earlier call with this id, whose response was lost. Returns null for a new call. */
	find(db: TaskDatabase | null, callId: string): TaskReply | null {
		const reply = this.#replies.get(callId);
		if (reply !== undefined || db === null) return reply ?? null;
		const row = replyQuery(db).get({ callId });
		return row === undefined ? null : { kind: "value", value: row.value ?? undefined };
	}

	remember(callId: string, reply: TaskReply): void {
		const oldest = this.#replies.size >= MAX_REPLIES ? this.#replies.keys().next().value : undefined;
		if (oldest !== undefined) this.#replies.delete(oldest);
		this.#replies.set(callId, reply);
	}
}

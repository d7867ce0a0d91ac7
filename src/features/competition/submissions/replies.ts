// Responses to requests with an `Idempotency-Key`, which are repeated for 24 hours. Contract: "Limits".
import { and, eq, gt, lte, min } from "drizzle-orm";
import { replies } from "../../../db/task/schema/task.ts";
import { AppError } from "../../../domain/errors.ts";
import type { TaskDatabase, TaskDuty, TaskStore } from "../../../ports/task.ts";
import { IDEMPOTENCY_WINDOW_MS } from "./rules.ts";

/** An agent can safely repeat this request. */
export interface RepeatableRequest {
	readonly agentId: string;
	readonly operation: string;
	/** The `Idempotency-Key`. */
	readonly key: string;
	readonly requestHash: string;
}

/**
 * Returns the JSON of the response to an earlier request with this key; null without one.
 *
 * @throws AppError `CONFLICT` if that request had another body.
 */
export function findReply({ db, now }: TaskStore, { agentId, operation, key, requestHash }: RepeatableRequest): string | null {
	const isThis = and(eq(replies.agentId, agentId), eq(replies.operation, operation), eq(replies.key, key));
	const reply = db
		.select()
		.from(replies)
		.where(and(isThis, gt(replies.expiresAt, now)))
		.get();
	if (reply === undefined) return null;
	if (reply.requestHash === requestHash) return reply.response;
	throw new AppError("CONFLICT", {
		message: "This Idempotency-Key was used with a different body within 24 hours. Send a new key with a new submission.",
	});
}

export function saveReply({ db, now }: TaskStore, request: RepeatableRequest, response: object): void {
	const reply = { requestHash: request.requestHash, response: JSON.stringify(response), expiresAt: now + IDEMPOTENCY_WINDOW_MS };
	db.insert(replies)
		.values({ ...request, ...reply })
		.onConflictDoUpdate({ target: [replies.agentId, replies.operation, replies.key], set: reply })
		.run();
}

/**
 * The object remembers when the first reply expires while it is awake, because an index would cost a row with each submission. It need
 * not look at new replies, because they expire later.
 */
const firstExpiries = new WeakMap<TaskDatabase, number>();

function findFirstExpiry({ db }: TaskStore): number | null {
	const known = firstExpiries.get(db);
	if (known !== undefined) return known;
	const first = db
		.select({ at: min(replies.expiresAt) })
		.from(replies)
		.get()?.at;
	if (first != null) firstExpiries.set(db, first);
	return first ?? null;
}

export const forgetReplies: TaskDuty = {
	name: "forgetReplies",
	dueAt: findFirstExpiry,
	run({ db, now }) {
		db.delete(replies).where(lte(replies.expiresAt, now)).run();
		firstExpiries.delete(db);
	},
};

// For 24 hours, a Task object stores what its verbs returned to requests with an `Idempotency-Key`. A repeated request gets the same
// output.
import { and, eq, gt, lte, min } from "drizzle-orm";
import { assertSameRequest, REPLY_WINDOW_MS, type RepeatableCall } from "../../domain/repeated-calls.ts";
import { type TaskDatabase, type TaskDuty, type TaskStore, type TaskVerb, taskVerb } from "../../ports/task.ts";
import { replies } from "./schema/task.ts";

/** The input of a verb whose request can be repeated. `repeatable` is null if there is no `Idempotency-Key`. */
interface RepeatableInput<Input> {
	readonly repeatable: RepeatableCall | null;
	readonly input: Input;
}

interface RepeatableOutput<Output> {
	/** True if `output` is from an earlier request. This call then changed nothing. */
	readonly isRepeated: boolean;
	readonly output: Output;
}

/**
 * Declares a verb that creates something once per `Idempotency-Key`. Its output is stored in the same transaction, and a repeated request
 * gets this output and creates nothing.
 *
 * @param make Gets the id of what it creates, so that a call that is repeated after a lost response does not create anything new.
 */
export function repeatableVerb<Input extends { readonly id: string }, Output extends { readonly id: string }>(
	name: string,
	make: (task: TaskStore, input: Input) => Output,
): TaskVerb<RepeatableInput<Input>, RepeatableOutput<Output>> {
	return taskVerb(name, (task, { repeatable, input }) => {
		const earlier = findOutput<Output>(task, repeatable);
		if (earlier !== null) return { isRepeated: earlier.id !== input.id, output: earlier };
		const output = make(task, input);
		if (repeatable !== null) saveOutput(task, repeatable, output);
		return { isRepeated: false, output };
	});
}

/**
 * Declares a verb that callers use before `verb`, and before they store files for it. The declared verb returns the output that `verb`
 * would repeat, or null if `verb` would create something new.
 *
 * @param assertPossible Throws what `verb` would throw.
 */
export function admittingVerb<Input, Made, Output>(
	name: string,
	_verb: TaskVerb<RepeatableInput<Made>, RepeatableOutput<Output>>,
	assertPossible: (task: TaskStore, input: Input) => void,
): TaskVerb<RepeatableInput<Input>, RepeatableOutput<Output> | null> {
	return taskVerb(name, (task, { repeatable, input }) => {
		const earlier = findOutput<Output>(task, repeatable);
		if (earlier !== null) return { isRepeated: true, output: earlier };
		assertPossible(task, input);
		return null;
	});
}

/**
 * Returns the output of an earlier request with this key, or null if there is none. The stored JSON has the type `Output`, because each
 * path belongs to one verb.
 *
 * @throws AppError `CONFLICT` if that request had another body.
 */
function findOutput<Output>({ db, realNow }: TaskStore, call: RepeatableCall | null): Output | null {
	if (call === null) return null;
	const isThis = and(eq(replies.caller, call.caller), eq(replies.path, call.path), eq(replies.key, call.key));
	const reply = db
		.select()
		.from(replies)
		.where(and(isThis, gt(replies.expiresAt, realNow)))
		.get();
	if (reply === undefined) return null;
	assertSameRequest(call, reply.requestHash);
	return JSON.parse(reply.response) as Output;
}

function saveOutput({ db, realNow }: TaskStore, { caller, path, key, requestHash }: RepeatableCall, output: object): void {
	const reply = { requestHash, response: JSON.stringify(output), expiresAt: realNow + REPLY_WINDOW_MS };
	db.insert(replies)
		.values({ caller, path, key, ...reply })
		.onConflictDoUpdate({ target: [replies.caller, replies.path, replies.key], set: reply })
		.run();
}

/**
 * When the first reply of each Task object expires. This is kept in memory, because an index would cost another written row per submission.
 * New replies do not change it, because they expire later.
 */
const firstExpiries = new WeakMap<TaskDatabase, number>();

function findFirstExpiry({ db }: TaskStore): number | null {
	const expiry = firstExpiries.get(db);
	if (expiry !== undefined) return expiry;
	const first = db
		.select({ at: min(replies.expiresAt) })
		.from(replies)
		.get()?.at;
	if (first != null) firstExpiries.set(db, first);
	return first ?? null;
}

/** Replies are deleted once a minute at most. Otherwise each of thousands would wake the object, and each time all would be read. */
const FORGETTING_MS = 60_000;

export const forgetReplies: TaskDuty = {
	name: "forgetReplies",
	isInRealTime: true,
	dueAt(task) {
		const first = findFirstExpiry(task);
		return first === null ? null : first + FORGETTING_MS;
	},
	run({ db, realNow }) {
		db.delete(replies).where(lte(replies.expiresAt, realNow)).run();
		firstExpiries.delete(db);
	},
};

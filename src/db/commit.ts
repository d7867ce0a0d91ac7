import { eq, type SQL, sql } from "drizzle-orm";
import { AppError, type ErrorCode } from "../domain/errors.ts";
import type { CommitItem, Database, EventInsert, Statement } from "../ports/database.ts";
import { builtOf } from "./prepared.ts";
import { outbox } from "./schema/events.ts";
import { MAX_TRIES, readTransience, waitBeforeRetry } from "./transient.ts";

/** The rows a decision was based on changed before its commit. {@link decideAndCommit} reads and decides once more. */
export class StaleReadError extends Error {
	override readonly name = "StaleReadError";
}

/** Which constraint of the schema means which refusal. SQLite names a CHECK by its name, a unique index by its columns. */
const REFUSALS_BY_CONSTRAINT: Readonly<Record<string, ErrorCode>> = {
	quota_within_limit: "QUOTA_EXHAUSTED",
	"deals.task_id": "DEAL_EXISTS",
	operator_month_within_quota: "OPERATOR_QUOTA_EXHAUSTED",
	operator_child_within_share: "OPERATOR_QUOTA_EXHAUSTED",
};

const STALE_CONSTRAINTS: readonly string[] = [
	"stale_read",
	"evaluation_jobs.submission_id",
	"evaluations.submission_id, evaluations.iteration",
	"users.issuer, users.subject",
	"idempotency_keys.agent_id, idempotency_keys.task_id, idempotency_keys.key",
];

/**
 * Undoes the whole batch unless `condition` holds when the batch runs.
 * It repeats what the decision relied on: "still a draft", "still revision 3", "this lease is still mine".
 */
export function guard(db: Database, condition: SQL): Statement {
	return db.statement(sql`insert into commit_guards (failed) select 1 where not (${condition})`);
}

/**
 * Runs statements as one atomic change, and remembers its events for dispatch once it is made.
 *
 * @throws StaleReadError when a {@link guard} did not hold.
 * @throws AppError when a constraint of the schema refused the change.
 */
export async function commit(db: Database, items: readonly CommitItem[]): Promise<void> {
	const [first, ...rest] = items.map((item) => (isEventInsert(item) ? item.insert : item));
	if (first === undefined) return;
	const eventIds = items.filter(isEventInsert).flatMap((item) => item.eventIds);
	try {
		await runOnce(db, [first, ...rest], eventIds);
	} catch (error) {
		throw translateConstraint(error);
	}
	db.committedEvents.push(...eventIds);
}

/**
 * Runs a batch that takes effect once, though D1 may fail after it did. Then the batch is recognised by its events. Without events,
 * it runs again only if it cannot take effect twice: a guard no longer holds, or its rows with their new ids are there.
 */
async function runOnce(db: Database, statements: [Statement, ...Statement[]], eventIds: readonly string[]): Promise<void> {
	const canRepeat = eventIds.length > 0 || statements.some(cannotRunTwice);
	for (let tried = 1; ; tried += 1) {
		try {
			await db.query.batch(statements);
			return;
		} catch (error) {
			if (tried > 1 && isOwnRow(constraintOf(error))) return;
			// What surely did not run, the client has repeated already.
			if (readTransience(error) !== "may-have-run" || !canRepeat || tried >= MAX_TRIES) throw error;
		}
		await waitBeforeRetry(tried);
		if (await hasEvents(db, eventIds)) return;
	}
}

async function hasEvents(db: Database, eventIds: readonly string[]): Promise<boolean> {
	const [id] = eventIds;
	if (id === undefined) return false;
	db.refresh();
	return (await db.query.select({ id: outbox.id }).from(outbox).where(eq(outbox.id, id))).length > 0;
}

function cannotRunTwice(statement: Statement): boolean {
	const text = builtOf(statement).getQuery().sql;
	return text.includes("commit_guards") || (/^\s*insert into/i.test(text) && !/\bon conflict\b/i.test(text));
}

/** Ids are made for one commit, so that a row which has one already is this commit's. */
function isOwnRow(constraint: string | null): boolean {
	return constraint !== null && /^\w+\.id$/.test(constraint);
}

function isEventInsert(item: CommitItem): item is EventInsert {
	return "eventIds" in item;
}

const MAX_DECISIONS = 6;

/**
 * Runs a verb that reads, decides and commits; again with fresh reads whenever another request got in between.
 * The decision then sees the other change and throws the fitting error.
 *
 * @throws AppError `CONFLICT` when the rows keep changing.
 */
export async function decideAndCommit<T>(db: Database, verb: () => Promise<T>): Promise<T> {
	for (let decision = 1; decision <= MAX_DECISIONS; decision += 1) {
		try {
			return await verb();
		} catch (error) {
			if (!(error instanceof StaleReadError)) throw error;
			db.refresh();
		}
	}
	throw new AppError("CONFLICT", { message: "Too many changes are being made here at once. Try again in a moment." });
}

function translateConstraint(error: unknown): unknown {
	const constraint = constraintOf(error);
	if (constraint === null) return error;
	if (STALE_CONSTRAINTS.includes(constraint)) return new StaleReadError(constraint, { cause: error });
	const refusal = REFUSALS_BY_CONSTRAINT[constraint];
	return refusal === undefined ? error : new AppError(refusal, { cause: error });
}

/** The name in `CHECK constraint failed: name` or `UNIQUE constraint failed: table.column, …`, or null. */
function constraintOf(error: unknown): string | null {
	for (let current = error; current instanceof Error; current = current.cause) {
		const match = /(?:CHECK|UNIQUE) constraint failed: (.+?)(?:: SQLITE_|$)/.exec(current.message);
		if (match?.[1] !== undefined) return match[1];
	}
	return null;
}

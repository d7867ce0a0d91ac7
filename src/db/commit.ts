import { and, eq, type SQL, sql } from "drizzle-orm";
import { AppError, type AppErrorFacts, type ErrorCode } from "../domain/errors.ts";
import { randomFraction, randomHex } from "../platform/crypto.ts";
import type { CommitItem, Database, EventInsert, Statement } from "../ports/database.ts";
import { builtOf } from "./prepared.ts";
import { commitMarks, directoryOutbox } from "./schema/events.ts";
import { isWorthAnotherTry, readTransience, waitBeforeRetry } from "./transient.ts";

/** Thrown if rows have changed since a verb read them for its decision. {@link decideAndCommit} then runs the verb again. */
export class StaleReadError extends Error {
	override readonly name = "StaleReadError";
}

/** The API errors for constraints of the schema. SQLite reports a CHECK constraint by its name, and a unique index by its columns. */
const REFUSALS_BY_CONSTRAINT: Readonly<Record<string, readonly [code: ErrorCode, facts?: AppErrorFacts]>> = {
	quota_within_limit: ["QUOTA_EXHAUSTED"],
	"deals.task_id": ["DEAL_EXISTS"],
	operator_month_within_quota: ["OPERATOR_QUOTA_EXHAUSTED"],
	operator_child_within_share: ["OPERATOR_QUOTA_EXHAUSTED"],
	network_agents_within_cap: networkUsedUp("Your network has registered as many anonymous agents"),
	network_bytes_within_cap: networkUsedUp(
		"The anonymous agents of your network, or all your agents if you have signed in, have stored as much",
	),
	network_publishes_within_cap: networkUsedUp(
		"The anonymous agents of your network, or all your agents if you have signed in, have published as many tasks",
	),
	anonymous_drafts_have_room: [
		"CONFLICT",
		{
			message:
				"Your agent already has the maximum number of drafts for an anonymous agent. Publish or delete some (GET /api/v1/tasks?owner=me&status=draft lists them), or claim your agent: sign in as a human (GET /api/auth/providers) and POST the agent's key to /api/auth/claim.",
		},
	],
	test_tasks_have_room: [
		"CONFLICT",
		{
			message: "An agent can have 100 test tasks, including drafts. Delete some drafts, or wait: each test task is deleted after 30 days.",
		},
	],
	"used_challenges.nonce": ["CONFLICT", { message: "This proof of work was already used. Register without one to get a new challenge." }],
};

function networkUsedUp(what: string): readonly [ErrorCode, AppErrorFacts] {
	const message = `${what} as this deployment allows in a day (UTC). If you have not signed in, claim your agent to continue now: sign in as a human (GET /api/auth/providers) and POST the agent's key to /api/auth/claim. Otherwise wait for the number of seconds in Retry-After.`;
	return ["RATE_LIMITED", { message, reason: "network_cap", retry: "next_utc_day" }];
}

const STALE_CONSTRAINTS: readonly string[] = ["stale_read", "users.issuer, users.subject", "deals.payment_transaction, deals.seen_chain"];

/**
 * Builds a statement that fails its whole batch unless `condition` is true when the batch runs. The condition states what the caller has
 * relied on, for example that the task is still a draft.
 */
export function guard(db: Database, condition: SQL): Statement {
	return db.statement(sql`insert into commit_guards (failed) select 1 where not (${condition})`);
}

/**
 * Runs statements as one atomic change, and dispatches its events afterwards.
 *
 * @throws StaleReadError if a {@link guard} failed.
 * @throws AppError if a constraint of the schema rejected the change.
 */
export async function commit(db: Database, items: readonly CommitItem[]): Promise<void> {
	await commitForResults(db, items);
}

/**
 * Does the same as {@link commit}, and returns what the statement `returning`, one of `items`, returned.
 *
 * @returns Null if D1 made the change but the response was lost.
 */
export async function commitReturning(db: Database, items: readonly CommitItem[], returning: Statement): Promise<unknown> {
	const results = await commitForResults(db, items);
	return results?.[items.indexOf(returning)] ?? null;
}

async function commitForResults(db: Database, items: readonly CommitItem[]): Promise<readonly unknown[] | null> {
	const [first, ...rest] = items.map((item) => (isEventInsert(item) ? item.insert : item));
	if (first === undefined) return [];
	const inserts = items.filter(isEventInsert);
	const results = await runBatchOnce(db, [first, ...rest], inserts[0]?.outboxId).catch((error: unknown) => {
		throw translateConstraint(error);
	});
	db.committedEvents.push(...inserts.map(({ outboxId }) => outboxId));
	return results;
}

/** Runs `write`, which calls {@link commit}. Returns false if a {@link guard} failed, and throws all other errors. */
export async function unlessStale(write: () => Promise<void>): Promise<boolean> {
	try {
		await write();
		return true;
	} catch (error) {
		if (error instanceof StaleReadError) return false;
		throw error;
	}
}

/**
 * Runs a batch so that it takes effect only once, even if a response is lost and the batch is sent again. To find out whether it ran, looks
 * for its event or its mark. If it inserts new ids, a second run fails on them.
 *
 * @returns The results of the statements, or null if the batch took effect but its response was lost.
 */
async function runBatchOnce(
	db: Database,
	statements: [Statement, ...Statement[]],
	outboxId: string | undefined,
): Promise<readonly unknown[] | null> {
	const { batch, hasRun } = makeRecognisable(db, statements, outboxId);
	for (let tries = 1; ; tries += 1) {
		try {
			return await db.query.batch(batch);
		} catch (error) {
			if (tries > 1 && isOwnRow(findConstraint(error))) return null;
			// The client in `client.ts` has already repeated statements that definitely did not run.
			if (readTransience(error) !== "may-have-run" || !isWorthAnotherTry(error, tries)) throw error;
		}
		await waitBeforeRetry(tries);
		if (await hasRun()) return null;
	}
}

function makeRecognisable(
	db: Database,
	statements: [Statement, ...Statement[]],
	outboxId: string | undefined,
): {
	readonly batch: [Statement, ...Statement[]];
	/**
	 * Returns true if the batch has taken effect. Always returns false for a batch that inserts new ids: repeating such a batch is safe,
	 * because the second run fails on the rows that the first has inserted.
	 */
	hasRun(): Promise<boolean>;
} {
	if (outboxId !== undefined) return { batch: statements, hasRun: () => hasEvents(db, outboxId) };
	if (insertsOwnIds(statements[0])) return { batch: statements, hasRun: async () => false };
	const mark = newMark();
	return { batch: [...statements, writeMark(db, mark)], hasRun: () => hasMark(db, mark) };
}

/** Far more than the number of commits in the seconds between a lost response and the last retry, so that a mark is rarely overwritten. */
const MARK_SLOTS = 65_536;
const MARK_BYTES = 16;

type CommitMark = typeof commitMarks.$inferSelect;

function newMark(): CommitMark {
	return { slot: Math.floor(randomFraction() * MARK_SLOTS), commitId: randomHex(MARK_BYTES) };
}

function writeMark(db: Database, { slot, commitId }: CommitMark): Statement {
	return db.statement(sql`insert or replace into commit_marks (slot, commit_id) values (${slot}, ${commitId})`);
}

async function hasMark(db: Database, { slot, commitId }: CommitMark): Promise<boolean> {
	db.refresh();
	const isOwn = and(eq(commitMarks.slot, slot), eq(commitMarks.commitId, commitId));
	return (await db.query.select({ slot: commitMarks.slot }).from(commitMarks).where(isOwn)).length > 0;
}

async function hasEvents(db: Database, id: string): Promise<boolean> {
	db.refresh();
	return (await db.query.select({ id: directoryOutbox.id }).from(directoryOutbox).where(eq(directoryOutbox.id, id))).length > 0;
}

/**
 * Returns true if the first statement inserts rows with new ids. Later statements do not count, because a retry could fail before it
 * reaches them.
 */
function insertsOwnIds(first: Statement): boolean {
	const text = builtOf(first).getQuery().sql;
	return /^insert into "\w+" \("id", [^()]+\) values /.test(text) && !text.includes(" on conflict ");
}

/** Returns true if the constraint says that an `id` exists. Its row must be from this commit, because every commit creates new ids. */
function isOwnRow(constraint: string | null): boolean {
	return constraint !== null && /^\w+\.id$/.test(constraint);
}

function isEventInsert(item: CommitItem): item is EventInsert {
	return "outboxId" in item;
}

const MAX_DECISIONS = 12;
/**
 * If several changes are retried at the same time, only one of them succeeds. So from this failed attempt on, a change waits for up to half
 * a second before the next attempt.
 */
const DECISIONS_AT_ONCE = 3;
const MAX_WAIT_STEP = 5;

/**
 * Runs a verb that reads, decides and commits. If another request changes the rows in between, runs the verb again with fresh reads, so
 * that it sees the other change and throws the right error.
 *
 * @throws AppError `CONFLICT` if the rows keep changing.
 */
export async function decideAndCommit<T>(db: Database, verb: () => Promise<T>): Promise<T> {
	for (let decision = 1; decision <= MAX_DECISIONS; decision += 1) {
		try {
			return await verb();
		} catch (error) {
			if (!(error instanceof StaleReadError)) throw error;
			db.refresh();
			if (decision >= DECISIONS_AT_ONCE) await waitBeforeRetry(Math.min(decision - DECISIONS_AT_ONCE + 1, MAX_WAIT_STEP));
		}
	}
	throw new AppError("CONFLICT", { message: "Too many other requests are changing the same data. Try again in a moment." });
}

function translateConstraint(error: unknown): unknown {
	const constraint = findConstraint(error);
	if (constraint === null) return error;
	if (STALE_CONSTRAINTS.includes(constraint)) return new StaleReadError(constraint, { cause: error });
	const refusal = REFUSALS_BY_CONSTRAINT[constraint];
	if (refusal === undefined) return error;
	const [code, facts] = refusal;
	return new AppError(code, { ...facts, cause: error });
}

/** Returns `name` from `CHECK constraint failed: name` or `UNIQUE constraint failed: name`. Returns null for any other error. */
export function findConstraint(error: unknown): string | null {
	for (let current = error; current instanceof Error; current = current.cause) {
		const match = /(?:CHECK|UNIQUE) constraint failed: (.+?)(?:: SQLITE_|$)/.exec(current.message);
		if (match?.[1] !== undefined) return match[1];
	}
	return null;
}

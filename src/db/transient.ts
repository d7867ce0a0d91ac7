// Recognizes errors of D1 that the statements did not cause. A retry after such an error may succeed.
import { systemClock } from "../platform/clock.ts";
import { randomFraction } from "../platform/crypto.ts";

/** Errors of D1 that mean that the statements did not run. A retry would only add to the load. */
const OVERLOADED = [/D1 DB is overloaded/i, /too many requests queued/i, /requests queued for too long/i];
/** Errors of D1 that mean that the statements did not run, and that a retry may succeed. */
const NOT_RUN = [/database is locked/i, /SQLITE_BUSY/];
/**
 * Errors that mean that the connection to D1 was lost, or that the Durable Object behind the database was reset. The statements may or may
 * not have run.
 */
const MAY_HAVE_RUN = [
	/Network connection lost/i,
	/Replica disconnected from primary/i,
	/caused object to be reset/i,
	/reset because its code was updated/i,
	/Failed to get session commit token/i,
	/due to transient issue on remote node/i,
];

const MAX_QUERY_TRIES = 5;
/**
 * Errors of local D1 while another process, such as an admin command, locks the database file. On a slow machine, this can take seconds,
 * but the lock always ends.
 */
const LOCKED = [/database is locked/i, /SQLITE_BUSY/, /Failed to get session commit token/i];
/** The maximum number of tries while the database file is locked. With the delays between them, the tries take about eight seconds. */
const MAX_LOCKED_TRIES = 30;
const FIRST_DELAY_MS = 20;
const LONGEST_DELAY_MS = 320;

/** Errors with which D1 and Durable Objects reject new rows until an operator makes room. */
const FULL = [/exceeded maximum DB size/i, /maximum account storage limit/i, /database or disk is full/i, /SQLITE_FULL/];

/** Returns true if D1 or a Durable Object rejected a write because it is full. */
export function isDatabaseFull(error: unknown): boolean {
	const message = messageOfD1(error);
	return FULL.some((pattern) => pattern.test(message));
}

/** Returns whether statements that failed may have run, or why they did not. Returns null if a retry does not help. */
export function readTransience(error: unknown): "overloaded" | "not-run" | "may-have-run" | null {
	const message = messageOfD1(error);
	if (OVERLOADED.some((pattern) => pattern.test(message))) return "overloaded";
	if (NOT_RUN.some((pattern) => pattern.test(message))) return "not-run";
	return MAY_HAVE_RUN.some((pattern) => pattern.test(message)) ? "may-have-run" : null;
}

/** Returns true if a request that failed with an error of D1, R2 or a Durable Object may succeed a moment later. */
export function isTransient(error: unknown): boolean {
	return readTransience(error) !== null || isTransientStorageFault(error);
}

/** Returns true if statements that failed with a transient error are worth another try after `tries` tries. */
export function isWorthAnotherTry(error: unknown, tries: number): boolean {
	const message = messageOfD1(error);
	return tries < (LOCKED.some((pattern) => pattern.test(message)) ? MAX_LOCKED_TRIES : MAX_QUERY_TRIES);
}

/** Returns the message of the innermost error, which is D1's. Drizzle's own messages repeat values that users wrote. */
function messageOfD1(error: unknown): string {
	let innermost = error;
	while (innermost instanceof Error && innermost.cause instanceof Error) innermost = innermost.cause;
	return innermost instanceof Error ? innermost.message : "";
}

/**
 * Waits before the next try: about 20 ms after the first try, then twice as long each time, up to 320 ms. Makes each wait up to half longer
 * or shorter at random, so that callers do not retry at the same moment.
 */
export async function waitBeforeRetry(tries: number): Promise<void> {
	const ms = Math.min(FIRST_DELAY_MS * 2 ** (tries - 1), LONGEST_DELAY_MS) * (0.5 + randomFraction());
	await new Promise<void>((resolve) => systemClock.after(ms, resolve));
}

/**
 * Runs statements, and repeats them after a transient error. Statements that are not idempotent are repeated only if the error shows that
 * they did not run. After other errors, `commit` checks in the database whether they ran.
 *
 * @throws The last error, if another try would be unsafe or useless, or after too many tries.
 */
export async function retryTransient<T>(run: () => Promise<T>, { isIdempotent }: { isIdempotent: boolean }): Promise<T> {
	for (let tries = 1; ; tries += 1) {
		try {
			return await run();
		} catch (error) {
			const transience = readTransience(error);
			const canRepeat = transience === "not-run" || (isIdempotent && transience === "may-have-run");
			if (!canRepeat || !isWorthAnotherTry(error, tries)) throw error;
			await waitBeforeRetry(tries);
		}
	}
}

/** Returns true if a statement is a `select`, or begins with `with` and does not write. */
export function isReadOnly(sql: string): boolean {
	return /^\s*select\b/i.test(sql) || (/^\s*with\b/i.test(sql) && !/\b(?:insert|replace)\s+into\b|\bupdate\b|\bdelete\s+from\b/i.test(sql));
}

/**
 * An error message of R2 begins with the method and ends with a code. These codes mean an internal error, service unavailable, and too many
 * requests for one object.
 */
const TRANSIENT_R2_ERROR = /^\w+: .*\((?:10001|10043|10058)\)$/;

/**
 * Returns true if an error of R2 or of a Durable Object is temporary. {@link retryTransient} does not repeat calls to objects, because the
 * runtime does so when it is safe.
 */
function isTransientStorageFault(error: unknown): boolean {
	if (!(error instanceof Error)) return false;
	const isOfObject = ("retryable" in error && error.retryable === true) || ("overloaded" in error && error.overloaded === true);
	return isOfObject || TRANSIENT_R2_ERROR.test(error.message);
}

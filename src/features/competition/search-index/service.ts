import { chunksOf } from "../../../domain/chunks.ts";
import { AppError } from "../../../domain/errors.ts";
import { SECOND_MS } from "../../../platform/clock.ts";
import { describeError } from "../../../platform/log.ts";
import type { Database } from "../../../ports/database.ts";
import type { Deps } from "../../../ports/deps.ts";
import type { IndexedTask, SearchPlan } from "./rules.ts";
import * as store from "./store.ts";

export type { SearchPlace } from "./store.ts";

/** With the longest texts, more tasks than these could exceed the 2 MB that D1 takes as one value. */
const TASKS_AT_ONCE = 20;

/** Brings the index to the state of some tasks. It may be repeated, and an older state never replaces a newer one. */
export async function indexTasks(search: Database, tasks: readonly IndexedTask[]): Promise<void> {
	for (const some of chunksOf(tasks, TASKS_AT_ONCE)) await store.writeTasks(search, some);
}

/** {@link indexTasks} for a listener of events, which others wait for: an index that does not respond in time is one that failed. */
export async function indexInTime({ clock }: Pick<Deps, "clock">, search: Database, task: IndexedTask): Promise<void> {
	const { promise: isLate, reject } = Promise.withResolvers<never>();
	const cancel = clock.after(INDEX_TIMEOUT_MS, () => reject(new Error("The search index has not responded in time.")));
	await Promise.race([indexTasks(search, [task]), isLate]).finally(cancel);
}

const INDEX_TIMEOUT_MS = 10 * SECOND_MS;
const PATIENCE_MS = SECOND_MS;

/**
 * {@link indexTasks} for a task that a verb has changed, so that its caller's next search finds the new state. It never fails and takes
 * a second at most, because a listener of the event repeats what did not work.
 */
export async function indexNow({ search, clock, log, background }: Deps, task: IndexedTask): Promise<void> {
	if (search === null) return;
	const { promise: hasWaited, resolve: stopWaiting } = Promise.withResolvers<void>();
	const cancel = clock.after(PATIENCE_MS, stopWaiting);
	const work = indexTasks(search, [task]).catch((error: unknown) => log.error("search_index_failed", describeError(error)));
	background(work);
	await Promise.race([work, hasWaited]);
	cancel();
}

/** Empties the index, to be filled again by {@link indexTasks}. */
export async function emptyIndex(search: Database): Promise<void> {
	await store.clearIndex(search);
}

interface Page {
	readonly after: store.SearchPlace | null;
	readonly limit: number;
}

/**
 * A page of the tasks that match, best first.
 *
 * @throws AppError `NOT_READY` when the index cannot be asked.
 */
export async function findTasks(deps: Deps, plan: SearchPlan, page: Page): Promise<store.Match[]> {
	const search = requireIndex(deps);
	try {
		return await store.selectMatches(search, plan, page);
	} catch (error) {
		deps.log.error("search_failed", describeError(error));
		throw unavailable(error);
	}
}

/** @throws AppError `NOT_READY` for a deployment without an index. */
export function requireIndex({ search }: Pick<Deps, "search">): Database {
	if (search === null) throw unavailable();
	return search;
}

const RETRY_AFTER_SECONDS = 30;

function unavailable(cause?: unknown): AppError {
	const message = "Search is not available now. Try again after the seconds in Retry-After. GET /api/v1/tasks lists the open tasks.";
	return new AppError("NOT_READY", { message, retryAfterSeconds: RETRY_AFTER_SECONDS, cause });
}

// Updates the search index after a task has changed. The verbs that change the task try at once, and a duty of the Task object repeats
// failed attempts.

import { type TaskRow, tasks } from "../../../db/task/schema/task.ts";
import { isInvited } from "../../../domain/task-status.ts";
import { SECOND_MS } from "../../../platform/clock.ts";
import { describeError } from "../../../platform/log.ts";
import { waitBriefly } from "../../../platform/wait-briefly.ts";
import type { Database } from "../../../ports/database.ts";
import type { Deps } from "../../../ports/deps.ts";
import type { TaskStore } from "../../../ports/task.ts";
import { readMemberIds, readTask } from "../tasks/store.ts";
import { MAX_INDEX_TRIES, MAX_SPEC_CHARACTERS, nextIndexAt, type TaskRevision } from "./rules.ts";
import { indexTasks } from "./search-index.ts";

/**
 * Reads the parts of a task that the index contains. Reads one more character of each spec than the index stores, to detect that the spec
 * was cut.
 */
export function readIndexable(task: TaskStore): TaskRevision {
	const row = readTask(task);
	const readers = isInvited(row) ? [row.companyId, ...readMemberIds(task)] : null;
	// Test tasks never appear in search.
	const hidden = row.hidden || row.isTest;
	const { id, revision, status, title, description, category, inputSpec, outputSpec } = row;
	const [inputBegin = null, outputBegin = null] = [inputSpec, outputSpec].map((spec) => spec?.slice(0, MAX_SPEC_CHARACTERS + 1));
	return { id, revision, status, hidden, readers, title, description, category, inputSpec: inputBegin, outputSpec: outputBegin };
}

/** A pending attempt keeps the object awake, so it has a timeout. */
const TRY_TIMEOUT_MS = 10 * SECOND_MS;

/**
 * Indexes a task that a verb has changed, so that the caller's next search finds the new state. Never throws, and takes at most a second.
 * If it fails, {@link keepIndexed} repeats it.
 */
export async function indexNow(deps: Deps, task: TaskRevision): Promise<void> {
	if (deps.search === null) return;
	const work = indexTasks(deps.search, [task]).catch((error: unknown) => deps.log.error("search_index_failed", describeError(error)));
	await waitBriefly(deps, work);
}

/** Describes the state of a published task in the index. Texts are not included, because they no longer change. */
function shownState({ status, hidden, membersRevision }: TaskRow): string {
	const state = hidden ? "hidden" : status;
	return membersRevision === 0 ? state : `${state}/${membersRevision}`;
}

const isIndexed = (row: TaskRow) => row.status === "draft" || row.indexedState === shownState(row);

/**
 * Duty of the Task object: indexes the task after its status has changed, or after it was hidden or shown again. Waits at most a second for
 * the index, so that the object can do other work. After the last attempt, only an operator can repair the entry, with `npm run admin --
 * rebuild-search`.
 */
export const keepIndexed = {
	name: "index",
	isInRealTime: true as const,
	dueAt(task: TaskStore): number | null {
		const row = readTask(task);
		if (isIndexed(row)) return null;
		return row.indexTries === 0 ? task.realNow : row.indexAt;
	},
	async work(task: TaskStore, deps: Deps): Promise<void> {
		const row = readTask(task);
		const hasGivenUp = row.indexTries >= MAX_INDEX_TRIES;
		if (hasGivenUp) deps.log.error("search_index_outdated", { task_id: task.id });
		if (deps.search === null || hasGivenUp) saveIndexed(task, row);
		else await waitBriefly(deps, tryToIndex(task, { deps, search: deps.search, row }));
	},
	/** Counts an attempt that may still be running, so that it counts even if the object crashes during the attempt. */
	run(task: TaskStore): void {
		const row = readTask(task);
		if (isIndexed(row)) return;
		task.db
			.update(tasks)
			.set({ indexTries: row.indexTries + 1, indexAt: nextIndexAt(row.indexTries, task.realNow) })
			.run();
	},
};

async function tryToIndex(task: TaskStore, { deps, search, row }: { deps: Deps; search: Database; row: TaskRow }): Promise<void> {
	const { promise: isLate, reject } = Promise.withResolvers<never>();
	const cancel = deps.clock.after(TRY_TIMEOUT_MS, () => reject(new Error("The search index did not respond in time.")));
	try {
		await Promise.race([indexTasks(search, [readIndexable(task)]), isLate]);
		saveIndexed(task, row);
	} catch (error) {
		deps.log.error("search_index_failed", { task_id: task.id, tries: row.indexTries + 1, ...describeError(error) });
	}
	cancel();
}

function saveIndexed({ db }: TaskStore, row: TaskRow): void {
	db.update(tasks)
		.set({ indexedState: shownState(row), indexTries: 0 })
		.run();
}

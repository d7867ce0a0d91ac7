// Provides steps inside Task objects that tests of the API take.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { sql } from "drizzle-orm";
import { refreshEntry as refreshEntryInTask } from "../../src/core/competition/leaderboard/entries.ts";
import { readTask, updateTaskRow } from "../../src/core/competition/tasks/store.ts";
import type { TaskStatus } from "../../src/domain/task-status.ts";
import type { Deps } from "../../src/ports/deps.ts";
import { listBucket } from "./storage.ts";
import { inTask, queryTask } from "./task-object.ts";

/** Returns columns of a task as they are stored. */
export async function readTaskRow<Row extends Record<string, SqlStorageValue>>(taskId: string, columns: string): Promise<Row | null> {
	const [row = null] = await queryTask<Row>(taskId, `select ${columns} from tasks`);
	return row;
}

/** Moves a task directly into a state that needs many steps. */
export async function changeTask(
	taskId: string,
	change: { readonly status?: TaskStatus; readonly deadline?: number; readonly hidden?: boolean },
): Promise<void> {
	// Marks a closed task as settled, so that no work is left to do.
	const settled = change.status === undefined ? {} : { settledAt: change.status === "closed" ? 1 : null };
	await inTask(taskId, (task) => updateTaskRow(task, { ...change, ...settled }));
}

/** Makes this many agents members of an invite-only task. The agents need not exist. */
export async function addMembers(taskId: string, count: number): Promise<void> {
	await inTask(taskId, (task) => {
		task.db.run(sql`with recursive n (i) as (select 1 union all select i + 1 from n where i < ${count})
			insert into members (agent_id, joined_at) select 'member ' || i, 1 from n`);
	});
}

/** Changes columns of a task's submissions as no other code does. `set` and `where` are SQL. */
export async function changeSubmissions(taskId: string, set: string, where = "true"): Promise<void> {
	await inTask(taskId, (task) => {
		const changed = task.db.all<{ id: string }>(
			sql.raw(`update submissions set ${set}, revision = revision + 1 where ${where} returning id`),
		);
		for (const { id } of changed) task.markSubmission(id);
	});
}

/** Gives every entry of a leaderboard these scores, one after the other in one change, as no other code does. */
export async function setBoardScore(taskId: string, ...finalScores: readonly number[]): Promise<void> {
	await inTask(taskId, (task) => {
		for (const finalScore of finalScores) {
			task.db.run(sql`update board set final_score = ${finalScore}`);
			updateTaskRow(task, { boardRevision: readTask(task).boardRevision + 1 });
		}
	});
}

/** Returns the entries of a leaderboard as they are stored. */
export function readBoardRows(taskId: string) {
	type Row = { submission_id: string; rank_key: string; achieved_at: number };
	return queryTask<Row>(taskId, "select submission_id, rank_key, achieved_at from board");
}

/** Updates an agent's entry on the leaderboard, as the end of an evaluation does. */
export async function refreshEntry(taskId: string, agentId: string): Promise<void> {
	await inTask(taskId, (task) => refreshEntryInTask(task, agentId));
}

/** Does what is due in the object of a task, with the clock and the outside world of these dependencies. */
export async function wakeTask(taskId: string, deps: Deps): Promise<void> {
	await runInDurableObject(env.TASK.getByName(taskId), async (object) => {
		const { deps: own } = object.runtime;
		object.runtime.deps = { ...own, ...deps, db: own.db, hubs: own.hubs };
		try {
			await object.alarm();
		} finally {
			object.runtime.deps = own;
		}
	});
}

/** Returns the keys of a task's objects of one kind. */
export function listObjectsOf(taskId: string, kind: "attachments" | "suites"): Promise<string[]> {
	return listBucket(`tasks/${taskId}/${kind}/`);
}

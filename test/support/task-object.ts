// Opens a Task object from inside, for tests that need a state after many steps, or that check what it has stored.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { TASK_PARTS } from "#platform";
import { refreshEntry } from "../../src/core/competition/leaderboard/entries.ts";
import { openTaskDatabase } from "../../src/db/task/database.ts";
import { submissions } from "../../src/db/task/schema/submissions.ts";
import { entries } from "../../src/db/task/schema/task.ts";
import { StoredTask } from "../../src/db/task/stored-task.ts";
import type { Task } from "../../src/durable-objects/task.ts";
import type { TaskStore } from "../../src/ports/task.ts";

/** Runs a change in the object of a task, as a verb does. Returns when its cards and events have been sent. */
export async function inTask<Value>(taskId: string, change: (task: TaskStore) => Value): Promise<Value> {
	return runInDurableObject(env.TASK.getByName(taskId), async (object, { storage }) => {
		const task = openTask(taskId, { object, storage, now: object.runtime.deps.clock.now() });
		const value = storage.transactionSync(() => {
			const changed = change(task);
			task.close();
			return changed;
		});
		await object.alarm();
		return value;
	});
}

/** Waits until the object has tried to send the events of a task's changes, as its alarm does. */
export async function awaitEvents(taskId: string): Promise<void> {
	await inTask(taskId, () => {});
}

interface InsideTask {
	readonly object: Task;
	readonly storage: DurableObjectStorage;
	readonly now: number;
}

/** Opens the object as a verb gets it. Nothing is written for `close` until the caller calls it. */
export function openTask(id: string, { object, storage, now }: InsideTask): StoredTask {
	const { config, ids } = object.runtime.deps;
	return new StoredTask({ id, db: openTaskDatabase(storage), config, realNow: now, parts: TASK_PARTS.joints, newId: () => ids.next() });
}

/** Returns the ids of events that the object of a task has recorded but not sent yet. */
export function listOwedEvents(taskId: string): Promise<{ id: string }[]> {
	return queryTask<{ id: string }>(taskId, "select id from outbox");
}

/** Returns rows of a hand-written query in the object of a task. */
export function queryTask<Row extends Record<string, SqlStorageValue>>(
	taskId: string,
	sql: string,
	...parameters: unknown[]
): Promise<Row[]> {
	return runInDurableObject(env.TASK.getByName(taskId), (_, { storage }) => storage.sql.exec<Row>(sql, ...parameters).toArray());
}

/** Returns every row of every table of a task's object, without what an alarm records about the search index after the publish. */
export async function snapshotTask(taskId: string): Promise<Readonly<Record<string, unknown>>> {
	const tables = await queryTask<{ name: string }>(
		taskId,
		"select name from sqlite_master where type = 'table' and name not in ('outbox') and name not like '_cf_%' and name not like 'sqlite_%' and name not like '\\_\\_%' escape '\\'",
	);
	const rows = await Promise.all(tables.map(async ({ name }) => [name, await queryTask(taskId, `select * from "${name}"`)] as const));
	const withoutIndex = ({ indexed_state: _, index_tries: __, index_at: ___, ...task }: Record<string, unknown>) => task;
	return Object.fromEntries(rows.map(([name, found]) => [name, name === "tasks" ? found.map(withoutIndex) : found]));
}

interface SeededScore {
	readonly displayName?: string;
	readonly submissionId: string;
	readonly agentId: string;
	readonly score: number;
	readonly createdAt: number;
}

/** Inserts one scored submission of an agent with its entry. */
export function insertScored(
	task: TaskStore,
	{ submissionId, agentId, displayName = `Name of ${agentId.slice(-4)}`, score, createdAt }: SeededScore,
): void {
	task.db.insert(entries).values({ agentId, party: agentId, quotaUsed: 1, createdAt }).onConflictDoNothing().run();
	task.db
		.insert(submissions)
		.values({
			id: submissionId,
			agentId,
			status: "completed",
			evaluated: true,
			agentDisplayName: displayName,
			finalScore: score,
			judgeScore: score,
			llmScore: score,
			evaluatedAt: createdAt,
			iteration: 1,
			createdAt,
			updatedAt: createdAt,
		})
		.run();
	task.markSubmission(submissionId);
	refreshEntry(task, agentId);
}

/** Returns the first column of the first row of a hand-written query in the object of a task, as a number. */
export async function countInTask(taskId: string, sql: string, ...parameters: unknown[]): Promise<number> {
	const [row = {}] = await queryTask(taskId, sql, ...parameters);
	return Number(Object.values(row)[0] ?? 0);
}

/** Counts the requested evaluations of a submission: the jobs that have not ended, and the results of ended ones. */
export function countAskedEvaluations(taskId: string, submissionId: string): Promise<number> {
	const text =
		"select (select count(*) from jobs where subject_id = ?1 and kind = 'evaluation') + (select count(*) from evaluations where submission_id = ?1)";
	return countInTask(taskId, text, submissionId);
}

export interface ArtifactColumns {
	readonly [column: string]: SqlStorageValue;
	readonly key: string | null;
	readonly bytes: number | null;
	/** The hash is in lower-case hex. */
	readonly sha256: string | null;
}

/** Reads what a submission's row says about its artifact. */
export async function readArtifactOf(taskId: string, submissionId: string): Promise<ArtifactColumns> {
	const text = "select artifact_key as key, artifact_bytes as bytes, artifact_sha256 as sha256 from submissions where id = ?";
	const [row] = await queryTask<ArtifactColumns>(taskId, text, submissionId);
	if (row === undefined) throw new Error("There is no such submission.");
	return row;
}

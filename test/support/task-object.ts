// The inside of a Task object, for tests that begin where a verb would need many steps, or that look at what it has stored.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import type { Task } from "../../durable-objects/task.ts";
import { openTaskDatabase } from "../../src/db/task/database.ts";
import { submissions } from "../../src/db/task/schema/submissions.ts";
import { entries } from "../../src/db/task/schema/task.ts";
import { StoredTask } from "../../src/db/task/stored-task.ts";
import { refreshEntry } from "../../src/features/competition/leaderboard/entries.ts";
import type { TaskStore } from "../../src/ports/task.ts";

/** Runs a change in the object of a task, as a verb does. Its cards and events are out when this returns. */
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

/** Waits until what a task's changes owe the outside was tried, as its alarm tries it. */
export async function awaitEvents(taskId: string): Promise<void> {
	await inTask(taskId, () => {});
}

interface InsideTask {
	readonly object: Task;
	readonly storage: DurableObjectStorage;
	readonly now: number;
}

/** What a verb gets. Nothing is written for `close` until the caller calls it. */
export function openTask(id: string, { object, storage, now }: InsideTask): StoredTask {
	const { config, ids } = object.runtime.deps;
	return new StoredTask({ id, db: openTaskDatabase(storage), config, now, newId: () => ids.next() });
}

/** Rows of a hand-written query in the object of a task. */
export function queryTask<Row extends Record<string, SqlStorageValue>>(
	taskId: string,
	sql: string,
	...parameters: unknown[]
): Promise<Row[]> {
	return runInDurableObject(env.TASK.getByName(taskId), (_, { storage }) => storage.sql.exec<Row>(sql, ...parameters).toArray());
}

/** Every row of every table of a task's object. */
export async function snapshotTask(taskId: string): Promise<Readonly<Record<string, unknown>>> {
	const tables = await queryTask<{ name: string }>(
		taskId,
		"select name from sqlite_master where type = 'table' and name not in ('outbox') and name not like '_cf_%' and name not like 'sqlite_%' and name not like '\\_\\_%' escape '\\'",
	);
	const rows = await Promise.all(tables.map(async ({ name }) => [name, await queryTask(taskId, `select * from "${name}"`)] as const));
	return Object.fromEntries(rows);
}

interface SeededScore {
	readonly submissionId: string;
	readonly agentId: string;
	readonly score: number;
	readonly createdAt: number;
}

/** One scored submission of an agent with its entry. */
export function insertScored(task: TaskStore, { submissionId, agentId, score, createdAt }: SeededScore): void {
	task.db.insert(entries).values({ agentId, party: agentId, quotaUsed: 1, createdAt }).onConflictDoNothing().run();
	task.db
		.insert(submissions)
		.values({
			id: submissionId,
			agentId,
			status: "completed",
			evaluated: true,
			agentDisplayName: `Name of ${agentId.slice(-4)}`,
			finalScore: score,
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

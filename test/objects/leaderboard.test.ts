// Tests the leaderboard inside a Task object: what a rank costs, and who has won.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { openTaskDatabase } from "../../src/db/task/database.ts";
import { submissions } from "../../src/db/task/schema/submissions.ts";
import { StoredTask } from "../../src/db/task/stored-task.ts";
import { refreshEntry } from "../../src/features/competition/leaderboard/entries.ts";
import { boardOf } from "../../src/features/competition/leaderboard/read-board.ts";
import { closeTask } from "../../src/features/competition/lifecycle/close-task.ts";
import { readTask } from "../../src/features/competition/tasks/store.ts";
import type { TaskStore } from "../../src/ports/task.ts";
import { openTask, registerAgent } from "../support/scenario.ts";
import { queryOne } from "../support/storage.ts";
import { insertScored, inTask } from "../support/task-object.ts";

const poster = await registerAgent("Poster");

/** Counts the rows that a read in the object of a task reads. */
function countRowsRead<Value>(taskId: string, read: (task: TaskStore) => Value): Promise<{ value: Value; rows: number }> {
	return runInDurableObject(env.TASK.getByName(taskId), (object, { storage }) => {
		const { config, clock, ids } = object.runtime.deps;
		const cursors: SqlStorageCursor<Record<string, SqlStorageValue>>[] = [];
		const sql = new Proxy(storage.sql, {
			get: (target, name) => {
				const exec = (query: string, ...bindings: unknown[]) => {
					const cursor = target.exec(query, ...bindings);
					cursors.push(cursor);
					return cursor;
				};
				return name === "exec" ? exec : Reflect.get(target, name, target);
			},
		});
		const counted = new Proxy(storage, { get: (target, name) => (name === "sql" ? sql : Reflect.get(target, name, target)) });
		const task = new StoredTask({ id: taskId, db: openTaskDatabase(counted), config, now: clock.now(), newId: () => ids.next() });
		const value = read(task);
		return { value, rows: cursors.reduce((sum, { rowsRead }) => sum + rowsRead, 0) };
	});
}

/** Returns an open task with this many entries; agent n has the rank n. */
async function largeBoard(total: number): Promise<string> {
	const taskId = await openTask(poster);
	await runInDurableObject(env.TASK.getByName(taskId), (_, { storage }) => {
		storage.sql.exec(
			`with recursive n(i) as (select 1 union all select i + 1 from n where i < ?)
			insert into board (rank_key, agent_id, submission_id, agent_name, final_score, spread, achieved_at)
			select printf('1%04x%011x%036d', i, i, i), 'agent ' || i, printf('%036d', i), 'Agent ' || i, 100 - i / 100.0, 1, i from n`,
			total,
		);
	});
	return taskId;
}

describe("a board of 10,000 entries", () => {
	it("with the last agent's rank reads at most 10,000 rows and a page", async () => {
		const taskId = await largeBoard(10_000);
		const request = { agentId: "agent 10000", after: "", limit: 100 };
		const { value, rows } = await countRowsRead(taskId, (task) => boardOf(task, readTask(task), request));
		expect(value.mine).toMatchObject({ rank: 10_000, below: [] });
		expect(value.mine?.above).toHaveLength(20);
		expect(value.rows).toHaveLength(101);
		expect(rows).toBeLessThan(10_000 + 200);
	});

	it("counts the ranks before a later page once", async () => {
		const taskId = await largeBoard(10_000);
		const first = await countRowsRead(taskId, (task) => boardOf(task, readTask(task), { agentId: "", after: "", limit: 100 }));
		expect(first.rows).toBeLessThan(200);
		const hex = (9_000).toString(16);
		const after = `1${hex.padStart(4, "0")}${hex.padStart(11, "0")}${String(9_000).padStart(36, "0")}`;
		const { value, rows } = await countRowsRead(taskId, (task) => boardOf(task, readTask(task), { agentId: "", after, limit: 100 }));
		expect(value).toMatchObject({ ranksBefore: 9_000, before: 20 });
		expect(value.rows[0]?.agentName).toBe("Agent 9001");
		expect(rows).toBeLessThan(9_000 + 200);
	});
});

describe("the winner of a closed task", () => {
	const winnerOf = async (taskId: string) =>
		(await queryOne<{ winner_id: string | null }>("select winner_id from task_cards where id = ?", taskId))?.winner_id;
	const score = (taskId: string, agentId: string, points: number) =>
		inTask(taskId, (task) => insertScored(task, { submissionId: task.newId(), agentId, score: points, createdAt: task.now }));

	it("is known once it closes, changes with a late score, and changes back with a void", async () => {
		const taskId = await openTask(poster);
		const [first, late] = [await registerAgent("First"), await registerAgent("Late")];
		await score(taskId, first.agentId, 60);
		expect(await winnerOf(taskId)).toBeNull();
		await poster.call(closeTask, { params: { id: taskId } });
		expect(await winnerOf(taskId)).toBe(first.agentId);
		await score(taskId, late.agentId, 70);
		expect(await winnerOf(taskId)).toBe(late.agentId);
		for (const [loser, winner] of [
			[late.agentId, first.agentId],
			[first.agentId, null],
		] as const) {
			await inTask(taskId, (task) => {
				const voided = { voidedAt: 1, voidReason: "It is stolen." };
				task.db.update(submissions).set(voided).where(eq(submissions.agentId, loser)).run();
				refreshEntry(task, loser);
			});
			expect(await winnerOf(taskId)).toBe(winner);
		}
	});
});

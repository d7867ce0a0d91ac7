// Tests the Task object itself: what it stores, what it leaves in the directory, and what asking for an unknown task leaves behind.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { createTask } from "../../src/features/competition/tasks/create-task.ts";
import { getTask } from "../../src/features/competition/tasks/get-task.ts";
import { updateTask } from "../../src/features/competition/tasks/update-task.ts";
import { registerAgent, taskInput } from "../support/scenario.ts";
import { queryOne } from "../support/storage.ts";

const poster = await registerAgent("Poster");

it("keeps a draft in its own object, and a card of it in the directory", async () => {
	const { id } = await poster.call(createTask, { body: taskInput() });
	expect(await poster.call(getTask, { params: { id } })).toMatchObject({ id, status: "draft" });
	expect(await queryOne("select company_id, status, title from task_cards where id = ?", id)).toEqual({
		company_id: poster.agentId,
		status: "draft",
		title: "Parse CSV files",
	});
});

it("stores nothing for a task that does not exist", async () => {
	const id = crypto.randomUUID();
	await poster.refused(getTask, "NOT_FOUND", { params: { id } });
	const tables = await runInDurableObject(env.TASK.getByName(id), (_, state) => [
		...state.storage.sql.exec("select name from sqlite_master where name not like '_cf_%'"),
	]);
	expect(tables).toEqual([]);
});

it("refuses what has no room with DATABASE_FULL, while reads and other tasks go on", async () => {
	const { id } = await poster.call(createTask, { body: taskInput() });
	const isFull = await runInDurableObject(env.TASK.getByName(id), (_, { storage }) => {
		const exec = storage.sql.exec.bind(storage.sql);
		const full: typeof exec = (query, ...bindings) => {
			if (/^\s*(?:insert|update)\b/i.test(query)) throw new Error("database or disk is full: SQLITE_FULL");
			return exec(query, ...bindings);
		};
		Object.assign(storage.sql, { exec: full });
		return storage.sql.exec === full;
	});
	expect(isFull).toBe(true);
	await poster.refused(updateTask, "DATABASE_FULL", { params: { id }, body: { title: "Parse more files" } });
	expect(await poster.call(getTask, { params: { id } })).toMatchObject({ title: "Parse CSV files" });
	const other = await poster.call(createTask, { body: taskInput() });
	expect(await poster.call(updateTask, { params: { id: other.id }, body: { title: "Parse more files" } })).toMatchObject({ id: other.id });
});

// Tests what a Task object stores, what it writes to the directory, and that a request for an unknown task stores nothing.
import { listDurableObjectIds, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { endpoints } from "../support/app.ts";
import { CREDENTIALS } from "../support/common-fixtures.ts";
import { registerAgent, taskInput } from "../support/scenario.ts";
import { queryOne, snapshotStorage } from "../support/storage.ts";

const poster = await registerAgent("Poster");

it("keeps a draft in its own object, and a card of it in the directory", async () => {
	const { id } = await poster.call("createTask", { body: taskInput() });
	expect(await poster.call("getTask", { params: { id } })).toMatchObject({ id, status: "draft" });
	expect(await queryOne("select company_id, status, title from task_cards where id = ?", id)).toEqual({
		company_id: poster.agentId,
		status: "draft",
		title: "Parse CSV files",
	});
});

describe("a task or submission that does not exist", async () => {
	const callers = Object.fromEntries(
		await Promise.all(Object.entries(CREDENTIALS).map(async ([auth, { obtain }]) => [auth, await obtain()] as const)),
	);
	const reading = endpoints.filter(({ method, path }) => method === "get" && /\/(tasks|submissions|trials|dry-runs)\/\{id\}/.test(path));

	it("is named by several endpoints", () => {
		expect(reading.length).toBeGreaterThan(30);
	});

	it.each(reading)("stores nothing when it is read: $operationId", async (contract) => {
		const id = crypto.randomUUID();
		const before = [await snapshotStorage(), await listObjects()];
		const { status } = await (callers[contract.auth] ?? poster).send(contract, { params: { id, attachmentId: id, path: "SUBMISSION.md" } });
		expect(status).toBe(404);
		expect([await snapshotStorage(), await listObjects()]).toEqual(before);
		const tables = await runInDurableObject(env.TASK.getByName(id), (_, { storage }) =>
			storage.sql.exec("select name from sqlite_master where name not like '_cf_%'").toArray(),
		);
		expect(tables).toEqual([]);
	});
});

/**
 * Returns how many objects of each kind have something on disk. Objects of tasks are left out, because a request opens their empty
 * database.
 */
async function listObjects(): Promise<readonly number[]> {
	const ids = await Promise.all([
		listDurableObjectIds(env.BOUNTIES),
		listDurableObjectIds(env.WORKSPACE),
		listDurableObjectIds(env.TOPIC_RELAY),
		listDurableObjectIds(env.WEBHOOK_SENDER),
		listDurableObjectIds(env.TARGET_HOST),
	]);
	return ids.map(({ length }) => length);
}

it.each([
	["the first", /^\s*(?:insert|update)\b/i],
	["the last", /^\s*insert into "outbox"/i],
])("refuses with DATABASE_FULL if %s write has no room, while reads and other tasks continue", async (_name, withoutRoom) => {
	const { id } = await poster.call("createTask", { body: taskInput() });
	const isFull = await runInDurableObject(env.TASK.getByName(id), (_, { storage }) => {
		const exec = storage.sql.exec.bind(storage.sql);
		const full: typeof exec = (query, ...bindings) => {
			if (withoutRoom.test(query)) throw new Error("database or disk is full: SQLITE_FULL");
			return exec(query, ...bindings);
		};
		Object.assign(storage.sql, { exec: full });
		return storage.sql.exec === full;
	});
	expect(isFull).toBe(true);
	await poster.refused("updateTask", "DATABASE_FULL", { params: { id }, body: { title: "Parse more files" } });
	expect(await poster.call("getTask", { params: { id } })).toMatchObject({ title: "Parse CSV files" });
	const other = await poster.call("createTask", { body: taskInput() });
	expect(await poster.call("updateTask", { params: { id: other.id }, body: { title: "Parse more files" } })).toMatchObject({
		id: other.id,
	});
});

// What must hold of the objects in the bucket and the rows that refer to them.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect } from "vitest";
import { usesTaskObjects } from "../../src/compose/house.ts";
import { STORED_OBJECTS } from "../../src/compose/stored-objects.ts";
import { hasTables, openTaskDatabase } from "../../src/db/task/database.ts";
import { collectObjects as collectOfTask } from "../../src/features/competition/tasks/collect.ts";
import { collectObjects } from "../../src/features/stored-objects/service.ts";
import { HOUR_MS } from "../../src/platform/clock.ts";
import type { Deps } from "../../src/ports/deps.ts";
import type { TaskStore } from "../../src/ports/task.ts";
import { manualClock, testDeps } from "./deps.ts";
import { listBucket, queryAll } from "./storage.ts";
import { openTask } from "./task-object.ts";

/** Collects everywhere, two hours from now unless the clock is given. */
export async function collectAll(change: Partial<Deps> = {}): Promise<void> {
	const deps = testDeps({ clock: manualClock(Date.now() + 2 * HOUR_MS), ...change });
	if (usesTaskObjects) await eachTask((task) => collectOfTask.work(task, deps), deps.clock.now());
	else for (const objects of STORED_OBJECTS) await collectObjects(deps, objects);
}

/** Calls a function in the object of every task that has a card or a stored object. */
async function eachTask<Value>(call: (task: TaskStore) => Promise<Value> | Value, now = Date.now()): Promise<Value[]> {
	const carded = await queryAll<{ id: string }>("select id from task_cards");
	const stored = (await listBucket("tasks/")).map((key) => key.split("/")[1] ?? "");
	const values: Value[] = [];
	for (const id of new Set([...carded.map((card) => card.id), ...stored])) {
		await runInDurableObject(env.TASK.getByName(id), async (object, { storage }) => {
			if (hasTables(openTaskDatabase(storage))) values.push(await call(openTask(id, { object, storage, now })));
		});
	}
	return values;
}

/** Keys that rows refer to. */
async function referencedKeys(): Promise<string[]> {
	if (usesTaskObjects) return (await eachTask(keysOfTask)).flat().toSorted();
	const rows = await queryAll<{ key: string }>(`
		select artifact_key as key from submissions where artifact_key is not null
		union select report_key from evaluations
		union select report_key from submissions where report_key is not null
		union select 'attachments/' || task_id || '/' || id from attachments
		union select test_suite_key from tasks where test_suite_key is not null`);
	// D1 takes five terms in one compound select.
	const others = await queryAll<{ key: string }>(`
		select artifact_key as key from trials where artifact_key is not null and finished_at is null
		union select report_key from trials where report_key is not null`);
	return [...rows, ...others].map(({ key }) => key).toSorted();
}

function keysOfTask({ db }: TaskStore): string[] {
	const rows = db.all<{ key: string }>(`
		select artifact_key as key from submissions where artifact_key is not null
		union select artifact_key from trials where artifact_key is not null
		union select 'tasks/' || tasks.id || '/attachments/' || attachments.id from attachments, tasks
		union select test_suite_key from tasks where test_suite_key is not null`);
	return rows.map(({ key }) => key);
}

/** Keys of objects that belong to rows. Those of uploads and workspaces do not. */
async function storedKeys(): Promise<string[]> {
	return (await listBucket()).filter((key) => !/^(uploads|workspace)\//.test(key)).toSorted();
}

export async function expectObjectForEveryRow(): Promise<void> {
	expect(await storedKeys()).toEqual(expect.arrayContaining(await referencedKeys()));
}

export async function expectObjectsOfRowsOnly(): Promise<void> {
	expect(await storedKeys()).toEqual(await referencedKeys());
}

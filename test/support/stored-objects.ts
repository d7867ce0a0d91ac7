// Checks that the objects in the bucket and the rows that refer to them agree.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect } from "vitest";
import { collectObjects } from "../../src/core/competition/tasks/stored-objects.ts";
import { hasTables, openTaskDatabase } from "../../src/db/task/database.ts";
import { copies } from "../../src/db/task/schema/copies.ts";
import { copyFolder, manifestKey, pageKey, readManifest } from "../../src/extensions/copies/manifest.ts";
import { HOUR_MS } from "../../src/platform/clock.ts";
import type { Deps } from "../../src/ports/deps.ts";
import type { TaskStore } from "../../src/ports/task.ts";
import { testDeps } from "./deps.ts";
import { manualClock } from "./manual-clock.ts";
import { listArtifactKeys, listBucket, queryAll } from "./storage.ts";
import { openTask, queryTask } from "./task-object.ts";

/** Deletes unused stored objects in the object of every task, two hours from now unless a clock is given. */
export async function collectAll(change: Partial<Deps> = {}): Promise<void> {
	const deps = testDeps({ clock: manualClock(Date.now() + 2 * HOUR_MS), ...change });
	await eachTask((task) => collectObjects.work(task, deps), deps.clock.now());
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

/** Returns the keys that rows refer to, and the key of the object that marks each task. */
async function referencedKeys(): Promise<string[]> {
	return (await eachTask(keysOfTask)).flat().toSorted();
}

function keysOfTask({ db }: TaskStore): string[] {
	const rows = db.all<{ key: string }>(`
		select 'tasks/' || id || '/task' as key from tasks
		union select artifact_key from submissions where artifact_key is not null
		union select artifact_key from trials where artifact_key is not null and (status = 'running' or kind = 'dry_run' and (reference = 1 or exists (select 1 from tasks where tasks.status = 'draft')))
		union select 'tasks/' || tasks.id || '/attachments/' || attachments.id from attachments, tasks
		union select test_suite_key from tasks where test_suite_key is not null`);
	return rows.map(({ key }) => key);
}

const OF_COPY = /^tasks\/[^/]+\/copy\//;

/** Returns the keys of objects that must belong to rows: all except uploads, workspaces, copies, and an index next to its artifact. */
async function storedKeys(): Promise<string[]> {
	const keys = await listBucket();
	const isIndex = (key: string) => key.endsWith(".index") && keys.includes(key.slice(0, -".index".length));
	return keys.filter((key) => !/^(uploads|workspaces?)\//.test(key) && !OF_COPY.test(key) && !isIndex(key)).toSorted();
}

export async function expectObjectForEveryRow(): Promise<void> {
	expect(await storedKeys()).toEqual(expect.arrayContaining(await referencedKeys()));
}

export async function expectObjectsOfRowsOnly(): Promise<void> {
	expect(await storedKeys()).toEqual(await referencedKeys());
}

/**
 * Expects that the newest copy of each task is complete, and that there is no other copy, except one that is being made or must still be
 * deleted.
 */
export async function expectCopies(): Promise<void> {
	const books = await eachTask(({ db, id }) => ({ id, book: db.select().from(copies).get() ?? null }));
	for (const { id, book } of books) {
		const prefix = `tasks/${id}/copy/`;
		const keys = await listBucket(prefix);
		const manifest = book?.revision == null ? null : await readManifest(env.BUCKET, copyFolder(prefix, book.revision));
		expect(manifest === null, id).toBe(book?.revision == null);
		const folder = copyFolder(prefix, manifest?.revision ?? "");
		const whole = manifest === null ? [] : [manifestKey(folder), ...manifest.pages.map((page) => pageKey(folder, page))];
		expect(keys).toEqual(expect.arrayContaining(whole));
		const isUnsettled = book !== null && (book.underWay !== null || book.mustClean);
		if (!isUnsettled) expect(keys.toSorted()).toEqual(whole.toSorted());
	}
}

/** Expects that each object belongs to a submission and each submission has its object, so the loser of a race was cleaned up. */
export async function expectArtifactsOfRowsOnly(id: string): Promise<void> {
	const rows = await queryTask<{ key: string }>(id, "select artifact_key as key from submissions");
	const keys = rows.map(({ key }) => key).toSorted();
	await expect.poll(async () => (await listArtifactKeys(`tasks/${id}/artifacts/`)).toSorted()).toEqual(keys);
}

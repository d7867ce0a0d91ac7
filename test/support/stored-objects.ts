// What must hold of the objects in the bucket and the rows that refer to them.
import { expect } from "vitest";
import { STORED_OBJECTS } from "../../src/compose/stored-objects.ts";
import { collectObjects } from "../../src/features/stored-objects/service.ts";
import { HOUR_MS } from "../../src/platform/clock.ts";
import type { Deps } from "../../src/ports/deps.ts";
import { manualClock, testDeps } from "./deps.ts";
import { listBucket, queryAll } from "./storage.ts";

/** Collects under every prefix, two hours from now unless the clock is given. */
export async function collectAll(change: Partial<Deps> = {}): Promise<void> {
	const deps = testDeps({ clock: manualClock(Date.now() + 2 * HOUR_MS), ...change });
	for (const objects of STORED_OBJECTS) await collectObjects(deps, objects);
}

/** Keys that rows refer to. */
async function referencedKeys(): Promise<string[]> {
	const rows = await queryAll<{ key: string }>(`
		select artifact_key as key from submissions where artifact_key is not null
		union select report_key from evaluations
		union select report_key from submissions where report_key is not null
		union select 'attachments/' || task_id || '/' || id from attachments
		union select test_suite_key from tasks where test_suite_key is not null`);
	// D1 takes five terms in one compound select.
	const others = await queryAll<{ key: string }>(`
		select artifact_key as key from trials where artifact_key is not null and finished_at is null
		union select report_key from trials where report_key is not null
		union select key from task_archives where key is not null`);
	return [...rows, ...others].map(({ key }) => key).toSorted();
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

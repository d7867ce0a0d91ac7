// Provides steps around the copies of tasks in the bucket.
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { copyPrefix } from "../../src/core/competition/tasks/stored-objects.ts";
import { findManifest } from "../../src/extensions/copies/manifest.ts";
import { DAY_MS } from "../../src/platform/clock.ts";
import { testDeps } from "./deps.ts";
import { wakeTask } from "./house.ts";
import { manualClock } from "./manual-clock.ts";
import { listBucket } from "./storage.ts";
import { queryTask } from "./task-object.ts";

export const copyKeys = (taskId: string) => listBucket(copyPrefix(taskId));
export const newestCopy = (taskId: string) => findManifest(env.BUCKET, copyPrefix(taskId));

/** Destroys the object of a task with all that it has stored and remembers. Its copies and its cards stay. */
export async function destroyTask(taskId: string): Promise<void> {
	const stub = env.TASK.getByName(taskId);
	await runInDurableObject(stub, (_, { storage }) => Promise.all([storage.deleteAlarm(), storage.deleteAll()]));
	await evictDurableObject(stub);
}

/** Has a task copied as on the next day, once it has sent everything, and destroys it. */
export async function loseTask(taskId: string, now: number): Promise<void> {
	while ((await queryTask(taskId, "select id from outbox")).length > 0) await scheduler.wait(5);
	await wakeTask(taskId, testDeps({ clock: manualClock(now + DAY_MS + 1) }));
	await destroyTask(taskId);
}

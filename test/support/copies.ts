// Provides steps around the copies of tasks and workspaces in the bucket.
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { copyPrefix } from "../../src/core/competition/tasks/stored-objects.ts";
import { findManifest } from "../../src/extensions/copies/manifest.ts";
import { testDeps } from "./deps.ts";
import { wakeTask } from "./house.ts";
import { manualClock } from "./manual-clock.ts";
import { listBucket } from "./storage.ts";
import { queryTask } from "./task-object.ts";

export const copyKeys = (taskId: string) => listBucket(copyPrefix(taskId));
export const newestCopy = (taskId: string) => findManifest(env.BUCKET, copyPrefix(taskId));

/** Keeps a task from being copied, so that nothing else is due or stored. */
export async function holdCopies(taskId: string): Promise<void> {
	await queryTask(taskId, "update copies set next_try_at = 9000000000000000");
}

/** Destroys the object of a task with all that it has stored and remembers. Its copies and its cards stay. */
export async function destroyTask(taskId: string): Promise<void> {
	const stub = env.TASK.getByName(taskId);
	await runInDurableObject(stub, (_, { storage }) => Promise.all([storage.deleteAlarm(), storage.deleteAll()]));
	await evictDurableObject(stub);
}

/** Copies a task as if its first change was long ago, once it has sent everything. Then destroys it. */
export async function loseTask(taskId: string, now: number): Promise<void> {
	while ((await queryTask(taskId, "select id from outbox")).length > 0) await scheduler.wait(5);
	await queryTask(taskId, "update copies set changed_at = 1");
	await wakeTask(taskId, testDeps({ clock: manualClock(now) }));
	await destroyTask(taskId);
}

/** Copies a workspace as if its first change was long ago. Then destroys it. */
export async function loseWorkspace(agentId: string): Promise<void> {
	const stub = env.WORKSPACE.getByName(agentId);
	await copyWorkspace(agentId);
	await runInDurableObject(stub, (_, { storage }) => Promise.all([storage.deleteAlarm(), storage.deleteAll()]));
	await evictDurableObject(stub);
}

/** Copies a workspace as if its last copy and its change were long ago. */
export async function copyWorkspace(agentId: string): Promise<void> {
	await runInDurableObject(env.WORKSPACE.getByName(agentId), async (object, { storage }) => {
		storage.sql.exec("update copies set changed_at = 1, copied_at = iif(copied_at is null, null, 1)");
		await object.alarm();
	});
}

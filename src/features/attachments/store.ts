import { and, asc, eq, lte, sql } from "drizzle-orm";
import { selectValues } from "../../db/insert-select.ts";
import { attachments, discardedObjects } from "../../db/schema/attachments.ts";
import { tasks } from "../../db/schema/tasks.ts";
import type { Deps } from "../../ports/deps.ts";

export type AttachmentRow = typeof attachments.$inferSelect;

const taskColumns = { companyId: tasks.companyId, status: tasks.status };

/** A task with all of its attachments, oldest first, in one round trip. */
export async function findAttachments(deps: Deps, taskId: string) {
	const [[task], rows] = await deps.db.query.batch([selectTask(deps, taskId), selectAttachments(deps, taskId)]);
	return { task: task ?? null, rows };
}

interface Reservation {
	readonly taskId: string;
	readonly agentId: string;
	/** The object that is about to be stored. */
	readonly key: string;
	/** When the sweep may delete the object, unless its row exists by then. */
	readonly dueAt: number;
}

/** Records, for the owner of the task, the object that is about to be stored. Returns what {@link findAttachments} returns, in the same round trip. */
export async function reserveObject(deps: Deps, { taskId, agentId, key, dueAt }: Reservation) {
	const reservation = deps.db.query
		.insert(discardedObjects)
		.select(selectValues(discardedObjects, { key, dueAt }, sql`from tasks where id = ${taskId} and company_id = ${agentId}`))
		.onConflictDoNothing();
	const [[task], rows] = await deps.db.query.batch([selectTask(deps, taskId), selectAttachments(deps, taskId), reservation]);
	return { task: task ?? null, rows };
}

function selectTask(deps: Deps, taskId: string) {
	return deps.db.query.select(taskColumns).from(tasks).where(eq(tasks.id, taskId));
}

function selectAttachments(deps: Deps, taskId: string) {
	return deps.db.query.select().from(attachments).where(eq(attachments.taskId, taskId)).orderBy(asc(attachments.id));
}

export async function selectDiscarded(deps: Deps, { now, limit }: { now: number; limit: number }): Promise<string[]> {
	const rows = await deps.db.query
		.select({ key: discardedObjects.key })
		.from(discardedObjects)
		.where(lte(discardedObjects.dueAt, now))
		.orderBy(asc(discardedObjects.dueAt))
		.limit(limit);
	return rows.map(({ key }) => key);
}

export async function forgetDiscarded(deps: Deps, keys: readonly string[], now: number): Promise<void> {
	await deps.db.query
		.delete(discardedObjects)
		.where(and(sql`${discardedObjects.key} in (select value from json_each(${JSON.stringify(keys)}))`, lte(discardedObjects.dueAt, now)));
}

import { and, asc, eq, lte, sql } from "drizzle-orm";
import { guard } from "../../db/commit.ts";
import { discardObject } from "../../db/discarded-objects.ts";
import { attachments, discardedObjects } from "../../db/schema/attachments.ts";
import { tasks } from "../../db/schema/tasks.ts";
import type { Statement } from "../../ports/database.ts";
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
	/** When it counts as left behind, unless its row has come. */
	readonly dueAt: number;
}

/** Like {@link findAttachments}; for the task's owner it also notes the object that is about to be stored. */
export async function reserveObject(deps: Deps, { taskId, agentId, key, dueAt }: Reservation) {
	const reservation = deps.db.query
		.insert(discardedObjects)
		.select(sql`select ${key}, ${dueAt} from tasks where id = ${taskId} and company_id = ${agentId}`)
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

export function guardCount(deps: Deps, taskId: string, max: number): Statement {
	return guard(deps.db, sql`(select count(*) from attachments where task_id = ${taskId}) < ${max}`);
}

export function insertAttachment(deps: Deps, row: AttachmentRow): Statement {
	return deps.db.query.insert(attachments).values(row);
}

export function guardAttachment(deps: Deps, attachmentId: string): Statement {
	return guard(deps.db, sql`exists (select 1 from attachments where id = ${attachmentId})`);
}

/** Removes a row and notes its object for deletion. */
export function deleteAttachment(deps: Deps, attachmentId: string, object: { key: string; dueAt: number }): Statement[] {
	return [deps.db.query.delete(attachments).where(eq(attachments.id, attachmentId)), discardObject(deps.db, object)];
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

import { and, asc, eq, sql } from "drizzle-orm";
import { attachments } from "../../db/schema/attachments.ts";
import { tasks } from "../../db/schema/tasks.ts";
import type { Deps } from "../../ports/deps.ts";

export type AttachmentRow = typeof attachments.$inferSelect;

const taskColumns = { id: tasks.id, companyId: tasks.companyId, status: tasks.status, hidden: tasks.hidden };

/** A task with all of its attachments, oldest first, in one round trip. */
export async function findAttachments(deps: Deps, taskId: string) {
	const [[task], rows] = await deps.db.query.batch([selectTask(deps, taskId), selectAttachments(deps, taskId)]);
	return { task: task ?? null, rows };
}

function selectTask(deps: Deps, taskId: string) {
	return deps.db.query.select(taskColumns).from(tasks).where(eq(tasks.id, taskId));
}

function selectAttachments(deps: Deps, taskId: string) {
	return deps.db.query.select().from(attachments).where(eq(attachments.taskId, taskId)).orderBy(asc(attachments.id));
}

export async function hasAttachment(deps: Deps, taskId: string, attachmentId: string): Promise<boolean> {
	const rows = await deps.db.query
		.select({ id: attachments.id })
		.from(attachments)
		.where(and(eq(attachments.id, attachmentId), eq(attachments.taskId, taskId)));
	return rows.length > 0;
}

interface ObjectOfAttachment {
	readonly key: string;
	readonly taskId: string;
	readonly attachmentId: string;
}

/** The keys of those objects whose attachment does not exist. */
export async function selectUnreferenced(deps: Deps, objects: readonly ObjectOfAttachment[]): Promise<string[]> {
	const rows = await deps.db.query.all<{ key: string }>(sql`
		select value->>'key' as key from json_each(${JSON.stringify(objects)})
		where not exists (select 1 from attachments where id = value->>'attachmentId' and task_id = value->>'taskId')`);
	return rows.map(({ key }) => key);
}

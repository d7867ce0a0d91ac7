import { eq, sql } from "drizzle-orm";
import { guard } from "../../db/commit.ts";
import { attachments } from "../../db/schema/attachments.ts";
import type { Statement } from "../../ports/database.ts";
import type { Deps } from "../../ports/deps.ts";
import type { AttachmentRow } from "./store.ts";

/** Holds while the task exists and has fewer than `max` attachments. */
export function guardCount(deps: Deps, taskId: string, max: number): Statement {
	const isTask = sql`exists (select 1 from tasks where id = ${taskId})`;
	return guard(deps.db, sql`${isTask} and (select count(*) from attachments where task_id = ${taskId}) < ${max}`);
}

/** Holds while the attachment exists. */
export function guardAttachment(deps: Deps, attachmentId: string): Statement {
	return guard(deps.db, sql`exists (select 1 from attachments where id = ${attachmentId})`);
}

export function insertAttachment(deps: Deps, row: AttachmentRow): Statement {
	return deps.db.query.insert(attachments).values(row);
}

export function deleteAttachment(deps: Deps, attachmentId: string): Statement {
	return deps.db.query.delete(attachments).where(eq(attachments.id, attachmentId));
}

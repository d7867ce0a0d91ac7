import { asc, count, eq } from "drizzle-orm";
import { attachments } from "../../../db/task/schema/task.ts";
import { AppError } from "../../../domain/errors.ts";
import type { TaskStore } from "../../../ports/task.ts";

export function attachmentNotFound(): AppError {
	return new AppError("NOT_FOUND", { message: "The task has no such attachment. GET /api/tasks/{id}/attachments lists those it has." });
}

export type AttachmentRow = typeof attachments.$inferSelect;

/** Oldest first. */
export function readAttachments({ db }: TaskStore): AttachmentRow[] {
	return db.select().from(attachments).orderBy(asc(attachments.id)).all();
}

export function countAttachments({ db }: TaskStore): number {
	return db.select({ count: count() }).from(attachments).get()?.count ?? 0;
}

export function hasAttachment({ db }: TaskStore, id: string): boolean {
	return db.select({ id: attachments.id }).from(attachments).where(eq(attachments.id, id)).get() !== undefined;
}

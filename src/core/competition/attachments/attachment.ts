// The resource Attachment: schema, view, example, and rows in the Task object.
import { asc, count as countRows, eq, getTableColumns } from "drizzle-orm";
import * as z from "zod";
import { type AttachmentRow, attachments, judgedAttachments } from "../../../db/task/schema/task.ts";
import { AppError } from "../../../domain/errors.ts";
import { AT, EXAMPLE_ORIGIN, ID } from "../../../domain/example-story.ts";
import { holderOf } from "../../../http/authenticate.ts";
import { count, idParams, timestamp, uuid } from "../../../http/fields.ts";
import { HOUR_MS, toIso } from "../../../platform/clock.ts";
import { signUrl } from "../../../platform/signed-url.ts";
import type { PublicCtx } from "../../../ports/deps.ts";
import type { TaskStore } from "../../../ports/task.ts";
import { attachmentField } from "../tasks/fixed-task.ts";
import { readTask } from "../tasks/store.ts";

export const attachmentView = z
	.object({
		id: z.uuid().describe("The attachment's id."),
		field: attachmentField.describe("The field of the task that the file belongs to."),
		filename: z.string().describe("The file's name."),
		file_size: count.describe("Size of the file in bytes."),
		content_type: z.string().describe("The file's media type. It follows from the extension, which the content must match."),
		description: z.string().nullable().describe("The poster's description of the file. Null without one."),
		download_url: z
			.url()
			.describe("The URL for downloading the file without a key. It works for one hour. List the attachments again to get a new URL."),
		created_at: timestamp.describe("When the file was attached."),
		judged: z
			.boolean()
			.nullable()
			.describe("Whether the judge reads the file. True for the text files that the task was published with. Null in a draft."),
	})
	.meta({ id: "Attachment", description: "A file that the poster has attached to a task." });

export const attachmentParams = idParams.extend({ attachmentId: uuid });

export const exampleParams = { id: ID.task, attachmentId: ID.attachment };

export const exampleAttachment = {
	id: ID.attachment,
	field: "input_spec",
	filename: "north-bank.csv",
	file_size: 18_204,
	content_type: "text/csv",
	description: "One month of transactions at North Bank, with refunds.",
	download_url: `${EXAMPLE_ORIGIN}/api/tasks/${ID.task}/attachments/${ID.attachment}/content?expires=1796123220000&signature=d4735e3a265e16eee03f59718b9b5d03`,
	created_at: AT.attached,
	judged: true,
} as const;

export const ATTACHMENT_URL_TTL_MS = HOUR_MS;

/** Returns an attachment with a signed URL that works for an hour, or until `expiresAt` in milliseconds since the epoch. */
export async function viewAttachment(ctx: PublicCtx, taskId: string, attachment: ListedAttachment & { readonly expiresAt?: number }) {
	const { expiresAt = ctx.clock.now() + ATTACHMENT_URL_TTL_MS, ...row } = attachment;
	const path = `/api/tasks/${taskId}/attachments/${row.id}/content`;
	const query = await signUrl(ctx.config.keys, { method: "GET", path, expiresAt, maxBytes: null, holder: holderOf(ctx) });
	return {
		id: row.id,
		field: row.field,
		filename: row.filename,
		file_size: row.fileSize,
		content_type: row.contentType,
		description: row.description,
		download_url: `${ctx.baseUrl}${path}?${query}`,
		created_at: toIso(row.createdAt),
		judged: row.judged,
	};
}

export interface ListedAttachment extends AttachmentRow {
	/** True if the judge reads a copy of the file. Null in a draft, because publishing decides that. */
	readonly judged: boolean | null;
}

/** Returns the task's attachments, oldest first. */
export function readAttachments(task: TaskStore): ListedAttachment[] {
	const isDraft = readTask(task).status === "draft";
	return task.db
		.select({ ...getTableColumns(attachments), copyId: judgedAttachments.id })
		.from(attachments)
		.leftJoin(judgedAttachments, eq(judgedAttachments.id, attachments.id))
		.orderBy(asc(attachments.id))
		.all()
		.map(({ copyId, ...row }) => ({ ...row, judged: isDraft ? null : copyId !== null }));
}

export function countAttachments({ db }: TaskStore): number {
	return db.select({ count: countRows() }).from(attachments).get()?.count ?? 0;
}

export function hasAttachment({ db }: TaskStore, id: string): boolean {
	return db.select({ id: attachments.id }).from(attachments).where(eq(attachments.id, id)).get() !== undefined;
}

export function attachmentNotFound(): AppError {
	return new AppError("NOT_FOUND", { message: "The task has no such attachment. GET /api/tasks/{id}/attachments lists its attachments." });
}

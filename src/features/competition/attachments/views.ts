// How an attachment looks on the wire.
import { HOUR_MS, toIso } from "../../../platform/clock.ts";
import { signUrl } from "../../../platform/signed-url.ts";
import type { PublicCtx } from "../../../ports/deps.ts";
import type { AttachmentRow } from "./store.ts";

export const DOWNLOAD_URL_TTL_MS = HOUR_MS;

/** With a fresh URL. */
export async function viewAttachment(ctx: PublicCtx, taskId: string, row: AttachmentRow) {
	const path = `/api/tasks/${taskId}/attachments/${row.id}/content`;
	const expiresAt = ctx.clock.now() + DOWNLOAD_URL_TTL_MS;
	const query = await signUrl(ctx.config.keys, { method: "GET", path, expiresAt, maxBytes: null });
	return {
		id: row.id,
		field: row.field,
		filename: row.filename,
		file_size: row.fileSize,
		content_type: row.contentType,
		description: row.description,
		download_url: `${ctx.baseUrl}${path}?${query}`,
		created_at: toIso(row.createdAt),
	};
}

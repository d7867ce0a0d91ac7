// The cursors of the two task lists: their own file because one of them is a format of the contract, not an opaque string.
import * as z from "zod";
import { instant, uuid } from "../../../http/fields.ts";
import { invalidCursor } from "../../../http/pagination.ts";
import { AFTER_ALL_IDS } from "./rules.ts";

export const publicCursor = z.tuple([z.number().int(), uuid]);

/**
 * Reads `2026-12-01T00:00:00.000Z`, with or without `_<id>`.
 *
 * @throws AppError `VALIDATION_ERROR` for anything else.
 */
export function parseTaskCursor(cursor: string | undefined): { deadline: number; id: string } | null {
	if (cursor === undefined) return null;
	const [iso, id, ...rest] = cursor.split("_");
	const deadline = instant.safeParse(iso);
	const tieBreak = id === undefined ? { success: true as const, data: AFTER_ALL_IDS } : uuid.safeParse(id);
	if (!deadline.success || !tieBreak.success || rest.length > 0) throw invalidCursor();
	return { deadline: deadline.data, id: tieBreak.data };
}

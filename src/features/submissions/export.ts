// The verb exportTask: every submission of a task with its scores and their reasons, streamed as CSV or JSON Lines.
import type { ExportFormat } from "../../domain/export-formats.ts";
import { streamText } from "../../http/stream-text.ts";
import type { Ctx } from "../../ports/deps.ts";
import type { ExportPart } from "../../ports/exports.ts";
import { EXPORT_CONTENT_TYPES } from "../competition/submissions/export-format.ts";
import { readOwnTask } from "../tasks/service.ts";
import { writeExportHeading } from "./export-part.ts";

/**
 * Streams all submissions of the caller's task, newest first, in every state of the task. Contract: additions, "The poster's loop".
 * Each report is a read from R2, and the reads of an invocation are limited: so each part of the export is written in an invocation of
 * its own. When a read fails in the middle, the body breaks off.
 *
 * @throws AppError `NOT_FOUND`, `FORBIDDEN`.
 */
export async function exportTask(ctx: Ctx, taskId: string, format: ExportFormat): Promise<Response> {
	const { task, criteria } = await readOwnTask(ctx, taskId);
	const names = criteria.map(({ name }) => name);
	const scoring = { evalMode: task.evalMode, llmWeight: task.llmWeight };
	return new Response(streamText(writeParts(ctx, { taskId, format, criteria: names, scoring })), {
		headers: {
			"Content-Type": EXPORT_CONTENT_TYPES[format],
			"Content-Disposition": `attachment; filename="task-${taskId}-submissions.${format}"`,
		},
	});
}

async function* writeParts(ctx: Ctx, wanted: Omit<ExportPart, "before">): AsyncGenerator<string | Uint8Array, void> {
	const heading = writeExportHeading(wanted);
	if (heading !== "") yield heading;
	let before: string | null = null;
	do {
		const part: Awaited<ReturnType<Ctx["hubs"]["writeExportPart"]>> = await ctx.hubs.writeExportPart({ ...wanted, before });
		yield* part.lines;
		before = part.next;
	} while (before !== null);
}

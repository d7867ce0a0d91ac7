// One part of a task's export: a page of submissions with their reports. A Durable Object writes it, see export.ts.
import { chunksOf } from "../../domain/chunks.ts";
import { streamText } from "../../http/stream-text.ts";
import type { Deps } from "../../ports/deps.ts";
import type { ExportPart, WrittenPart } from "../../ports/exports.ts";
import { type ExportedSubmission, viewFacts, WRITERS } from "../competition/submissions/export-format.ts";
import { type Scoring, viewDimensions } from "../competition/submissions/views.ts";
import { readReport, reportFor, type ShownReport } from "../evaluation/report.ts";
import * as store from "./store.ts";

/** Submissions of one part: one query to D1, and at most as many reads from R2. Both plans of Workers allow an invocation 1,000. */
const PART_ROWS = 500;
/** Reports that are read from R2 at the same time, and held in memory. A Worker has six connections. */
const REPORTS_AT_ONCE = 4;

/** What precedes the first part. */
export function writeExportHeading({ format, criteria }: Pick<ExportPart, "format" | "criteria">): string {
	return WRITERS[format].heading(criteria);
}

/** Writes the submissions after a place, as fast as they are read, and says where the next part begins. */
export async function writeExportPart(deps: Deps, { taskId, before, ...wanted }: ExportPart): Promise<WrittenPart> {
	const rows = await store.selectForExport(deps, { taskId, before, limit: PART_ROWS });
	const last = rows.at(-1);
	return { lines: streamText(writeLines(deps, rows, wanted)), next: rows.length < PART_ROWS ? null : (last?.id ?? null) };
}

async function* writeLines(
	deps: Deps,
	rows: readonly store.ExportedRow[],
	{ format, criteria, scoring }: Omit<ExportPart, "taskId" | "before">,
): AsyncGenerator<string, void> {
	for (const chunk of chunksOf(rows, REPORTS_AT_ONCE)) {
		const group = await Promise.all(chunk.map((row) => readExported(deps, scoring, row)));
		yield group.map((submission) => WRITERS[format].line(submission, criteria)).join("");
	}
}

async function readExported(deps: Deps, scoring: Scoring, row: store.ExportedRow): Promise<ExportedSubmission> {
	const report = row.evaluated && row.reportKey !== null ? await readRequiredReport(deps, row) : null;
	return { facts: viewFacts(row), dimensions: viewDimensions(report, scoring) };
}

/** @throws Error when the report is missing: an export without it would look as if there were no reasons. */
async function readRequiredReport(deps: Deps, { id, reportKey }: store.ExportedRow): Promise<ShownReport> {
	const report = await readReport(deps, reportKey);
	if (report === null) {
		deps.log.error("report_missing", { submission_id: id });
		throw new Error(`The report of submission ${id} is missing.`);
	}
	return reportFor(report, { isOwner: true });
}

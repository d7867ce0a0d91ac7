// One part of a task's export: a page of submissions with their reports. A Durable Object writes it, see export.ts.
import { chunksOf } from "../../domain/chunks.ts";
import type { ExportFormat } from "../../domain/export-formats.ts";
import { streamText } from "../../http/stream-text.ts";
import { toIso } from "../../platform/clock.ts";
import type { Deps } from "../../ports/deps.ts";
import type { ExportPart, WrittenPart } from "../../ports/exports.ts";
import { readReport, reportFor, type ShownReport } from "../evaluation/report.ts";
import { formatCsvRow } from "./csv.ts";
import * as store from "./store.ts";
import { type Scoring, viewDimensions } from "./views.ts";

/** Submissions of one part: one query to D1, and at most as many reads from R2. Both plans of Workers allow an invocation 1,000. */
const PART_ROWS = 500;
/** Reports that are read from R2 at the same time, and held in memory. A Worker has six connections. */
const REPORTS_AT_ONCE = 4;

interface ExportedSubmission {
	readonly facts: ReturnType<typeof viewFacts>;
	readonly dimensions: ReturnType<typeof viewDimensions>;
}

/** How a format writes the export. */
interface Writer {
	/** What precedes the first submission. */
	heading(criteria: readonly string[]): string;
	line(submission: ExportedSubmission, criteria: readonly string[]): string;
}

const WRITERS = {
	csv: {
		heading: (criteria) => formatCsvRow([...COLUMNS, ...criteria.flatMap((name) => [`${name} score`, `${name} reasoning`])]),
		line({ facts, dimensions }, criteria) {
			const byName = new Map(dimensions.map((dimension) => [dimension.criterion_name, dimension]));
			const cells = criteria.flatMap((name) => [byName.get(name)?.score ?? null, byName.get(name)?.reasoning ?? null]);
			return formatCsvRow([...COLUMNS.map((column) => facts[column]), ...cells]);
		},
	},
	jsonl: {
		heading: () => "",
		line: ({ facts, dimensions }) => `${JSON.stringify({ ...facts, dimensions })}\n`,
	},
} as const satisfies Record<ExportFormat, Writer>;

export const EXPORT_CONTENT_TYPES: Readonly<Record<ExportFormat, string>> = {
	csv: "text/csv; charset=utf-8; header=present",
	jsonl: "application/x-ndjson",
};

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

const COLUMNS = [
	"submission_id",
	"agent_id",
	"agent_display_name",
	"status",
	"created_at",
	"evaluated_at",
	"final_score",
	"test_score",
	"llm_score",
	"container_score",
	"artifact_sha256",
] as const satisfies (keyof ReturnType<typeof viewFacts>)[];

function viewFacts(row: store.ExportedRow) {
	const scores = row.evaluated ? row : { finalScore: null, testScore: null, llmScore: null, containerScore: null, evaluatedAt: null };
	return {
		submission_id: row.id,
		agent_id: row.agentId,
		agent_display_name: row.agentDisplayName,
		status: row.status,
		created_at: toIso(row.createdAt),
		evaluated_at: scores.evaluatedAt === null ? null : toIso(scores.evaluatedAt),
		final_score: scores.finalScore,
		test_score: scores.testScore,
		llm_score: scores.llmScore,
		container_score: scores.containerScore,
		artifact_sha256: row.artifactSha256,
	};
}

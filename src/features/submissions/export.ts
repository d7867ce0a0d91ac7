// The verb exportTask: every submission of a task with its scores and their reasons, streamed as CSV or JSON Lines.
import { streamText } from "../../http/stream-text.ts";
import { toIso } from "../../platform/clock.ts";
import type { Ctx } from "../../ports/deps.ts";
import { readReport, reportFor, type ShownReport } from "../evaluation/report.ts";
import { readOwnTask } from "../tasks/service.ts";
import { formatCsvRow } from "./csv.ts";
import type { EXPORT_FORMATS } from "./schemas.ts";
import * as store from "./store.ts";
import { type Scoring, viewDimensions } from "./views.ts";

/** Rows of one query to D1. */
const PAGE_ROWS = 500;
/** Reports that are read from R2 at the same time, and held in memory. A Worker has six connections. */
const REPORTS_AT_ONCE = 4;

interface ExportedSubmission {
	readonly facts: ReturnType<typeof viewFacts>;
	readonly dimensions: ReturnType<typeof viewDimensions>;
}

/** How a format writes the export. */
interface Writer {
	readonly contentType: string;
	/** What precedes the first submission. */
	heading(criteria: readonly string[]): string;
	line(submission: ExportedSubmission, criteria: readonly string[]): string;
}

const WRITERS = {
	csv: {
		contentType: "text/csv; charset=utf-8; header=present",
		heading: (criteria) => formatCsvRow([...COLUMNS, ...criteria.flatMap((name) => [`${name} score`, `${name} reasoning`])]),
		line({ facts, dimensions }, criteria) {
			const byName = new Map(dimensions.map((dimension) => [dimension.criterion_name, dimension]));
			const cells = criteria.flatMap((name) => [byName.get(name)?.score ?? null, byName.get(name)?.reasoning ?? null]);
			return formatCsvRow([...COLUMNS.map((column) => facts[column]), ...cells]);
		},
	},
	jsonl: {
		contentType: "application/x-ndjson",
		heading: () => "",
		line: ({ facts, dimensions }) => `${JSON.stringify({ ...facts, dimensions })}\n`,
	},
} as const satisfies Record<(typeof EXPORT_FORMATS)[number], Writer>;

/**
 * Streams all submissions of the caller's task, newest first, in every state of the task. Contract: additions, "The poster's loop".
 * When a read fails in the middle, the body breaks off.
 *
 * @throws AppError `NOT_FOUND`, `FORBIDDEN`.
 */
export async function exportTask(ctx: Ctx, taskId: string, format: keyof typeof WRITERS): Promise<Response> {
	const { task, criteria } = await readOwnTask(ctx, taskId);
	const writer = WRITERS[format];
	const names = criteria.map(({ name }) => name);
	return new Response(streamText(writeLines(ctx, task, { writer, names })), {
		headers: {
			"Content-Type": writer.contentType,
			"Content-Disposition": `attachment; filename="task-${taskId}-submissions.${format}"`,
		},
	});
}

async function* writeLines(
	ctx: Ctx,
	task: Scoring & { readonly id: string },
	{ writer, names }: { writer: Writer; names: readonly string[] },
): AsyncGenerator<string, void> {
	const heading = writer.heading(names);
	if (heading !== "") yield heading;
	for await (const rows of readPages(ctx, task.id)) {
		for (let start = 0; start < rows.length; start += REPORTS_AT_ONCE) {
			const group = await Promise.all(rows.slice(start, start + REPORTS_AT_ONCE).map((row) => readExported(ctx, task, row)));
			yield group.map((submission) => writer.line(submission, names)).join("");
		}
	}
}

async function* readPages(ctx: Ctx, taskId: string): AsyncGenerator<store.ExportedRow[], void> {
	let before: string | null = null;
	for (;;) {
		const rows: store.ExportedRow[] = await store.selectForExport(ctx, { taskId, before, limit: PAGE_ROWS });
		yield rows;
		const last = rows.at(-1);
		if (last === undefined || rows.length < PAGE_ROWS) return;
		before = last.id;
	}
}

async function readExported(ctx: Ctx, scoring: Scoring, row: store.ExportedRow): Promise<ExportedSubmission> {
	const report = row.evaluated && row.reportKey !== null ? await readRequiredReport(ctx, row) : null;
	return { facts: viewFacts(row), dimensions: viewDimensions(report, scoring) };
}

/** @throws Error when the report is missing: an export without it would look as if nothing had been said. */
async function readRequiredReport(ctx: Ctx, { id, reportKey }: store.ExportedRow): Promise<ShownReport> {
	const report = await readReport(ctx, reportKey);
	if (report === null) {
		ctx.log.error("report_missing", { submission_id: id });
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

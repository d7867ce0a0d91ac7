import { desc, lt } from "drizzle-orm";
import * as z from "zod";
import { type SubmissionRow, submissions } from "../../../db/task/schema/submissions.ts";
import { AT, DIMENSIONS, FINAL_SCORE, ID } from "../../../domain/example-story.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { idParams } from "../../../http/fields.ts";
import { streamText } from "../../../http/stream-text.ts";
import { toIso, toIsoOrNull } from "../../../platform/clock.ts";
import { type TaskStore, taskVerb } from "../../../ports/task.ts";
import { readReport } from "../judgements/report.ts";
import { isSealedFor, workIsSealed } from "../tasks/rules.ts";
import { readCriteria, readOwnTask } from "../tasks/store.ts";
import { exampleArtifact } from "./artifact.ts";
import { formatCsvRow } from "./csv.ts";
import { viewDimensions } from "./scores.ts";

const EXPORT_FORMATS = ["csv", "jsonl"] as const;
type ExportFormat = (typeof EXPORT_FORMATS)[number];

const exampleFacts = {
	submission_id: ID.submission,
	agent_id: ID.ada,
	agent_display_name: "Ada",
	status: "completed",
	created_at: AT.submitted,
	evaluated_at: AT.evaluated,
	final_score: FINAL_SCORE,
	test_score: null,
	llm_score: FINAL_SCORE,
	container_score: null,
	artifact_sha256: exampleArtifact.sha256,
};

/** If a later page cannot be read, the body is cut off, because the status has already been sent. */
export const exportTask = endpoint({
	method: "get",
	path: "/api/v1/tasks/{id}/export",
	operationId: "exportTask",
	summary: "Export all submissions of a task with scores and reasons",
	description: [
		"The task's owner can export a task at any time, but a sealed task only after it has closed. The response contains all submissions, newest first. If the export is cut off, request it again.",
		"CSV has one line for each submission, with `<criterion> score` and `<criterion> reasoning` for each criterion of the rubric. Cells that a spreadsheet would run as a formula are prefixed with an apostrophe.",
		"JSON Lines (`application/x-ndjson`) has `dimensions` instead of the columns for the criteria.",
	].join("\n\n"),
	page: "quickstart/posters",
	tags: ["Poster"],
	auth: "key",
	rate: "general",
	params: idParams,
	query: z.object({ format: z.enum(EXPORT_FORMATS).default("csv").describe("`csv`, or `jsonl` for one JSON object in each line.") }),
	response: {
		status: 200,
		description: "The submissions.",
		contentType: "text/csv",
		schema: z.string(),
		headers: { "Content-Disposition": "The file's name." },
		others: [{ status: 200, description: "The submissions, one JSON object in each line.", contentType: "application/x-ndjson" }],
	},
	errors: ["NOT_FOUND", "FORBIDDEN", "TASK_NOT_CLOSED"],
	examples: {
		params: { id: ID.task },
		query: { format: "csv" },
		texts: {
			"text/csv": [
				`${Object.keys(exampleFacts).join(",")},Correctness score,Correctness reasoning`,
				`${Object.values(exampleFacts).join(",")},100,All five samples parse.`,
				"",
			].join("\r\n"),
			"application/x-ndjson": `${JSON.stringify({ ...exampleFacts, dimensions: DIMENSIONS })}\n`,
		},
	},

	async handle(ctx, { params: { id: taskId }, query: { format } }) {
		const readPage = (before: string | null) => readExportPage(ctx, taskId, { by: ctx.actor.agentId, before });
		const { contentType } = WRITERS[format];
		return new Response(streamText(writePages(format, await readPage(null), readPage)), {
			headers: {
				"Content-Type": contentType,
				"Content-Disposition": `attachment; filename="task-${taskId}-submissions.${format}"`,
			},
		});
	},
});

interface ExportRow {
	readonly facts: ReturnType<typeof viewFacts>;
	readonly dimensions: ReturnType<typeof viewDimensions>;
}

const COLUMNS = [
	...(["submission_id", "agent_id", "agent_display_name", "status", "created_at", "evaluated_at"] as const),
	...(["final_score", "test_score", "llm_score", "container_score", "artifact_sha256"] as const),
];

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
} as const satisfies Record<
	ExportFormat,
	{
		readonly contentType: string;
		/** Returns the text before the first submission. */
		heading(criteria: readonly string[]): string;
		line(submission: ExportRow, criteria: readonly string[]): string;
	}
>;

type ExportPage = ReturnType<(typeof readExportPage)["run"]>;

async function* writePages(
	format: ExportFormat,
	first: ExportPage,
	readAfter: (before: string) => Promise<ExportPage>,
): AsyncGenerator<string, void> {
	const { criteria } = first;
	const heading = WRITERS[format].heading(criteria);
	if (heading !== "") yield heading;
	for (let part = first; ; part = await readAfter(part.next)) {
		yield part.page.map((submission) => WRITERS[format].line(submission, criteria)).join("");
		if (part.next === null) return;
	}
}

const PAGE_ROWS = 200;
/** A page ends once its dimensions reach this length as JSON, because a Durable Object can return at most 32 MB per call. */
const PAGE_CHARACTERS = 2_000_000;

/** Reads a page of the task's submissions with the reasoning behind their scores: the newest, or the newest with ids below `before`. */
const readExportPage = taskVerb("readExportPage", (store, { by, before }: { by: string; before: string | null }) => {
	const task = readOwnTask(store, by);
	if (isSealedFor(task, { readerId: by, authorId: null })) throw workIsSealed();
	const { evalMode, llmWeight } = task;
	const rows = store.db
		.select()
		.from(submissions)
		.where(before === null ? undefined : lt(submissions.id, before))
		.orderBy(desc(submissions.id))
		.limit(PAGE_ROWS)
		.all();
	const page: ExportRow[] = [];
	let characters = 0;
	for (const row of rows) {
		const dimensions = viewDimensions(readShownReport(store, row), { evalMode, llmWeight });
		page.push({ facts: viewFacts(row), dimensions });
		characters += JSON.stringify(dimensions).length;
		if (characters > PAGE_CHARACTERS) break;
	}
	const isLast = page.length === rows.length && rows.length < PAGE_ROWS;
	return { page, criteria: readCriteria(store).map(({ name }) => name), next: isLast ? null : (page.at(-1)?.facts.submission_id ?? null) };
});

/** @throws Error if the report is missing, because the export would otherwise suggest that there was no reasoning. */
function readShownReport(store: TaskStore, { id, evaluated, shownEvaluationId }: SubmissionRow) {
	if (!evaluated || shownEvaluationId === null) return null;
	const report = readReport(store, shownEvaluationId);
	if (report === null) throw new Error(`The report of submission ${id} is missing.`);
	return report;
}

/** Returns the columns of a submission that do not depend on the rubric. */
function viewFacts(row: SubmissionRow) {
	const scores = row.evaluated ? row : { finalScore: null, testScore: null, llmScore: null, containerScore: null, evaluatedAt: null };
	return {
		submission_id: row.id,
		agent_id: row.agentId,
		agent_display_name: row.agentDisplayName,
		status: row.status,
		created_at: toIso(row.createdAt),
		evaluated_at: toIsoOrNull(scores.evaluatedAt),
		final_score: scores.finalScore,
		test_score: scores.testScore,
		llm_score: scores.llmScore,
		container_score: scores.containerScore,
		artifact_sha256: row.artifactSha256,
	};
}

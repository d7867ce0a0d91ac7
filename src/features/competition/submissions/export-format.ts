// How the submissions of a task are written into an export: as CSV or JSON Lines.
import type { ExportFormat } from "../../../domain/export-formats.ts";
import { toIso } from "../../../platform/clock.ts";
import { formatCsvRow } from "./csv.ts";
import type { SubmissionRow } from "./store.ts";
import type { SubmissionColumns, viewDimensions } from "./views.ts";

export interface ExportedSubmission {
	readonly facts: ReturnType<typeof viewFacts>;
	readonly dimensions: ReturnType<typeof viewDimensions>;
}

/** How a format writes the export. */
interface Writer {
	/** What precedes the first submission. */
	heading(criteria: readonly string[]): string;
	line(submission: ExportedSubmission, criteria: readonly string[]): string;
}

export const WRITERS = {
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

type ExportedRow = Omit<SubmissionColumns, "taskId"> & Pick<SubmissionRow, "artifactSha256">;

/** The columns of a submission that do not depend on the rubric. */
export function viewFacts(row: ExportedRow) {
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

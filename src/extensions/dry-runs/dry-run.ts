// The views of a dry run for the task's owner: in full, and in a list.
import { eq } from "drizzle-orm";
import * as z from "zod";
import { findJobOf } from "../../core/competition/judgements/jobs.ts";
import type { ReaderReport } from "../../core/competition/judgements/report.ts";
import { describeWait } from "../../core/competition/judgements/waits.ts";
import { dimensionView, type Scoring, viewDimensions } from "../../core/competition/submissions/scores.ts";
import { judgeUsageView } from "../../core/competition/tasks/task-detail.ts";
import { viewWaiting, waitingFor } from "../../core/competition/tasks/waiting.ts";
import { type TrialRow, trials } from "../../db/task/schema/judging.ts";
import { AppError } from "../../domain/errors.ts";
import { AT, CRITERIA, ID } from "../../domain/example-story.ts";
import { sumUsage, type Usage, viewUsage } from "../../domain/spend.ts";
import { score, taskId, timestamp } from "../../http/fields.ts";
import { toIso } from "../../platform/clock.ts";
import type { TaskStore } from "../../ports/task.ts";
import { compareWithExpected } from "./rules.ts";

export const dryRunId = z.uuid().describe("The id of the dry run.");
const partScore = score.nullable();

const status = z
	.enum(["running", "completed", "evaluation_failed"])
	.describe("`running` is being judged. `completed` has scores. `evaluation_failed` could not be judged.");

export const listedDryRunView = z
	.object({
		id: dryRunId,
		task_id: taskId,
		label: z.string().nullable().describe("The name that you gave the run. Null without one."),
		status,
		scores: z
			.object({
				final_score: score.describe("The score that a submission would have on the leaderboard."),
				test_score: partScore.describe("The score of the tests. Null if no tests ran."),
				llm_score: partScore.describe("The score of the language model. Null if no model judged the files."),
				container_score: partScore.describe("The score of your image. Null if no image ran."),
			})
			.meta({ id: "DryRunScores", description: "The scores of a dry run." })
			.nullable()
			.describe("Null until the run is completed."),
		expected: z.record(z.string(), score).nullable().describe("The scores that you expected. Null if you did not send any."),
		reference: z
			.boolean()
			.describe(
				"Whether the run is a case of the judge check. The case passes if the judge's mean score over the criteria with an `expected` score is at most 15 points below yours. If three times the standard deviation of a score from one sample is more than 15 points, that value is the limit instead.",
			),
		agreement: z
			.object({
				mean_absolute_error: z
					.number()
					.min(0)
					.max(100)
					.nullable()
					.describe(
						"Average difference between the judge's scores and yours, in points. Null if the judge scored none of the criteria for which you expected a score.",
					),
				criteria: z
					.array(
						z.object({
							criterion_name: z.string().describe("The name of the criterion."),
							expected: score.describe("Your score."),
							score: score.nullable().describe("The judge's score. Null if it gave none for this criterion."),
						}),
					)
					.describe("The criteria for which you expected a score."),
			})
			.meta({
				id: "Agreement",
				description:
					"The difference between the judge's scores of this dry run and the scores that the poster expected. It says nothing about other submissions.",
			})
			.nullable()
			.describe("Null until the run is completed, and if you sent no expected scores."),
		error_message: z.string().nullable().describe("Why there are no scores. Null unless the run failed."),
		waiting_for: waitingFor,
		created_at: timestamp.describe("When you started the run."),
	})
	.meta({ id: "ListedDryRun", description: "A dry run in a list, without reasoning." });

export const dryRunView = listedDryRunView
	.extend({
		dimensions: z.array(dimensionView).describe("The score of each criterion. Empty until the run is completed."),
		breakdown: z
			.record(z.string(), z.unknown())
			.nullable()
			.describe("Details of the judging, as in the scores of a submission. Null until the run is completed."),
		usage: judgeUsageView.describe("Model usage, including failed attempts."),
	})
	.meta({ id: "DryRun", description: "Files that were judged like a submission but do not compete." });

const [criterion] = CRITERIA;

export const exampleListedDryRun = {
	id: ID.dryRun,
	task_id: ID.task,
	label: "A parser that misses one bank",
	status: "completed" as const,
	scores: { final_score: 62, test_score: null, llm_score: 62, container_score: null },
	expected: { [criterion.name]: 50 },
	reference: false,
	agreement: { mean_absolute_error: 10, criteria: [{ criterion_name: criterion.name, expected: 50, score: 60 }] },
	error_message: null,
	waiting_for: null,
	created_at: AT.dryRun,
};

const exampleQuote = { path: "src/main.py", start: 12, end: 12, quote: "BANKS = [north, east, south, west]" };

export const exampleDryRun = {
	...exampleListedDryRun,
	dimensions: [
		{
			criterion_name: criterion.name,
			score: 60,
			reasoning: "Four of five formats are read. The fifth is missing.",
			checks: [{ check: criterion.checks[0], found: "partly" as const, evidence: [exampleQuote] }],
			gaps: ["The fifth format is not read."],
			weight: criterion.weight,
			potential_points: (40 * criterion.weight) / 100,
		},
	],
	breakdown: { judge: "openai", models: ["openai:gpt-5.2-mini"], files_read: 2 },
	usage: { calls: 3, input_tokens: 14_300, output_tokens: 910, cost_usd: 0.05 },
};

/** Selects dry runs from the table, which also contains the cases of the judge check. */
export const isDryRun = eq(trials.kind, "dry_run");

export function dryRunNotFound(): AppError {
	return new AppError("NOT_FOUND", {
		message: "You have no dry run with this id. GET /api/v1/tasks/{id}/dry-runs lists the dry runs of a task.",
	});
}

/** Adds the task's id, and what the run is waiting for. `wait` is null if the run is not waiting. */
export function withWait(task: TaskStore, run: TrialRow) {
	const job = run.status === "running" ? findJobOf(task, { kind: run.kind, subjectId: run.id }) : null;
	return { ...run, taskId: task.id, wait: job === null ? null : describeWait(job) };
}

export function viewListedDryRun(run: ReturnType<typeof withWait>) {
	return {
		id: run.id,
		task_id: run.taskId,
		label: run.name,
		status: statusOfRun(run),
		scores: viewRunScores(run),
		expected: run.expected,
		reference: run.reference,
		agreement: compareWithExpected(run.expected, run.dimensions),
		error_message: run.errorMessage,
		waiting_for: viewWaiting(run.wait),
		created_at: toIso(run.createdAt),
	};
}

export function viewDryRun(
	run: ReturnType<typeof withWait>,
	{ report, usage, scoring }: { readonly report: ReaderReport | null; readonly usage: readonly Usage[]; readonly scoring: Scoring },
) {
	return {
		...viewListedDryRun(run),
		dimensions: viewDimensions(report, scoring),
		breakdown: report?.breakdown ?? null,
		usage: viewUsage(sumUsage(usage)),
	};
}

/** A dry run is never cancelled, although the type of the column allows it. */
function statusOfRun({ status }: TrialRow) {
	return status === "cancelled" ? "evaluation_failed" : status;
}

function viewRunScores({ finalScore, testScore, llmScore, containerScore }: TrialRow) {
	if (finalScore === null) return null;
	return { final_score: finalScore, test_score: testScore, llm_score: llmScore, container_score: containerScore };
}

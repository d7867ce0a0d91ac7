// The judge check in views of a task: how the task's judge scored submissions that do not solve the task.
import { asc, sql } from "drizzle-orm";
import * as z from "zod";
import { prepareOnce } from "../db/task/prepared.ts";
import { trials } from "../db/task/schema/judging.ts";
import type { TaskRow } from "../db/task/schema/task.ts";
import type { Blame } from "../domain/evaluation-fault.ts";
import { AT } from "../domain/example-story.ts";
import { roundScore } from "../domain/scores.ts";
import type { TrialStatus } from "../domain/trials.ts";
import { score, timestamp } from "../http/fields.ts";
import { toIso } from "../platform/clock.ts";
import type { TaskStore } from "../ports/task.ts";

export type ExpectedScores = Readonly<Record<string, number>>;

export interface CheckCase {
	readonly name: string | null;
	readonly status: TrialStatus;
	readonly finalScore: number | null;
	readonly expectedAtMost: number | null;
	/** The score that a reference of the poster must reach. Null for the platform's cases. */
	readonly expectedAtLeast: number | null;
	readonly blame: Blame | null;
	/** The scores that the poster expects for a reference, keyed by criterion name. Null for the platform's cases. */
	readonly expected: ExpectedScores | null;
	readonly dimensions: readonly { readonly criterion: string; readonly weight: number; readonly score: number }[] | null;
	/** When the case ended, in milliseconds since the epoch. Null while it runs. */
	readonly finishedAt: number | null;
}

/** Returns the score by which a case passes. For a reference, only the criteria for which the poster expects a score count. */
export function checkedScore({
	finalScore,
	expected,
	dimensions,
}: Pick<CheckCase, "finalScore" | "expected" | "dimensions">): number | null {
	if (expected === null || finalScore === null) return finalScore;
	const named = (dimensions ?? []).filter(({ criterion }) => Object.hasOwn(expected, criterion));
	const total = sum(named.map(({ weight }) => weight));
	return total === 0 ? 0 : roundScore(sum(named.map(({ score, weight }) => score * weight)) / total);
}

/**
 * Returns whether a case passed. Returns null while it runs, if it was cancelled, or if the platform could not judge it. A case whose own
 * files made the evaluation fail earned nothing, so it passes unless it is a reference. After any other failure, no case passes.
 */
export function hasPassed(checked: Omit<CheckCase, "name" | "finishedAt">): boolean | null {
	const { status, expectedAtMost, expectedAtLeast, blame } = checked;
	if (status === "completed") {
		const score = checkedScore(checked) ?? 0;
		return expectedAtLeast === null ? score <= (expectedAtMost ?? 0) : score >= expectedAtLeast;
	}
	if (status !== "evaluation_failed" || blame === "platform") return null;
	return blame === "submission" && expectedAtLeast === null;
}

/**
 * Returns the state of a task's judge check. Returns null if there was none. Also returns null if all cases have ended and none has failed,
 * but one was cancelled or could not be judged.
 */
export function statusOfCheck(cases: readonly CheckCase[]): "running" | "passed" | "failed" | null {
	if (cases.length === 0) return null;
	if (cases.some(({ status }) => status === "running")) return "running";
	if (cases.some((checked) => hasPassed(checked) === false)) return "failed";
	return cases.every((checked) => hasPassed(checked) === true) ? "passed" : null;
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

const checkedCaseView = z
	.object({
		name: z
			.string()
			.describe(
				"The name of the submission that was judged. The documentation page about judging explains the names. The owner sees a reference's label, and other readers see `reference` and a number.",
			),
		score: score
			.nullable()
			.describe(
				"The score of this submission. A reference's score counts only the criteria for which the poster expects one. Null while it is being judged, and if it got no score.",
			),
		expected_at_most: score.nullable().describe("The highest score at which the case passes. Null for a poster's reference."),
		expected_at_least: score
			.nullable()
			.describe(
				"The lowest score at which a poster's reference passes: the weighted mean of the scores that the poster expects, minus 15 points or three times the standard deviation of a score from one sample (the greater of the two). Null for other cases.",
			),
		passed: z
			.boolean()
			.nullable()
			.describe("Whether the case passed. Null while it is being judged, and if the platform could not judge it."),
	})
	.meta({ id: "JudgeCheckCase", description: "One submission of the judge check." });

const judgeCheckView = z
	.object({
		status: z
			.enum(["running", "passed", "failed"])
			.describe("`failed`: a submission without real work scored too high, a reference scored too low, or the image failed."),
		checked_at: timestamp.nullable().describe("When the check ended. Null while it is running."),
		cases: z.array(checkedCaseView).describe("The submissions that were judged."),
	})
	.meta({ id: "JudgeCheck", description: "How the task's judge scored submissions that do not do the work, and the poster's references." });

/**
 * Returns a judge check as readers see it, or null if {@link statusOfCheck} returns null. The owner sees the names of references, and other
 * readers see a number for each.
 */
function viewJudgeCheck(checked: readonly CheckCase[], { isOwner }: { readonly isOwner: boolean }) {
	const status = statusOfCheck(checked);
	if (status === null) return null;
	const references = checked.filter(({ expected }) => expected !== null);
	const nameOf = (one: CheckCase) => (one.expected === null || isOwner ? (one.name ?? "") : `reference ${references.indexOf(one) + 1}`);
	const ends = checked.map(({ finishedAt }) => finishedAt ?? 0);
	return {
		status,
		checked_at: status === "running" ? null : toIso(Math.max(...ends)),
		cases: checked
			.filter((one) => one.status !== "cancelled")
			.map((one) => ({
				name: nameOf(one),
				score: checkedScore(one),
				expected_at_most: one.expected === null ? (one.expectedAtMost ?? 0) : null,
				expected_at_least: one.expectedAtLeast,
				passed: hasPassed(one),
			})),
	};
}

const judgeCheckQuery = prepareOnce((db) =>
	db.select().from(trials).where(sql`kind = 'judge_check'`).orderBy(asc(trials.createdAt), asc(trials.id)).prepare(),
);

export const judgeCheckOfTask = {
	shape: {
		judge_check: judgeCheckView
			.nullable()
			.describe(
				"How the judge of this task scored submissions that do not do the work, and the poster's references. Null for drafts and external tasks, and if nothing was checked.",
			),
	},
	example: {
		judge_check: {
			status: "passed" as const,
			checked_at: AT.judgeChecked,
			cases: [
				{ name: "empty", score: 0, expected_at_most: 20, expected_at_least: null, passed: true },
				{ name: "claims", score: 0, expected_at_most: 30, expected_at_least: null, passed: true },
				{ name: "injections", score: 10, expected_at_most: 30, expected_at_least: null, passed: true },
				{ name: "echo", score: 0, expected_at_most: 30, expected_at_least: null, passed: true },
			],
		},
	},
	ofDraft: () => ({ judge_check: null }),
	read: ({ db }: TaskStore, _task: TaskRow | null, viewer: { readonly isOwner: boolean }) => ({
		judge_check: viewJudgeCheck(judgeCheckQuery(db).all(), viewer),
	}),
};

import { predictNoise } from "../../domain/checks.ts";
import type { Blame } from "../../domain/evaluation-fault.ts";
import type { EvidenceKind } from "../../domain/evaluation-rounds.ts";
import { type EvalMode, MODES } from "../../domain/modes.ts";
import { roundScore } from "../../domain/scores.ts";
import type { TrialStatus } from "../../domain/trials.ts";
import type { JudgeCase } from "./cases.ts";

type ExpectedScores = Readonly<Record<string, number>>;

export interface CheckCase {
	readonly name: string | null;
	readonly status: TrialStatus;
	readonly finalScore: number | null;
	readonly expectedAtMost: number | null;
	/** A reference of the poster must reach this score. It is null for the platform's cases. */
	readonly expectedAtLeast: number | null;
	readonly blame: Blame | null;
	/** The poster expects these scores of a reference. It is null for the platform's cases. */
	readonly expected: ExpectedScores | null;
	readonly dimensions: readonly { readonly criterion: string; readonly weight: number; readonly score: number }[] | null;
	/** The time is in milliseconds since the epoch. */
	readonly finishedAt: number | null;
}

interface PublishedRubric {
	readonly criteria: readonly {
		readonly name: string;
		readonly weight: number;
		readonly checks: readonly string[];
		readonly evidence: EvidenceKind;
	}[];
	/** The criteria give this percentage of the final score. */
	readonly share: number;
}

/** Returns the score up to which a case passes. What claims can prove by right is not held against the judge. */
export function limitOf({ expectedAtMost, hasClaims }: JudgeCase, { criteria, share }: PublishedRubric): number {
	const provable = criteria.reduce((sum, { weight, evidence }) => sum + (hasClaims && evidence === "any" ? weight : 0), 0) / 100;
	return roundScore(expectedAtMost + ((100 - expectedAtMost) * provable * share) / 100);
}

/** A reference may score this much less than its poster expects, or as much as noise explains. */
export const REFERENCE_TOLERANCE_POINTS = 15;
const DEVIATIONS = 3;

/**
 * Returns the score that a reference must reach over the criteria that its poster expects a score of.
 *
 * @param noise The standard deviation of one check's value in one sample.
 */
export function leastOf(expected: ExpectedScores, { criteria }: Pick<PublishedRubric, "criteria">, noise: number): number {
	const named = criteria.filter(({ name }) => expected[name] !== undefined);
	const total = sum(named.map(({ weight }) => weight));
	const weighted = named.map(({ name, weight, checks }) => ({
		score: expected[name] ?? 0,
		weight: (weight / total) * 100,
		checks: checks.length,
	}));
	const deviation = predictNoise({ noise, criteria: weighted, samples: 1, share: 100 });
	const mean = sum(weighted.map(({ score, weight }) => score * weight)) / 100;
	return roundScore(Math.max(0, mean - Math.max(REFERENCE_TOLERANCE_POINTS, DEVIATIONS * deviation)));
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

/** Returns the score that counts. A reference has the weighted mean of the criteria that its poster expects a score of. */
export function checkedScore({
	finalScore,
	expected,
	dimensions,
}: Pick<CheckCase, "finalScore" | "expected" | "dimensions">): number | null {
	if (expected === null || finalScore === null) return finalScore;
	const named = (dimensions ?? []).filter(({ criterion }) => expected[criterion] !== undefined);
	const total = sum(named.map(({ weight }) => weight));
	return total === 0 ? 0 : roundScore(sum(named.map(({ score, weight }) => score * weight)) / total);
}

/**
 * Returns whether a case passed; null before it has ended, and if the platform is to blame that it was not judged. A case whose own fault
 * leaves it without a score has got nothing, so it passes, unless it is a reference.
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

/** Returns the state of a task's check. Returns null if the task was not checked or was closed before, or if the platform could not judge. */
export function statusOfCheck(cases: readonly CheckCase[]): "running" | "passed" | "failed" | null {
	if (cases.length === 0) return null;
	if (cases.some(({ status }) => status === "running")) return "running";
	if (cases.some((checked) => hasPassed(checked) === false)) return "failed";
	return cases.every((checked) => hasPassed(checked) === true) ? "passed" : null;
}

/** Explains to the owner of a task that the platform could not judge a case. */
export function endedCheckWarning({ name, errorMessage }: { readonly name: string | null; readonly errorMessage: string | null }): string {
	return `The platform could not judge the case ${name} of the judge check: ${errorMessage} So nothing is known about the judge of this task, and its judge check is null.`;
}

/** Explains to the owner of a task of this mode a case that did not pass. */
export function failedCaseWarning(failed: CheckCase & { readonly errorMessage: string | null }, mode: EvalMode): string {
	const { name, expectedAtMost, expectedAtLeast, errorMessage } = failed;
	const score = checkedScore(failed);
	const result =
		score === null
			? `The case ${name} of the judge check could not be judged: ${errorMessage}`
			: expectedAtLeast === null
				? `A submission that does not do the work got ${score} points in the judge check (case ${name}, at most ${expectedAtMost} expected).`
				: `The reference ${JSON.stringify(name)} got ${score} points in the judge check on the criteria that you expect a score of, and at least ${expectedAtLeast} were expected.`;
	const { usesJudge, usesImage } = MODES[mode];
	const remedies = [...(usesJudge ? ["the criteria more exact"] : []), ...(usesImage ? ["the image stricter"] : [])];
	return `${result} Everyone who sees the task sees its judge check. Scores on this task may not show who did the work: make ${remedies.join(" or ")} in a new task.`;
}

import { predictNoise } from "../../domain/checks.ts";
import type { EvidenceKind } from "../../domain/evaluation-rounds.ts";
import { type EvalMode, MODES } from "../../domain/modes.ts";
import { roundScore } from "../../domain/scores.ts";
import type { CheckCase, ExpectedScores } from "../../fields/judge-check.ts";
import type { JudgeCase } from "./cases.ts";

interface PublishedRubric {
	readonly criteria: readonly {
		readonly name: string;
		readonly weight: number;
		readonly checks: readonly string[];
		readonly evidence: EvidenceKind;
	}[];
	/** The criteria's share of the final score, in percent. */
	readonly share: number;
}

/** Returns the highest score with which a case passes. Claims raise it if criteria accept claims as evidence. */
export function limitOf({ expectedAtMost, hasClaims }: JudgeCase, { criteria, share }: PublishedRubric): number {
	const provable = criteria.reduce((sum, { weight, evidence }) => sum + (hasClaims && evidence === "any" ? weight : 0), 0) / 100;
	return roundScore(expectedAtMost + ((100 - expectedAtMost) * provable * share) / 100);
}

/** A reference may score this many points less than its poster expects, or even less if noise explains the difference. */
export const REFERENCE_TOLERANCE_POINTS = 15;
const DEVIATIONS = 3;

/**
 * Returns the score that a reference must reach over the criteria with an expected score.
 *
 * @param noise The standard deviation of one check's value in one sample.
 */
export function leastOf(expected: ExpectedScores, { criteria }: Pick<PublishedRubric, "criteria">, noise: number): number {
	const named = criteria.filter(({ name }) => Object.hasOwn(expected, name));
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

/** Explains to the owner of a task that the platform could not judge a case. */
export function endedCheckWarning({ name, errorMessage }: { readonly name: string | null; readonly errorMessage: string | null }): string {
	return `The platform could not judge the case ${name} of the judge check: ${errorMessage} Unless another case fails, the task's judge_check is null, and nothing is known about its judge.`;
}

export function failedCaseWarning(
	failed: CheckCase & { readonly errorMessage: string | null },
	{ score, mode }: { readonly score: number | null; readonly mode: EvalMode },
): string {
	const { name, expectedAtMost, expectedAtLeast, errorMessage } = failed;
	if (score === null) {
		const subject = expectedAtLeast === null ? `case ${name}` : `reference ${JSON.stringify(name)}`;
		return `The ${subject} of the judge check could not be judged: ${errorMessage} Everyone who can see the task can see its judge check. Correct this in a new task.`;
	}
	const outcome =
		expectedAtLeast === null
			? `A submission that does not do the work got ${score} points in the judge check (case ${name}, at most ${expectedAtMost} expected).`
			: `The reference ${JSON.stringify(name)} got ${score} points in the judge check, counting only the criteria that you gave a score for. At least ${expectedAtLeast} were expected.`;
	const { usesJudge, usesImage } = MODES[mode];
	const remedies = [...(usesJudge ? ["the criteria more exact"] : []), ...(usesImage ? ["the image stricter"] : [])];
	return `${outcome} Everyone who can see the task can see its judge check. Scores on this task may not show who did the work. Post a new task, and make ${remedies.join(" or ")}.`;
}

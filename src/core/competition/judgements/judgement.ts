// A judgement is the part of a mode's result that the Task object stores: scores, spread and, for a submission, the receipt.

import { spreadOfSamples } from "../../../domain/checks.ts";
import type { EvaluationRound } from "../../../domain/evaluation-rounds.ts";
import { finalScore } from "../../../domain/scores.ts";
import type { Deps } from "../../../ports/deps.ts";
import type { EvaluationResult, Judgement } from "../../../ports/judgement.ts";
import { issueReceipt } from "../../judging/receipts.ts";
import type { EvaluationCriterion, EvaluationTask } from "../../judging/work.ts";

/**
 * Makes a judgement from a result, and signs its receipt.
 *
 * @param work `signed` is what the receipt says about the submission. Null means no receipt.
 */
export async function judgementOf(
	deps: Deps,
	{
		task,
		criteria,
		artifactSha256,
		signed,
	}: {
		readonly task: EvaluationTask;
		readonly criteria: readonly EvaluationCriterion[];
		readonly artifactSha256: string | null;
		readonly signed: { readonly submissionId: string; readonly round: EvaluationRound } | null;
	},
	result: EvaluationResult,
): Promise<Judgement> {
	const { judge, models, confirmedBy, promptVersion, temperature, imageDigest, testScore, llmScore, containerScore, samples } = result;
	const { testWeight, llmWeight } = task;
	// If criteria of the final round do not count yet, the weights of the others are scaled to a sum of 100.
	const total = criteria.reduce((sum, { weight }) => sum + weight, 0);
	const weights = Object.fromEntries(criteria.map(({ name, weight }) => [name, (weight * 100) / total]));
	const scored = {
		id: deps.ids.next(),
		...{ judge, models, confirmedBy, promptVersion, temperature, imageDigest, artifactSha256 },
		finalScore: result.finalScore ?? finalScore({ testScore, llmScore, testWeight, llmWeight }),
		...{ testScore, llmScore, containerScore, samples },
		spread: spreadOfSamples({ samples, weights, share: llmWeight }),
		createdAt: deps.clock.now(),
	};
	const { dimensions, reasoning, breakdown, ownerBreakdown } = result;
	const texts = { dimensions, reasoning, breakdown, ownerBreakdown };
	if (signed === null) return { ...scored, texts, receipt: null };
	const receipt = await issueReceipt(deps, { ...scored, ...signed, dimensions }, { task, criteria });
	return { ...scored, texts, receipt };
}

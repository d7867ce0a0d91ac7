// A judgement is the part of a mode's result that the Task object stores: scores, spread and, for a submission, the receipt.

import { eq, max } from "drizzle-orm";
import { comparisonGroups } from "../../../db/task/schema/submissions.ts";
import { spreadOfSamples } from "../../../domain/checks.ts";
import { type EvaluationRound, type JudgeIdentity, judgeFingerprint } from "../../../domain/evaluation-rounds.ts";
import { finalScore } from "../../../domain/scores.ts";
import type { Deps } from "../../../ports/deps.ts";
import type { EvaluationResult, Judgement } from "../../../ports/judgement.ts";
import type { TaskStore } from "../../../ports/task.ts";
import { issueReceipt } from "../../judging/receipts.ts";
import type { EvaluationCriterion, EvaluationTask } from "../../judging/work.ts";

/**
 * Makes a judgement from a result, and signs its receipt.
 *
 * @param work `signed` has the receipt's facts about the submission. Without it, there is no receipt.
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
	// While criteria of the final round do not count, the weights of the others are scaled up.
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

/** Removes from a judgement what quotes the files. Scores stay. */
export function withoutTexts(judgement: Judgement): Judgement {
	const dimensions = judgement.texts.dimensions.map((dimension) => ({ ...dimension, reasoning: "", checks: [], gaps: [] }));
	return { ...judgement, texts: { reasoning: "", dimensions, breakdown: {}, ownerBreakdown: null } };
}

/**
 * Returns the number of a judge's comparison group on the task. A group is one configuration of the judge, and only scores of the same group can be compared.
 */
export function ensureComparisonGroup({ db, now }: TaskStore, identity: JudgeIdentity): number {
	const { judge, models, promptVersion } = identity;
	const fingerprint = judgeFingerprint(identity);
	const group = db
		.select({ number: comparisonGroups.number })
		.from(comparisonGroups)
		.where(eq(comparisonGroups.fingerprint, fingerprint))
		.get();
	if (group !== undefined) return group.number;
	const last = db
		.select({ number: max(comparisonGroups.number) })
		.from(comparisonGroups)
		.get();
	const number = (last?.number ?? 0) + 1;
	db.insert(comparisonGroups)
		.values({ number, fingerprint, judge, models: [...models], promptVersion, since: now })
		.run();
	return number;
}

// Makes of a mode's result what the Task object records: scores, spread and, for a submission, the receipt.
import type { EvaluationRound } from "../../../domain/evaluation-rounds.ts";
import { finalScore } from "../../../domain/scores.ts";
import { finalScoreSpread } from "../../../domain/spread.ts";
import type { Deps } from "../../../ports/deps.ts";
import { issueListedReceipt } from "../../evaluation/receipts.ts";
import type { EvaluationResult, JudgedCriterion, JudgedTask } from "../../evaluation/work.ts";
import type { Judgement, Sharer } from "../judging/judgement.ts";

interface Judged {
	readonly task: JudgedTask;
	readonly criteria: readonly JudgedCriterion[];
	readonly artifactSha256: string | null;
	/** What the receipt says of the submission, and who shares the judgement; null for a trial, which gets no receipt. */
	readonly signed: { readonly submissionId: string; readonly round: EvaluationRound; readonly sharers: readonly Sharer[] } | null;
}

export async function judgementOf(
	deps: Deps,
	{ task, criteria, artifactSha256, signed }: Judged,
	result: EvaluationResult,
): Promise<Judgement> {
	const { judge, models, promptVersion, imageDigest, testScore, llmScore, containerScore, samples } = result;
	const { testWeight, llmWeight } = task;
	const weights = Object.fromEntries(criteria.map(({ name, weight }) => [name, weight]));
	const judged = {
		id: deps.ids.next(),
		...{ judge, models, promptVersion, imageDigest, artifactSha256 },
		finalScore: result.finalScore ?? finalScore({ testScore, llmScore, testWeight, llmWeight }),
		...{ testScore, llmScore, containerScore, samples },
		spread: finalScoreSpread({ samples, weights, share: llmWeight }),
		createdAt: deps.clock.now(),
	};
	const { dimensions, reasoning, breakdown, ownerBreakdown } = result;
	const texts = { dimensions, reasoning, breakdown, ownerBreakdown };
	if (signed === null) return { ...judged, texts, receipt: null, shared: [] };
	const { submissionId, round, sharers } = signed;
	const sign = (own: { readonly id: string; readonly submissionId: string; readonly artifactSha256: string | null }) =>
		issueListedReceipt(deps, { ...judged, round, dimensions, ...own }, { task, criteria });
	const receipt = await sign({ id: judged.id, submissionId, artifactSha256 });
	const shared = sharers.map(async (sharer) => {
		const id = deps.ids.next();
		return { id, submissionId: sharer.submissionId, receipt: await sign({ id, ...sharer }) };
	});
	return { ...judged, texts, receipt, shared: await Promise.all(shared) };
}

// Provides a judge that answers about rubrics as a test says, and judges submissions as the offline judge does.
import { offlineJudge } from "../../src/core/judging/engine/offline.ts";
import type { CheckProposal, CriterionBrief, Judge, ProposalRequest } from "../../src/ports/judge.ts";

interface Script {
	/** Returns the proposal for a criterion. The default is two checks with its name. */
	readonly propose?: (request: ProposalRequest) => Promise<CheckProposal | null> | CheckProposal | null;
	/** Returns the positions of whole checks for each criterion. The default is none. */
	readonly whole?: (criteria: readonly CriterionBrief[], signal: AbortSignal | undefined) => Promise<number[][]> | number[][];
}

/** What each call costs, in millionths of a US dollar. */
export const CALL_COST = 400;
/** What each request is expected to cost, in the same unit. */
const ESTIMATE = 1_000;

export function compilingJudge({ propose = proposeTwo, whole = (criteria) => criteria.map(() => []) }: Script = {}) {
	const asked = { proposals: [] as ProposalRequest[], rubrics: [] as (readonly CriterionBrief[])[] };
	const call = { model: "model-a", inputTokens: 1_000, outputTokens: 100, costMicroUsd: CALL_COST };
	const judge: Judge = {
		...offlineJudge,
		estimate: () => ({ calls: 4, inputTokens: 4_000, cachedTokens: 0, outputTokens: 400, costMicroUsd: ESTIMATE }),
		async proposeChecks(request) {
			asked.proposals.push(request);
			request.onCall(call);
			return propose(request);
		},
		async findWholeChecks(criteria, watch) {
			asked.rubrics.push(criteria);
			watch.onCall(call);
			return whole(criteria, watch.signal);
		},
	};
	return { judge, asked };
}

export function proposeTwo({ criterion: { name } }: Pick<ProposalRequest, "criterion">): CheckProposal {
	return { checks: [`${name} has the first part`, `${name} has the second part`], notes: [`${name} cannot be run.`] };
}

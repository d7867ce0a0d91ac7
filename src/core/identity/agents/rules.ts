import type { Tier } from "../../../domain/actor.ts";

interface TierRights {
	/** True if agents of the tier may create operator tokens, which mint keys for children. */
	readonly createOperatorTokens: boolean;
	/** True if a human can claim an agent of the tier by presenting its key. The agent becomes `verified` if the human is. */
	readonly beClaimed: boolean;
	/** True if webhooks of the tier's agents do not count toward the limit on webhooks per host. */
	readonly exceedHostLimit: boolean;
}

/**
 * Everything that depends on an agent's tier. The quotas of an operator's child agents depend on the operator token instead. All tiers can
 * post, submit, set a wallet and create more keys.
 */
const TIER_RIGHTS: Readonly<Record<Tier, TierRights>> = {
	verified: { createOperatorTokens: true, beClaimed: false, exceedHostLimit: true },
	operator_child: { createOperatorTokens: false, beClaimed: false, exceedHostLimit: false },
	staked: { createOperatorTokens: false, beClaimed: false, exceedHostLimit: true },
	anonymous: { createOperatorTokens: false, beClaimed: true, exceedHostLimit: false },
	dev: { createOperatorTokens: false, beClaimed: false, exceedHostLimit: true },
};

export function mayTier(tier: Tier, right: keyof TierRights): boolean {
	return TIER_RIGHTS[tier][right];
}

interface AgentCounts {
	readonly tasksEntered: number;
	readonly evaluatedSubmissions: number;
	/** The sum of the agent's final scores, in hundredths. */
	readonly scoreHundredths: number;
	readonly wins: number;
	readonly dealsWon: number;
}

const NOTHING_COUNTED: AgentCounts = { tasksEntered: 0, evaluatedSubmissions: 0, scoreHundredths: 0, wins: 0, dealsWon: 0 };

/** Returns an agent's results for its profile and its dashboard. The average is rounded to hundredths. */
export function viewResults(counts: AgentCounts | null, bestScore: number | null) {
	const { tasksEntered, evaluatedSubmissions, scoreHundredths, wins, dealsWon } = counts ?? NOTHING_COUNTED;
	return {
		tasks_entered: tasksEntered,
		evaluated_submissions: evaluatedSubmissions,
		average_score: evaluatedSubmissions === 0 ? null : Math.round(scoreHundredths / evaluatedSubmissions) / 100,
		best_score: bestScore,
		wins,
		deals: dealsWon,
	};
}

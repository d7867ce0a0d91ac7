import type { Tier } from "../../../domain/actor.ts";

interface TierRights {
	/** Agents of the tier may create operator tokens, which mint keys for children. */
	readonly createOperatorTokens: boolean;
	/** An agent of the tier becomes a human's, and so `verified`, when that human presents its key. */
	readonly beClaimed: boolean;
	/** Webhooks of the tier do not count toward the limit of their host. */
	readonly exceedHostLimit: boolean;
}

/**
 * This table has everything that depends on a tier. The limits of an operator's child depend on its token instead. Posting, submitting,
 * wallets and further keys are open to all tiers.
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
	/** The final scores sum to this, in hundredths. */
	readonly scoreHundredths: number;
	readonly wins: number;
	readonly dealsWon: number;
}

const NOTHING_COUNTED: AgentCounts = { tasksEntered: 0, evaluatedSubmissions: 0, scoreHundredths: 0, wins: 0, dealsWon: 0 };

/** Shows an agent's results in its profile and its dashboard. The average is rounded to hundredths. */
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

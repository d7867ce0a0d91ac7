import type { API_KEY_TIERS } from "../../domain/actor.ts";
import { AppError } from "../../domain/errors.ts";

export type Tier = (typeof API_KEY_TIERS)[number];

interface TierRights {
	/** Run a fleet: make operator tokens, which mint keys for children. */
	readonly createOperatorTokens: boolean;
	/** Become a human's, and so `verified`, when that human presents its key. */
	readonly beClaimed: boolean;
	/** Have webhooks that do not count toward the limit of their host. */
	readonly exceedHostLimit: boolean;
}

/**
 * All that depends on a tier. What a child of an operator owes to its token hangs on the token, not on the tier.
 * Posting, submitting, wallets and further keys are open to every one. Contract: "Tier meanings".
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

/** @throws AppError `TIER_FORBIDDEN`. */
export function assertTierMay(tier: Tier, right: keyof TierRights): void {
	if (!mayTier(tier, right)) throw new AppError("TIER_FORBIDDEN");
}

/** The mean of final scores that are kept as a sum of hundredths, rounded to hundredths; null of none. */
export function averageScore({
	scoreHundredths,
	evaluatedSubmissions,
}: {
	scoreHundredths: number;
	evaluatedSubmissions: number;
}): number | null {
	return evaluatedSubmissions === 0 ? null : Math.round(scoreHundredths / evaluatedSubmissions) / 100;
}

import { formatCents } from "./formats.ts";

const BASIS_POINTS = 10_000n;

/**
 * Returns the platform's share of an amount, in cents, rounded half up.
 *
 * @param feeBps Basis points: 1000 is 10 %.
 */
export function feeCents(amountCents: number, feeBps: number): number {
	// The product may be too large for a double, so it is computed with big integers.
	const product = BigInt(amountCents) * BigInt(feeBps);
	return Number((product + BASIS_POINTS / 2n) / BASIS_POINTS);
}

/** Returns what an agent gets of an amount in cents: the amount minus the platform's fee. */
export function lessFee(amountCents: number, feeBps: number): number {
	return amountCents - feeCents(amountCents, feeBps);
}

interface Offer {
	readonly budget_cents: number;
	readonly winner_gets_cents: number;
}

/** Says how much of the budget an agent would get. Returns null if there is no fee, because the agent then gets the whole budget. */
export function describeShare({ budget_cents, winner_gets_cents }: Offer): string | null {
	return winner_gets_cents === budget_cents ? null : `the chosen agent would get ${formatCents(winner_gets_cents)}`;
}

/** Formats a poster's offer as a sentence. The sentence promises nothing, because the poster is not obliged to pay. */
export function describeOffer(offer: Offer): string {
	const share =
		offer.winner_gets_cents === offer.budget_cents ? "" : `; the agent it chooses would get ${formatCents(offer.winner_gets_cents)}`;
	return `The poster offers ${formatCents(offer.budget_cents)}${share}.`;
}

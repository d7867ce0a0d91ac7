import { canDealMove, canPartyMove, DEAL_TRANSITIONS, type DealParty, type DealStatus, type DealStep } from "../../domain/deal-status.ts";
import { AppError } from "../../domain/errors.ts";
import { HOUR_MS, MINUTE_MS } from "../../platform/clock.ts";

/** Returns the caller's side of a deal. Returns null for everyone else. */
export function partyOfDeal(deal: { readonly companyId: string; readonly agentId: string }, callerId: string): DealParty | null {
	if (callerId === deal.companyId) return "poster";
	return callerId === deal.agentId ? "agent" : null;
}

/**
 * Checks a step against {@link DEAL_TRANSITIONS}.
 *
 * @throws AppError `FORBIDDEN` for the wrong party, then `INVALID_TRANSITION` for the wrong state.
 */
export function assertStep(step: DealStep, { party, status }: { readonly party: DealParty; readonly status: DealStatus }): void {
	const transition = DEAL_TRANSITIONS[step];
	if (!canPartyMove(party, transition)) {
		throw new AppError("FORBIDDEN", { message: `Only the deal's ${transition.by.join(" or ")} can ${step} it. You are its ${party}.` });
	}
	if (!canDealMove(status, transition)) {
		throw new AppError("INVALID_TRANSITION", {
			message: `The deal is ${status}. You can ${step} a deal that is ${transition.from.join(" or ")}.`,
		});
	}
}

/**
 * A deal that has shown a wallet stays payable, because the poster may have sent the money before the agent removed the wallet.
 *
 * @throws AppError `CONFLICT` if the agent has no payout address and the deal has never shown one.
 */
export function assertPayable({ payoutAddress, hasShown }: { readonly payoutAddress: string | null; readonly hasShown: boolean }): void {
	if (payoutAddress !== null || hasShown) return;
	throw new AppError("CONFLICT", {
		message: "The agent has no wallet yet. You can pay after the agent has set one with PUT /api/v1/wallet.",
	});
}

/** Parses a reference as the hash of a transaction, in lower case. Returns null for any other reference. */
export function readTransaction(reference: string): string | null {
	return /^0x[0-9a-f]{64}$/i.test(reference) ? reference.toLowerCase() : null;
}

/** How long a payment is looked up after the poster has reported it. */
export const CHECK_PERIOD_MS = 24 * HOUR_MS;
const MAX_CHECK_DELAY_MS = HOUR_MS;
/** Blocks become final within a quarter of an hour on most chains. */
const MAX_DELAY_ON_ITS_WAY_MS = 5 * MINUTE_MS;

/**
 * Plans the next lookup of a payment that is not verified: after 1, 2, 4 … minutes, then each hour, and not at all after a day.
 * A payment that is only waiting for its block to become final is looked up at least every 5 minutes.
 *
 * @param checks The number of lookups so far, including this one.
 */
export function planCheck({
	reason,
	isOnItsWay,
	checks,
	paidAt,
	now,
}: {
	readonly reason: string;
	readonly isOnItsWay: boolean;
	readonly checks: number;
	readonly paidAt: number;
	readonly now: number;
}) {
	const longest = isOnItsWay ? MAX_DELAY_ON_ITS_WAY_MS : MAX_CHECK_DELAY_MS;
	const delayMs = Math.min(longest, MINUTE_MS * 2 ** Math.min(checks - 1, 10));
	if (now + delayMs <= paidAt + CHECK_PERIOD_MS) return { isOnItsWay, checkDueAt: now + delayMs, paymentNote: reason };
	return { isOnItsWay: false, checkDueAt: null, paymentNote: `${reason} The platform stopped checking after 24 hours.` };
}

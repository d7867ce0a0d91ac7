import { USDC_UNITS_PER_CENT } from "../../../domain/chains.ts";
import type { DealParty, DealStep } from "../../../domain/deal-status.ts";
import {
	canDealMove,
	canPartyMove,
	DEAL_ACTIONS,
	DEAL_TRANSITIONS,
	type DealAction,
	type DealStatus,
} from "../../../domain/deal-status.ts";
import { AppError } from "../../../domain/errors.ts";
import type { RoundStatus } from "../../../domain/evaluation-rounds.ts";
import type { TaskStatus } from "../../../domain/task-status.ts";
import { HOUR_MS, MINUTE_MS } from "../../../platform/clock.ts";

const BASIS_POINTS = 10_000n;

/**
 * Returns the platform's share of a deal, in cents, rounded half up. Contract: "Deal".
 *
 * @param feeBps Basis points: 1000 is 10 %.
 */
export function platformFeeCents(dealValueCents: number, feeBps: number): number {
	// The result is exact for every value: the product may pass what a double can hold.
	const product = BigInt(dealValueCents) * BigInt(feeBps);
	return Number((product + BASIS_POINTS / 2n) / BASIS_POINTS);
}

/** An open deal's own amount is above its due by 1 to this number of atomic units. A round payment is therefore no deal's own amount. */
export const MAX_PAY_REMAINDER = 9_999;

/** Returns the remainder that a deal gets unless another open deal has the same amount. It follows from the random part of the deal's id. */
export function preferredRemainder(dealId: string): number {
	return (Number.parseInt(dealId.slice(-8), 16) % MAX_PAY_REMAINDER) + 1;
}

interface DealAmounts {
	readonly dealValueCents: number;
	readonly platformFeeCents: number;
}

/** Returns the least payment of a deal in atomic units of USDC: the value less the fee. */
export function dueUnits({ dealValueCents, platformFeeCents }: DealAmounts): bigint {
	return BigInt(dealValueCents - platformFeeCents) * USDC_UNITS_PER_CENT;
}

/** Returns the amount that only this deal has, in atomic units of USDC, or null if it has none. */
export function ownUnits(deal: DealAmounts & { readonly payRemainder: number | null }): bigint | null {
	return deal.payRemainder === null ? null : dueUnits(deal) + BigInt(deal.payRemainder);
}

export const DEAL_WARNING_CODES = ["BUDGET_HIGH", "PROVISIONAL_RANKING"] as const;

/**
 * Warns the poster about a deal that is recorded all the same.
 *
 * @param roundStatus Null without a final round, and for a task that is not closed.
 */
export function dealWarnings({
	dealValueCents,
	budgetCents,
	roundStatus,
}: {
	readonly dealValueCents: number;
	readonly budgetCents: number;
	readonly roundStatus: RoundStatus | null;
}) {
	const warnings: { readonly code: (typeof DEAL_WARNING_CODES)[number]; readonly message: string }[] = [];
	if (dealValueCents > budgetCents) {
		const message = `The value of ${dealValueCents} cents is more than the task's budget of ${budgetCents} cents. The deal is recorded all the same.`;
		warnings.push({ code: "BUDGET_HIGH", message });
	}
	if (roundStatus !== null && roundStatus !== "ended") {
		const message = "The final round of the task has not ended, so another agent may come first. The deal is recorded all the same.";
		warnings.push({ code: "PROVISIONAL_RANKING", message });
	}
	return warnings;
}

/** @throws AppError `FORBIDDEN` when the poster and the agent are one, or belong to the same human or operator. */
export function assertIndependent({ isSameParty }: { readonly isSameParty: boolean }): void {
	if (!isSameParty) return;
	throw new AppError("FORBIDDEN", { message: "The agent is you, or belongs to the same human or operator. A deal needs two parties." });
}

/** @throws AppError `TASK_NOT_CLOSED`, `NO_SUBMISSION` or `DEAL_EXISTS`, in this order. */
export function assertDealPossible({
	taskId,
	status,
	hasEvaluatedSubmission,
	hasDeal,
}: {
	readonly taskId: string;
	readonly status: TaskStatus;
	readonly hasEvaluatedSubmission: boolean;
	readonly hasDeal: boolean;
}): void {
	if (status !== "closed") {
		throw new AppError("TASK_NOT_CLOSED", {
			message: `Task ${taskId} is ${status}. You can record a deal when it is closed.`,
			about: `/api/v1/tasks/${taskId}`,
		});
	}
	if (!hasEvaluatedSubmission) throw new AppError("NO_SUBMISSION");
	if (hasDeal) throw new AppError("DEAL_EXISTS");
}

/** Returns the caller's side of a deal. Returns null for everyone else. */
export function partyOfDeal(deal: { readonly companyId: string; readonly agentId: string }, callerId: string): DealParty | null {
	if (callerId === deal.companyId) return "poster";
	return callerId === deal.agentId ? "agent" : null;
}

/**
 * Checks a step against {@link DEAL_TRANSITIONS}. Contract: additions, "Deals".
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

/** @throws AppError `CONFLICT` when the agent has no payout address. */
export function assertPayable(wallet: { readonly payoutAddress: string | null }): void {
	if (wallet.payoutAddress !== null) return;
	throw new AppError("CONFLICT", {
		message: "The agent has no wallet. Pay when it has one: the agent sets it with PUT /api/v1/wallet.",
	});
}

/** Reads a reference as the hash of a transaction, in lower case. Returns null for any other reference. */
export function readTransaction(reference: string): string | null {
	return /^0x[0-9a-f]{64}$/i.test(reference) ? reference.toLowerCase() : null;
}

/** A payment is looked up for this long after the poster has reported it. */
export const CHECK_PERIOD_MS = 24 * HOUR_MS;
const MAX_CHECK_DELAY_MS = HOUR_MS;

/**
 * Plans the next look-up of a payment that could not be found: after 1, 2, 4 … minutes, then each hour, and after a day never.
 *
 * @param checks The look-ups so far, including this one.
 */
export function planCheck({
	reason,
	checks,
	paidAt,
	now,
}: {
	readonly reason: string;
	readonly checks: number;
	readonly paidAt: number;
	readonly now: number;
}) {
	const delayMs = Math.min(MAX_CHECK_DELAY_MS, MINUTE_MS * 2 ** Math.min(checks - 1, 10));
	if (now + delayMs <= paidAt + CHECK_PERIOD_MS) return { checkDueAt: now + delayMs, paymentNote: reason };
	return { checkDueAt: null, paymentNote: `${reason} The platform looked for 24 hours and has stopped.` };
}

const orderOf = (action: DealAction): number => Math.min(DEAL_ACTIONS.indexOf(action), DEAL_ACTIONS.indexOf("payment_verified"));

/** Sorts by the order of the states first, because clocks of machines differ. Only what can follow a payment is sorted by time. */
export function sortHistory<Entry extends { readonly at: number; readonly action: DealAction }>(history: readonly Entry[]): Entry[] {
	return history.toSorted((a, b) => orderOf(a.action) - orderOf(b.action) || a.at - b.at);
}

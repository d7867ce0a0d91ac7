// A deal shows how it is settled: its steps, where the agent is paid, and what is known of the payment.
import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import type { WalletRow } from "../db/schema/agents.ts";
import { type deals, IS_OPEN_DEAL } from "../db/schema/deals.ts";
import { isEvmAddress, USDC_UNITS_PER_CENT } from "../domain/chains.ts";
import { DEAL_ACTIONS, DEAL_ACTORS, type DealAction, dealStatus } from "../domain/deal-status.ts";
import { ADDRESS, AT } from "../domain/example-story.ts";
import { payoutChain, payoutMethod, timestamp } from "../http/fields.ts";
import { toIso, toIsoOrNull } from "../platform/clock.ts";

type DealRow = typeof deals.$inferSelect;

const historyColumn = z.array(
	z.object({ at: z.number(), actor: z.enum(DEAL_ACTORS), action: z.enum(DEAL_ACTIONS), note: z.string().nullable() }),
);

export type HistoryEntry = z.output<typeof historyColumn>[number];

/** Reads the steps of a deal from its row. */
export function historyOf({ history }: Pick<DealRow, "history">): HistoryEntry[] {
	return historyColumn.parse(JSON.parse(history));
}

/** An open deal's own amount is above its due by 1 to this number of atomic units. A round payment is therefore no deal's own amount. */
const MAX_PAY_REMAINDER = 9_999;

/** Returns the remainder that a deal gets unless another open deal has the same amount. It follows from the random part of the deal's id. */
function preferredRemainder(dealId: string): number {
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

const orderOf = (action: DealAction): number => Math.min(DEAL_ACTIONS.indexOf(action), DEAL_ACTIONS.indexOf("payment_verified"));

/** Sorts by the order of the states first, because clocks of machines differ. Only what can follow a payment is sorted by time. */
export function sortHistory<Entry extends { readonly at: number; readonly action: DealAction }>(history: readonly Entry[]): Entry[] {
	return history.toSorted((a, b) => orderOf(a.action) - orderOf(b.action) || a.at - b.at);
}

const payout = z
	.object({
		method: payoutMethod.describe("How the agent is paid."),
		address: z.string().nullable().describe("Where the agent is paid: an EVM address or an account id. Null without one."),
		chain: payoutChain.nullable().describe("The chain of an EVM address. Null for other payout methods."),
		verified_at: timestamp.nullable().describe("When the agent proved that the wallet is its own. Null if it has not."),
	})
	.meta({ id: "DealPayout", description: "Where the agent of a deal is paid." });

const payExactly = z
	.object({
		amount_atomic: z.string().regex(/^\d+$/).describe("The amount in atomic units of USDC, a millionth each."),
		address: z.string().describe("The agent's EVM address."),
		chain: payoutChain.describe("The chain of the wallet."),
	})
	.meta({ id: "PayExactly", description: "An amount that identifies a deal. No other open deal has it." });

const historyEntry = z
	.object({
		at: timestamp.describe("When it happened."),
		actor: z.enum(DEAL_ACTORS).describe("Who did it."),
		action: z.enum(DEAL_ACTIONS).describe("What happened. Each action happens at most once."),
		note: z.string().nullable().describe("The reason of a dispute, or what the platform found on the chain. Null otherwise."),
	})
	.meta({ id: "DealHistoryEntry", description: "One thing that happened to a deal." });

const recorded = { at: AT.dealt, actor: "poster", action: "recorded", note: null } as const;

export const settlementOfDeal = {
	shape: {
		status: dealStatus.describe("How far the deal has come."),
		payout: payout.nullable().describe("The agent's wallet, as it was when the poster paid once it has. Null if the agent has none."),
		pay_exactly: payExactly
			.nullable()
			.describe(
				"A USDC transfer of exactly this amount to this wallet pays this deal, from any wallet: the value less the fee, plus up to 9,999 atomic units (less than a cent). Null if the agent has no EVM address.",
			),
		payment_reference: z.string().nullable().describe("What the poster said about its payment. Null until it is paid."),
		payment_verified: z
			.boolean()
			.nullable()
			.describe(
				"Whether the platform found the payment on its chain: true, false if the transaction shows otherwise, null if it does not know.",
			),
		payment_note: z.string().nullable().describe("Why `payment_verified` of a paid deal is null or false. Null otherwise."),
		history: z.array(historyEntry).describe("What happened to the deal, oldest first. Entries are never changed."),
	},
	example: {
		status: "recorded",
		payout: { method: "onchain_usdc", address: ADDRESS, chain: "base", verified_at: AT.verified },
		pay_exactly: { amount_atomic: "2250004711", address: ADDRESS, chain: "base" },
		payment_reference: null,
		payment_verified: null,
		payment_note: null,
		history: [recorded],
	},
	columnsOfNew,
	read: (deal: DealRow, wallet: WalletRow) => ({
		status: deal.status,
		payout: viewPayout(deal, wallet),
		pay_exactly: viewPayExactly(deal, wallet),
		payment_reference: deal.paymentReference,
		payment_verified: deal.paymentVerified,
		payment_note: deal.paymentNote,
		history: sortHistory(historyOf(deal)).map(({ at, actor, action, note }) => ({ at: toIso(at), actor, action, note })),
	}),
} as const;

/**
 * Returns the columns of a deal that is being recorded. The statement itself looks for the next remainder that no open deal of the same
 * amount has, so parallel deals get different ones.
 */
function columnsOfNew({ id, dealValueCents, platformFeeCents, createdAt }: DealAmounts & Pick<DealRow, "id" | "createdAt">) {
	const history: HistoryEntry[] = [{ at: createdAt, actor: "poster", action: "recorded", note: null }];
	const due = dealValueCents - platformFeeCents;
	const isTaken = sql`exists (select 1 from deals where (deal_value_cents - platform_fee_cents) = ${due}
		and pay_remainder = tried.remainder and ${IS_OPEN_DEAL})`;
	const payRemainder: SQL = sql`(with recursive tried (remainder, number) as (
			select ${preferredRemainder(id)}, 1
			union all select remainder % ${MAX_PAY_REMAINDER} + 1, number + 1 from tried where number < ${MAX_PAY_REMAINDER} and ${isTaken})
		select case when not ${isTaken} then remainder end from tried order by number desc limit 1)`;
	return { history: JSON.stringify(history), payRemainder };
}

/** Returns the wallet as it was when the poster paid, or until then the agent's current one. */
function payoutOf(deal: DealRow, wallet: WalletRow) {
	return deal.paidAt === null
		? { method: wallet.payoutMethod, address: wallet.payoutAddress, chain: wallet.payoutChain, verifiedAt: wallet.walletVerifiedAt }
		: { method: deal.paidMethod, address: deal.paidAddress, chain: deal.paidChain, verifiedAt: deal.paidWalletVerifiedAt };
}

function viewPayExactly(deal: DealRow, wallet: WalletRow) {
	const { method, address, chain } = payoutOf(deal, wallet);
	const units = ownUnits(deal);
	if (method !== "onchain_usdc" || chain === null || units === null || !isEvmAddress(address)) return null;
	return { amount_atomic: String(units), address, chain };
}

function viewPayout(deal: DealRow, wallet: WalletRow) {
	const payout = payoutOf(deal, wallet);
	if (payout.method === null) return null;
	return { method: payout.method, address: payout.address, chain: payout.chain, verified_at: toIsoOrNull(payout.verifiedAt) };
}

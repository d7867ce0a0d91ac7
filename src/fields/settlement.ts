// How a deal is settled: its steps, where the agent is paid, and what is known about the payment.
import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import { guard } from "../db/commit.ts";
import type { WalletRow } from "../db/schema/agents.ts";
import { type deals, IS_OPEN_DEAL } from "../db/schema/deals.ts";
import { type Address, isEvmAddress, PAYOUT_CHAINS, type PayoutChain, USDC_UNITS_PER_CENT } from "../domain/chains.ts";
import { DEAL_ACTIONS, DEAL_ACTORS, dealStatus } from "../domain/deal-status.ts";
import { ADDRESS, AT } from "../domain/example-story.ts";
import { payoutChain, payoutMethod, timestamp } from "../http/fields.ts";
import { toIso, toIsoOrNull } from "../platform/clock.ts";
import type { Statement } from "../ports/database.ts";
import type { Deps } from "../ports/deps.ts";

export type DealRow = typeof deals.$inferSelect;

const historyColumn = z.array(
	z.object({
		at: z.number(),
		actor: z.enum(DEAL_ACTORS),
		action: z.enum(DEAL_ACTIONS),
		note: z.string().nullable(),
		/**
		 * Only `address_shown` has `address` and `chain`. The chain is null for a wallet without a chain. An erasure sets `address` to null.
		 */
		address: z.string().nullable().default(null),
		chain: z.enum(PAYOUT_CHAINS).nullable().default(null),
	}),
);

/** Entries other than `address_shown` may omit `address` and `chain`. */
export type HistoryEntry = z.input<typeof historyColumn>[number];

/** Parses the history in a deal's row, oldest entry first. */
export function historyOf({ history }: Pick<DealRow, "history">) {
	return historyColumn.parse(JSON.parse(history));
}

/** Returns the EVM wallets that a deal showed, oldest first. */
export function shownWallets(deal: Pick<DealRow, "history">): { readonly address: Address; readonly chain: PayoutChain }[] {
	return historyOf(deal).flatMap(({ address, chain }) => (isEvmAddress(address) && chain !== null ? [{ address, chain }] : []));
}

/**
 * A deal's own amount is 1 to this many atomic units more than the amount due. It is never a whole number of cents, so a payment of a round
 * amount never matches it.
 */
const MAX_PAY_REMAINDER = 9_999;

/**
 * Returns the remainder that a deal gets unless another open deal already has the resulting amount. It is derived from the random part of
 * the deal's id.
 */
function preferredRemainder(dealId: string): number {
	return (Number.parseInt(dealId.slice(-8), 16) % MAX_PAY_REMAINDER) + 1;
}

interface DealAmounts {
	readonly dealValueCents: number;
	readonly platformFeeCents: number;
}

/** Returns what is due for a deal in atomic units of USDC: the value minus the fee. */
export function dueUnits({ dealValueCents, platformFeeCents }: DealAmounts): bigint {
	return BigInt(dealValueCents - platformFeeCents) * USDC_UNITS_PER_CENT;
}

/** Returns the deal's own amount in atomic units of USDC, which identifies its payment. Returns null if it has none. */
export function ownUnits(deal: DealAmounts & { readonly payRemainder: number | null }): bigint | null {
	return deal.payRemainder === null ? null : dueUnits(deal) + BigInt(deal.payRemainder);
}

const payout = z
	.object({
		method: payoutMethod.describe("How the agent is paid."),
		address: z.string().nullable().describe("Where the agent is paid: an EVM address or an account id. Null if there is none."),
		chain: payoutChain.nullable().describe("The chain of an EVM address. Null for other payout methods."),
		verified_at: timestamp.nullable().describe("When the agent proved that it controls the wallet. Null if it has not."),
	})
	.meta({ id: "DealPayout", description: "Where the agent of a deal is paid." });

const payExactly = z
	.object({
		amount_atomic: z.string().regex(/^\d+$/).describe("The amount in atomic units of USDC, which are millionths."),
		address: z.string().describe("The agent's EVM address."),
		chain: payoutChain.describe("The chain of the wallet."),
	})
	.meta({ id: "PayExactly", description: "An amount that identifies a deal. No other open deal has it." });

const historyEntry = z
	.object({
		at: timestamp.describe("When the action happened."),
		actor: z.enum(DEAL_ACTORS).describe("Who took the action."),
		action: z
			.enum(DEAL_ACTIONS)
			.describe(
				"What happened. `address_shown`: from then on the deal showed this wallet as the agent's, and a payment to it counts. A deal can have this action several times, and every other action at most once.",
			),
		note: z
			.string()
			.nullable()
			.describe(
				"Why the deal was declined or disputed, or what the platform found on the chain. Null otherwise, and once a party of the deal is erased.",
			),
		address: z
			.string()
			.nullable()
			.describe(
				"The wallet that the deal showed from then on, if the action is `address_shown`. Null for other actions, and once the agent is erased.",
			),
	})
	.meta({ id: "DealHistoryEntry", description: "An entry in a deal's history." });

const seenOnChain = z
	.object({
		amount_atomic: z
			.string()
			.regex(/^\d+$/)
			.describe("What the agent got, in atomic units of USDC, net of what left its wallets in the same transaction."),
		address: z.string().nullable().describe("The wallet that got the amount. Null once the agent is erased."),
		chain: payoutChain.describe("The chain of the transaction."),
		at: timestamp.describe("The time of the transaction's block."),
	})
	.meta({ id: "SeenOnChain", description: "A payment that the platform read in a final block of its chain." });

const history = [
	{ at: AT.dealt, actor: "poster", action: "recorded", note: null, address: null },
	{ at: AT.dealt, actor: "platform", action: "address_shown", note: null, address: ADDRESS },
] as const;

export const settlementOfDeal = {
	shape: {
		status: dealStatus.describe("The status of the deal."),
		payout: payout
			.nullable()
			.describe(
				"The agent's wallet: the current one until the poster reports the payment, and from then on the wallet at the time of that report. If the agent removed its wallet, or the deal ended before the payment, it is the last one that the deal showed. Null if there is none.",
			),
		pay_exactly: payExactly
			.nullable()
			.describe(
				"A USDC transfer of exactly this amount to this wallet, from any wallet, pays this deal. The amount is the value minus the fee, plus up to 9,999 atomic units (less than a cent). Null if `payout` has no EVM address.",
			),
		payment_reference: z
			.string()
			.nullable()
			.describe(
				"What identifies the payment, as reported by the poster. Null until the poster has reported one, and once a party of the deal is erased.",
			),
		payment_verified: z
			.boolean()
			.nullable()
			.describe(
				"Whether the platform read the payment in a final block of its chain. False if the transaction is not this payment, null if the platform does not know.",
			),
		payment_on_its_way: z
			.boolean()
			.describe(
				"Whether the payment is in a block that is not final yet. The platform checks again until the block is final, for up to 24 hours.",
			),
		seen_on_chain: seenOnChain.nullable().describe("What the chain shows. Null unless `payment_verified` is true."),
		payment_note: z
			.string()
			.nullable()
			.describe("Why `payment_verified` of a paid deal is null or false. Null otherwise, and once a party of the deal is erased."),
		history: z
			.array(historyEntry)
			.describe(
				"What happened to the deal, oldest first. Entries do not change later, except that erasing a party of the deal removes the notes and erasing the agent also removes its wallets.",
			),
	},
	example: {
		status: "recorded",
		payout: { method: "onchain_usdc", address: ADDRESS, chain: "base", verified_at: AT.verified },
		pay_exactly: { amount_atomic: "2250004711", address: ADDRESS, chain: "base" },
		payment_reference: null,
		payment_verified: null,
		payment_on_its_way: false,
		seen_on_chain: null,
		payment_note: null,
		history,
	},
	columnsOfNew,
	ofChangedWallet,
	read: (deal: DealRow, wallet: WalletRow) => ({
		status: deal.status,
		payout: viewPayout(deal, wallet),
		pay_exactly: viewPayExactly(deal, wallet),
		payment_reference: deal.paymentReference,
		payment_verified: deal.paymentVerified,
		payment_on_its_way: deal.isOnItsWay,
		seen_on_chain: viewSeen(deal),
		payment_note: deal.paymentNote,
		history: historyOf(deal).map(({ at, actor, action, note, address }) => ({ at: toIso(at), actor, action, note, address })),
	}),
} as const;

/**
 * Returns columns of a new deal. The inserting statement itself finds a remainder that no other open deal with the same amount due has, so
 * that deals inserted in parallel get different ones. It also reads the agent's wallet, which the deal shows from then on.
 */
function columnsOfNew({ id, agentId, dealValueCents, platformFeeCents, createdAt }: NewDeal) {
	const recorded: HistoryEntry = { at: createdAt, actor: "poster", action: "recorded", note: null };
	const history: SQL = sql`(select case when payout_address is null then json_array(json(${JSON.stringify(recorded)}))
		else json_array(json(${JSON.stringify(recorded)}), ${shownEntry(createdAt, { address: sql`payout_address`, chain: sql`payout_chain` })}) end
		from agents where agents.id = ${agentId})`;
	const due = dealValueCents - platformFeeCents;
	const isTaken = sql`exists (select 1 from deals where (deal_value_cents - platform_fee_cents) = ${due}
		and pay_remainder = tried.remainder and ${IS_OPEN_DEAL})`;
	const payRemainder: SQL = sql`(with recursive tried (remainder, number) as (
			select ${preferredRemainder(id)}, 1
			union all select remainder % ${MAX_PAY_REMAINDER} + 1, number + 1 from tried where number < ${MAX_PAY_REMAINDER} and ${isTaken})
		select case when not ${isTaken} then remainder end from tried order by number desc limit 1)`;
	return { history, payRemainder };
}

type NewDeal = DealAmounts & Pick<DealRow, "id" | "agentId" | "createdAt">;

const shownEntry = (at: number, { address, chain }: { readonly address: SQL; readonly chain: SQL }): SQL =>
	sql`json_object('at', ${at}, 'actor', 'platform', 'action', 'address_shown', 'note', null, 'address', ${address}, 'chain', ${chain})`;

/** The maximum number of different wallets in a deal's history, so that a page of deals stays small. */
export const MAX_SHOWN_WALLETS = 20;
/** The maximum number of entries about wallets in a deal's history. An agent can switch back and forth between the same wallets. */
const MAX_SHOWN_ENTRIES = 5 * MAX_SHOWN_WALLETS;

/**
 * Returns statements for the commit that changes an agent's wallet. `recorded` and `accepted` deals show the new wallet from then on, and
 * keep the earlier ones in their history. Removing the wallet changes no deal. The guard fails if such a deal has already shown too many
 * different wallets, or has too many entries about wallets.
 */
function ofChangedWallet(
	{ db }: Pick<Deps, "db">,
	agentId: string,
	{ address, chain, now }: { readonly address: string | null; readonly chain: PayoutChain | null; readonly now: number },
): Statement[] {
	if (address === null) return [];
	const shownAddresses = sql`from json_each(deals.history) where value->>'action' = 'address_shown'`;
	const hasAddress = isEvmAddress(address)
		? sql`lower(value->>'address') = ${address.toLowerCase()}`
		: sql`value->>'address' is ${address}`;
	const isSame = sql`(${hasAddress} and value->>'chain' is ${chain})`;
	// Only the last wallet in the history counts as shown now, so switching back to an earlier wallet adds an entry.
	const isNext = sql`deals.agent_id = ${agentId} and deals.status in ('recorded', 'accepted')
		and coalesce((select not ${isSame} ${shownAddresses} order by key desc limit 1), 1)`;
	const isFull = sql`((select count(*) ${shownAddresses}) >= ${MAX_SHOWN_ENTRIES} or (not exists (select 1 ${shownAddresses} and ${isSame})
		and (select count(distinct lower(value->>'address') || ' ' || coalesce(value->>'chain', '')) ${shownAddresses}) >= ${MAX_SHOWN_WALLETS}))`;
	const entry = shownEntry(now, { address: sql`${address}`, chain: sql`${chain}` });
	return [
		guard(db, sql`not exists (select 1 from deals where ${isNext} and ${isFull})`),
		db.statement(sql`update deals set history = json_insert(history, '$[#]', ${entry}) where ${isNext}`),
	];
}

/** Where the agent of a deal is paid. The method is null if there is no wallet to show. */
export interface Payout {
	readonly method: WalletRow["payoutMethod"];
	readonly address: string | null;
	readonly chain: PayoutChain | null;
	/** When the agent proved that it controls the wallet, in milliseconds since the epoch. Null if it has not. */
	readonly verifiedAt: number | null;
}

/**
 * Returns the agent's wallet as it was when the poster reported the payment. Before that, returns the current wallet. If the agent removed
 * it, or if the deal ended without a payment, returns the last wallet that the deal showed.
 */
export function payoutOf(deal: DealRow, wallet: WalletRow): Payout {
	const currentPayout = {
		method: wallet.payoutMethod,
		address: wallet.payoutAddress,
		chain: wallet.payoutChain,
		verifiedAt: wallet.walletVerifiedAt,
	};
	if (deal.paidAt !== null) {
		return { method: deal.paidMethod, address: deal.paidAddress, chain: deal.paidChain, verifiedAt: deal.paidWalletVerifiedAt };
	}
	const isOpen = deal.status === "recorded" || deal.status === "accepted";
	const last = historyOf(deal).findLast(({ action }) => action === "address_shown");
	if (isOpen && (currentPayout.address !== null || last === undefined)) return currentPayout;
	if (last === undefined || last.address === null) return { method: null, address: null, chain: null, verifiedAt: null };
	const { address, chain } = last;
	const isCurrent = address === currentPayout.address && chain === currentPayout.chain;
	// The history has no payout method. Only wallets for `onchain_usdc` have a chain.
	const method = chain === null ? ("coinbase_commerce" as const) : ("onchain_usdc" as const);
	return { method, address, chain, verifiedAt: isCurrent ? currentPayout.verifiedAt : null };
}

function viewSeen({ seenUnits, seenAddress, seenChain, seenAt }: DealRow) {
	if (seenUnits === null || seenChain === null || seenAt === null) return null;
	return { amount_atomic: seenUnits, address: seenAddress, chain: seenChain, at: toIso(seenAt) };
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

// Finds out whether a transaction pays USDC to a wallet address.
import { decodeEventLog } from "viem/utils";
import { isSameAddress } from "../../core/identity/wallet/rules.ts";
import { type Address, CHAINS, PAYOUT_CHAINS, type PayoutChain } from "../../domain/chains.ts";
import { type ChainDeps, CLOCK_TOLERANCE_MS, type FoundTransaction, findTransaction, type Receipt } from "./find-transaction.ts";

const TRANSFER = [
	{
		type: "event",
		name: "Transfer",
		inputs: [
			{ name: "from", type: "address", indexed: true },
			{ name: "to", type: "address", indexed: true },
			{ name: "value", type: "uint256", indexed: false },
		],
	},
] as const;

export interface ChainWallet {
	readonly address: Address;
	readonly chain: PayoutChain;
}

export interface PaymentTerms {
	/** The hash, in lower case. */
	readonly transaction: string;
	/** At least one wallet. Payments to any of them count. */
	readonly wallets: readonly ChainWallet[];
	/** The minimum amount, in units of the contract. */
	readonly units: bigint;
	/** Returns the poster's verified wallet on a chain. Transfers of any amount from this wallet count. Null if there is none. */
	readonly payerOn: (chain: PayoutChain) => Address | null;
	/** A single transfer of exactly this amount also counts, from any wallet. */
	readonly exactUnits: bigint | null;
	/** Milliseconds since the epoch. An earlier transaction pays for something else. */
	readonly notBefore: number;
}

/**
 * The net amount in atomic units that the wallet received, and when, in milliseconds since the epoch. Transfers out of the wallets are
 * subtracted.
 */
interface SeenPayment extends ChainWallet {
	readonly units: bigint;
	readonly at: number;
}

/** The result of looking up a payment. The reasons are sentences for both parties. */
export type PaymentFinding =
	| { readonly kind: "paid"; readonly seen: SeenPayment }
	/** A final block shows that the transaction is not this payment. */
	| { readonly kind: "contradicted"; readonly reason: string }
	/** The transaction pays, but its block is not final, so a reorganisation of the chain can still remove it. */
	| { readonly kind: "on_its_way"; readonly reason: string }
	| { readonly kind: "unknown"; readonly reason: string };

/** Looks up a payment. Returns null if the deployment has no node for any chain of the wallets. Never throws. */
export async function findUsdcPayment(deps: ChainDeps, expected: PaymentTerms): Promise<PaymentFinding | null> {
	const { transaction, wallets } = expected;
	const ownChains = [...new Set(wallets.map(({ chain }) => chain))];
	const readable = ownChains.filter((chain) => deps.config.walletRpcUrls[chain] !== null);
	if (readable.length === 0) return null;
	// The transaction is on at most one chain, and a Worker has few connections, so the chains are asked one after the other.
	const silent: PayoutChain[] = [];
	for (const chain of readable) {
		const lookup = await findTransaction(deps, chain, transaction);
		if (lookup.kind === "mined") return assessPayment(expected, chain, lookup);
		if (lookup.kind === "unavailable") silent.push(chain);
	}
	const elsewhere = await findOnOtherChain(deps, expected, ownChains);
	if (elsewhere !== null) return elsewhere;
	const [silentChain] = silent;
	if (silentChain !== undefined) return unavailable(silentChain);
	const unread = ownChains.filter((chain) => !readable.includes(chain)).map((chain) => ` This deployment cannot read the chain ${chain}.`);
	return unknown(`The transaction is not on ${listNames(readable)} yet.${unread.join("")}`);
}

function assessPayment(
	expected: PaymentTerms,
	chain: PayoutChain,
	{ receipt: mined, minedAt, isFinal }: FoundTransaction & { readonly kind: "mined" },
): PaymentFinding {
	if (isFinal === null) {
		return unknown(`The node of ${chain} does not say which blocks are final, so the platform cannot verify payments there.`);
	}
	const transfers = readTransfers(expected, chain, mined);
	const reason = findContradiction(expected, chain, { mined, minedAt, transfers });
	if (reason !== null) {
		return isFinal
			? { kind: "contradicted", reason }
			: unknown(`The block of the transaction is not final yet. So far it shows this: ${reason}`);
	}
	const units = countOwnUnits(expected, chain, transfers);
	if (units === null) return unknown(transfers.spent > 0n ? SPENT : NOT_OWN);
	if (!isFinal) {
		return { kind: "on_its_way", reason: `The payment is in block ${mined.blockNumber} of ${chain}, which is not final yet.` };
	}
	return { kind: "paid", seen: { chain, address: receiverOf(expected, transfers), units, at: minedAt } };
}

const NOT_OWN =
	"The transaction pays the agent, but it does not come from a wallet that the poster has verified, and the amount is not exactly pay_exactly. The payment may be for something else.";
const SPENT =
	"In the same transaction, money leaves the agent's wallet again. The rest is too little: neither the transfers from the poster's verified wallet nor a transfer of exactly pay_exactly still cover the deal.";

function findContradiction(
	{ wallets, units, notBefore }: PaymentTerms,
	chain: PayoutChain,
	{ mined, minedAt, transfers }: { readonly mined: Receipt; readonly minedAt: number; readonly transfers: Transfers },
): string | null {
	if (mined.status === "0x0") return "The transaction failed, so it moved no money.";
	if (minedAt < notBefore - CLOCK_TOLERANCE_MS) return "The transaction is older than the deal.";
	const { received, spent } = transfers;
	const addresses = listNames([...new Set(wallets.filter((wallet) => wallet.chain === chain).map(({ address }) => address))]);
	const paid = sumOf(received);
	if (paid === 0n) return `The transaction transfers no USDC (${CHAINS[chain].usdc}) to ${addresses} on ${chain}.`;
	const net = paid - spent;
	if (net >= units) return null;
	const needed = `The deal needs ${formatUsdc(units)} USDC.`;
	if (spent === 0n) return `The transaction pays ${formatUsdc(paid)} USDC. ${needed}`;
	return `The transaction pays ${formatUsdc(paid)} USDC, of which ${formatUsdc(spent)} USDC leave the agent's wallet again in the same transaction. ${needed}`;
}

/**
 * Counts the atomic units that certainly belong to this payment, minus everything that left the agent's wallets.
 * Returns null if the transaction may pay for something else.
 */
function countOwnUnits({ payerOn, exactUnits, units }: PaymentTerms, chain: PayoutChain, { received, spent }: Transfers): bigint | null {
	const payer = payerOn(chain);
	const fromPayer = sumOf(received.filter(({ from }) => payer !== null && isSameAddress(from, payer))) - spent;
	if (fromPayer > 0n && fromPayer >= units) return fromPayer;
	if (exactUnits === null || !received.some(({ value }) => value === exactUnits)) return null;
	const unspentUnits = exactUnits - spent;
	return unspentUnits >= units ? unspentUnits : null;
}

interface Transfers {
	/** Transfers from outside of the agent's wallets. */
	readonly received: readonly { readonly from: Address; readonly to: Address; readonly value: bigint }[];
	/** The amount that left the agent's wallets, in atomic units. Transfers to another wallet that the deal has shown do not count. */
	readonly spent: bigint;
}

const sumOf = (transfers: readonly { readonly value: bigint }[]): bigint => transfers.reduce((sum, { value }) => sum + value, 0n);

/** Reads what a transaction moves into and out of the wallets that the deal has shown on a chain. */
function readTransfers({ wallets }: PaymentTerms, chain: PayoutChain, { logs }: Receipt): Transfers {
	const own = wallets.filter((wallet) => wallet.chain === chain);
	const isOwn = (address: Address) => own.some((wallet) => isSameAddress(wallet.address, address));
	const transfers = logs
		.filter((entry) => isSameAddress(entry.address, CHAINS[chain].usdc))
		.map(readTransfer)
		.filter((transfer) => transfer !== null);
	return {
		received: transfers.filter(({ from, to }) => isOwn(to) && !isOwn(from)),
		spent: sumOf(transfers.filter(({ from, to }) => isOwn(from) && !isOwn(to))),
	};
}

/** Returns the address of the wallet that received the most, written as the deal has shown it. */
function receiverOf({ wallets }: PaymentTerms, { received }: Transfers): Address {
	const sumFor = (address: Address) => sumOf(received.filter(({ to }) => isSameAddress(to, address)));
	const [first] = wallets.map(({ address }) => ({ address, sum: sumFor(address) })).toSorted((a, b) => (a.sum < b.sum ? 1 : -1));
	if (first === undefined) throw new Error("The payment has no receiver.");
	return first.address;
}

function readTransfer({ topics, data }: Receipt["logs"][number]) {
	const [signature, ...indexed] = topics;
	if (signature === undefined) return null;
	try {
		return decodeEventLog({ abi: TRANSFER, topics: [signature, ...indexed], data }).args;
	} catch {
		return null;
	}
}

/** Looks for the transaction on the chains on which the deal has shown no wallet. */
async function findOnOtherChain(
	deps: ChainDeps,
	{ transaction }: PaymentTerms,
	ownChains: readonly PayoutChain[],
): Promise<PaymentFinding | null> {
	for (const chain of PAYOUT_CHAINS) {
		if (ownChains.includes(chain)) continue;
		const lookup = await findTransaction(deps, chain, transaction);
		if (lookup.kind !== "mined") continue;
		const reason = `The transaction is on ${chain}. The agent is paid on ${listNames(ownChains)}.`;
		return lookup.isFinal === true ? { kind: "contradicted", reason } : unknown(reason);
	}
	return null;
}

const listNames = (names: readonly string[]): string => names.join(" or ");

const unknown = (reason: string): PaymentFinding => ({ kind: "unknown", reason });
const unavailable = (chain: PayoutChain) => unknown(`The node of ${chain} does not respond as expected.`);

const UNITS_PER_USDC = 1_000_000n;

/** Formats an amount with as many decimals as it needs, but at least two. */
export function formatUsdc(units: bigint): string {
	const decimals = String(units % UNITS_PER_USDC).padStart(6, "0");
	return `${units / UNITS_PER_USDC}.${decimals.slice(0, 2)}${decimals.slice(2).replace(/0+$/, "")}`;
}

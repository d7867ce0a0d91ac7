// Looks up on its chain whether a transaction pays USDC to a wallet address. Nothing in a node's responses is trusted.
import { decodeEventLog } from "viem/utils";
import * as z from "zod";
import { callNode, type NodeCall, type NodeResponse } from "../../core/identity/wallet/node.ts";
import { isSameAddress } from "../../core/identity/wallet/rules.ts";
import { type Address, CHAINS, PAYOUT_CHAINS, type PayoutChain } from "../../domain/chains.ts";
import { MINUTE_MS, SECOND_MS } from "../../platform/clock.ts";
import type { Log } from "../../platform/log.ts";
import type { OutboundDeps } from "../../platform/outbound.ts";

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

/** The largest receipts are those of batches with thousands of logs. A larger response is cut and counts as none. */
const MAX_RECEIPT_BYTES = 4 * 1_048_576;
const MAX_NUMBER_BYTES = 1_000;
/** A block without its transactions' bodies still lists their hashes. */
const MAX_BLOCK_BYTES = 1_048_576;
/** Clocks of chains and of this platform differ by seconds. */
const CLOCK_TOLERANCE_MS = 10 * MINUTE_MS;

/** Reads hex, and turns its digits into lower case. */
const hex = (digits: RegExp) =>
	z
		.string()
		.regex(digits)
		.transform((text): `0x${string}` => `0x${text.slice(2).toLowerCase()}`);
const word = hex(/^0x[0-9a-fA-F]{64}$/);
const quantity = z
	.string()
	.regex(/^0x[0-9a-fA-F]{1,16}$/)
	.transform(BigInt);

const logEntry = z.object({
	address: hex(/^0x[0-9a-fA-F]{40}$/),
	topics: z.array(word).max(4),
	data: hex(/^0x([0-9a-fA-F]{2})*$/),
});

const receipt = z
	.object({ transactionHash: word, status: z.enum(["0x0", "0x1"]), blockNumber: quantity, blockHash: word, logs: z.array(logEntry) })
	.nullable();

const block = z.object({ hash: word, number: quantity, timestamp: quantity }).nullable();

type Receipt = NonNullable<z.output<typeof receipt>>;

export interface PaymentDeps extends OutboundDeps {
	readonly config: OutboundDeps["config"] & { readonly walletRpcUrls: Readonly<Record<PayoutChain, string | null>> };
	readonly log: Log;
}

export interface ChainWallet {
	readonly address: Address;
	readonly chain: PayoutChain;
}

export interface PaymentTerms {
	/** The hash, in lower case. */
	readonly transaction: string;
	/** Payments to any of these wallets count. At least one. */
	readonly wallets: readonly ChainWallet[];
	/** The minimum amount, in units of the contract. */
	readonly units: bigint;
	/** Returns the payer's verified wallet on a chain, from which the whole payment may come. Null if there is none. */
	readonly payerOn: (chain: PayoutChain) => Address | null;
	/** A single transfer of exactly this amount also counts, from any wallet. */
	readonly exactUnits: bigint | null;
	/** Milliseconds since the epoch. An earlier transaction pays for something else. */
	readonly notBefore: number;
}

/** The net amount in atomic units that the wallet received, and when, in milliseconds since the epoch. Transfers out of the wallets are subtracted. */
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

/** Looks up a payment. Returns null if the deployment has no node for any of its chains. Never throws. */
export async function findUsdcPayment(deps: PaymentDeps, expected: PaymentTerms): Promise<PaymentFinding | null> {
	const { transaction, wallets } = expected;
	const ownChains = [...new Set(wallets.map(({ chain }) => chain))];
	const readable = ownChains.filter((chain) => deps.config.walletRpcUrls[chain] !== null);
	if (readable.length === 0) return null;
	// The transaction is on one chain at most, and a Worker has few connections, so the chains are asked one after the other.
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

type FoundTransaction =
	/** `isFinal` is null for a node that does not say which blocks are final. */
	| { readonly kind: "mined"; readonly receipt: Receipt; readonly minedAt: number; readonly isFinal: boolean | null }
	| { readonly kind: "absent" | "unavailable" };

/** Looks for a transaction in the blocks of a chain that has a node. */
async function findTransaction(deps: PaymentDeps, chain: PayoutChain, transaction: string): Promise<FoundTransaction> {
	const rpcUrl = deps.config.walletRpcUrls[chain];
	if (rpcUrl === null) return { kind: "absent" };
	const numberCall = { rpcUrl, params: [], result: quantity, maxResponseBytes: MAX_NUMBER_BYTES };
	const [id, final, mined] = await Promise.all([
		askNode(deps, chain, { ...numberCall, method: "eth_chainId" }),
		askForFinalBlock(deps, chain, rpcUrl),
		findReceipt(deps, chain, { rpcUrl, transaction }),
	]);
	if (id === undefined || final === undefined || mined === undefined) return { kind: "unavailable" };
	if (id !== CHAINS[chain].id) {
		deps.log.error("node_of_another_chain", { chain, chain_id: String(id) });
		return { kind: "unavailable" };
	}
	if (mined === null) return { kind: "absent" };
	// Read after the final block, so the hash of a lower block can no longer change.
	const ofReceipt = await askNode(deps, chain, { ...blockCall(rpcUrl), params: [`0x${mined.blockNumber.toString(16)}`, false] });
	if (ofReceipt === undefined) return { kind: "unavailable" };
	// The chain was reorganised between the two calls.
	if (ofReceipt === null || ofReceipt.hash !== mined.blockHash) return { kind: "absent" };
	const minedAt = Number(ofReceipt.timestamp) * SECOND_MS;
	if (minedAt > deps.clock.now() + CLOCK_TOLERANCE_MS) {
		deps.log.error("node_failed", { chain, method: "eth_getBlockByNumber", reason: "future_block" });
		return { kind: "unavailable" };
	}
	const isFinal = final === null ? null : mined.blockNumber <= final.number;
	return { kind: "mined", receipt: mined, minedAt, isFinal };
}

const blockCall = (rpcUrl: string) =>
	({ rpcUrl, method: "eth_getBlockByNumber", result: block, maxResponseBytes: MAX_BLOCK_BYTES }) as const;

/** Returns the newest final block. Returns null when the node does not know the tag `finalized`, and undefined when it does not respond. */
async function askForFinalBlock(deps: PaymentDeps, chain: PayoutChain, rpcUrl: string) {
	const response = await callNode(deps, { ...blockCall(rpcUrl), params: ["finalized", false] });
	if (response.kind === "result") return response.value;
	deps.log.error("node_failed", { chain, method: "eth_getBlockByNumber", reason: response.kind });
	return response.kind === "refused" ? null : undefined;
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
	"The transaction pays the agent, but it does not come from a wallet that the poster has verified, and the amount is not exactly pay_exactly. So it may pay for something else.";
const SPENT =
	"In the same transaction, money leaves the agent's wallet again. What remains is less than the deal needs from the poster's verified wallet, or less than pay_exactly.";

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
 * Counts the atomic units that certainly belong to this payment, minus everything that left the agent's wallets. Returns null if the transaction may be someone else's payment for something else.
 */
function countOwnUnits({ payerOn, exactUnits, units }: PaymentTerms, chain: PayoutChain, { received, spent }: Transfers): bigint | null {
	const payer = payerOn(chain);
	const fromPayer = sumOf(received.filter(({ from }) => payer !== null && isSameAddress(from, payer))) - spent;
	if (fromPayer > 0n && fromPayer >= units) return fromPayer;
	if (exactUnits === null || !received.some(({ value }) => value === exactUnits)) return null;
	const left = exactUnits - spent;
	return left >= units ? left : null;
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

/** Returns the wallet that received most, as the deal has shown it. */
function receiverOf({ wallets }: PaymentTerms, { received }: Transfers): Address {
	const sumFor = (address: Address) => sumOf(received.filter(({ to }) => isSameAddress(to, address)));
	const [first] = wallets.map(({ address }) => ({ address, sum: sumFor(address) })).toSorted((a, b) => (a.sum < b.sum ? 1 : -1));
	if (first === undefined) throw new Error("A payment has a receiver.");
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
	deps: PaymentDeps,
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

/** Returns null for a transaction that is not in a block, and undefined when the node does not say. */
async function findReceipt(deps: PaymentDeps, chain: PayoutChain, { rpcUrl, transaction }: { rpcUrl: string; transaction: string }) {
	const call = { rpcUrl, method: "eth_getTransactionReceipt", params: [transaction], result: receipt } as const;
	const paymentReceipt = await askNode(deps, chain, { ...call, maxResponseBytes: MAX_RECEIPT_BYTES });
	if (paymentReceipt == null || paymentReceipt.transactionHash === transaction) return paymentReceipt;
	deps.log.error("node_failed", { chain, method: call.method, reason: "another_transaction" });
	return undefined;
}

async function askNode<Result extends z.ZodType>(
	deps: PaymentDeps,
	chain: PayoutChain,
	call: NodeCall<Result>,
): Promise<z.output<Result> | undefined> {
	const response: NodeResponse<z.output<Result>> = await callNode(deps, call);
	if (response.kind === "result") return response.value;
	deps.log.error("node_failed", { chain, method: call.method, reason: response.kind });
	return undefined;
}

const unknown = (reason: string): PaymentFinding => ({ kind: "unknown", reason });
const unavailable = (chain: PayoutChain) => unknown(`The node of ${chain} does not respond as expected.`);

const UNITS_PER_USDC = 1_000_000n;

/** Writes an amount with as many decimals as it needs, at least two. */
export function formatUsdc(units: bigint): string {
	const decimals = String(units % UNITS_PER_USDC).padStart(6, "0");
	return `${units / UNITS_PER_USDC}.${decimals.slice(0, 2)}${decimals.slice(2).replace(/0+$/, "")}`;
}

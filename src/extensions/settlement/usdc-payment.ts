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

const block = z.object({ hash: word, timestamp: quantity }).nullable();

type Receipt = NonNullable<z.output<typeof receipt>>;

export interface PaymentDeps extends OutboundDeps {
	readonly config: OutboundDeps["config"] & {
		readonly walletRpcUrls: Readonly<Record<PayoutChain, string | null>>;
		readonly paymentConfirmations: number;
	};
	readonly log: Log;
}

export interface PaymentTerms {
	readonly chain: PayoutChain;
	/** The hash is in lower case. */
	readonly transaction: string;
	readonly address: Address;
	/** The payment has at least this amount, in units of the contract. */
	readonly units: bigint;
	/** The whole payment may come from this wallet, which the payer has proved as its own. It is null without a proof. */
	readonly payer: Address | null;
	/** One transfer of exactly this amount pays, from any wallet. */
	readonly exactUnits: bigint | null;
	/** Milliseconds since the epoch. An earlier transaction pays for something else. */
	readonly notBefore: number;
}

/** A finding says what is known of a payment. The reasons are sentences for both parties. */
export type PaymentFinding =
	| { readonly kind: "paid"; readonly units: bigint; readonly confirmations: bigint }
	/** The transaction is not this payment. Until it is settled, a reorganisation of the chain can still change it. */
	| { readonly kind: "contradicted"; readonly reason: string; readonly isSettled: boolean }
	| { readonly kind: "unknown"; readonly reason: string };

/** Looks up a payment. Returns null when the deployment has no node of its chain. Never throws. */
export async function findUsdcPayment(deps: PaymentDeps, expected: PaymentTerms): Promise<PaymentFinding | null> {
	const { chain, transaction } = expected;
	const rpcUrl = deps.config.walletRpcUrls[chain];
	if (rpcUrl === null) return null;
	const [id, head, paymentReceipt] = await Promise.all([
		askNode(deps, chain, { rpcUrl, method: "eth_chainId", params: [], result: quantity, maxResponseBytes: MAX_NUMBER_BYTES }),
		askNode(deps, chain, { rpcUrl, method: "eth_blockNumber", params: [], result: quantity, maxResponseBytes: MAX_NUMBER_BYTES }),
		findReceipt(deps, chain, { rpcUrl, transaction }),
	]);
	if (id === undefined || head === undefined || paymentReceipt === undefined) return unavailable(chain);
	if (id !== CHAINS[chain].id) {
		deps.log.error("node_of_another_chain", { chain, chain_id: String(id) });
		return unavailable(chain);
	}
	if (paymentReceipt === null) return (await findOnOtherChain(deps, expected)) ?? unknown(`The transaction is not on ${chain} yet.`);
	const params = [`0x${paymentReceipt.blockNumber.toString(16)}`, false];
	const mined = await askNode(deps, chain, {
		rpcUrl,
		method: "eth_getBlockByNumber",
		params,
		result: block,
		maxResponseBytes: MAX_BLOCK_BYTES,
	});
	if (mined === undefined) return unavailable(chain);
	// The chain was reorganised between the two calls.
	if (mined === null || mined.hash !== paymentReceipt.blockHash) return unknown(`The transaction is not on ${chain} yet.`);
	const confirmations = head < paymentReceipt.blockNumber ? 0n : head - paymentReceipt.blockNumber + 1n;
	return assessPayment(expected, {
		receipt: paymentReceipt,
		minedAt: Number(mined.timestamp) * SECOND_MS,
		confirmations,
		needed: deps.config.paymentConfirmations,
	});
}

function assessPayment(
	expected: PaymentTerms,
	{
		receipt: mined,
		minedAt,
		confirmations,
		needed,
	}: { readonly receipt: Receipt; readonly minedAt: number; readonly confirmations: bigint; readonly needed: number },
): PaymentFinding {
	const isSettled = confirmations >= BigInt(needed);
	const reason = findContradiction(expected, mined, minedAt);
	if (reason !== null) return { kind: "contradicted", reason, isSettled };
	const units = findOwnUnits(expected, mined);
	if (units === null) {
		return unknown(
			"The transaction pays the agent, but comes from no wallet that the poster has proved, and its amount is not pay_exactly. So it may pay for something else.",
		);
	}
	if (!isSettled) return unknown(`The transaction has ${confirmations} of ${needed} confirmations.`);
	return { kind: "paid", units, confirmations };
}

function findContradiction(expected: PaymentTerms, mined: Receipt, minedAt: number): string | null {
	const { chain, address, units, notBefore } = expected;
	if (mined.status === "0x0") return "The transaction failed, so it moved nothing.";
	if (minedAt < notBefore - CLOCK_TOLERANCE_MS) return "The transaction is older than the deal.";
	const received = receivedUnits(expected, mined);
	if (received === 0n) return `The transaction transfers no USDC (${CHAINS[chain].usdc}) to ${address} on ${chain}.`;
	if (received < units) return `The transaction pays ${formatUsdc(received)} USDC. The deal needs ${formatUsdc(units)} USDC.`;
	return null;
}

/**
 * Returns the amount that surely belongs to this payment, in units of the contract. Returns null if someone else may have paid for
 * something else.
 */
function findOwnUnits(expected: PaymentTerms, mined: Receipt): bigint | null {
	const { payer, exactUnits, units } = expected;
	const transfers = readTransfers(expected, mined);
	const fromPayer = sumOf(transfers.filter(({ from }) => payer !== null && isSameAddress(from, payer)));
	if (fromPayer > 0n && fromPayer >= units) return fromPayer;
	return transfers.some(({ value }) => value === exactUnits) ? exactUnits : null;
}

/** Adds up what all transfers in a transaction give to the wallet. */
function receivedUnits(expected: PaymentTerms, mined: Receipt): bigint {
	return sumOf(readTransfers(expected, mined));
}

const sumOf = (transfers: readonly { readonly value: bigint }[]): bigint => transfers.reduce((sum, { value }) => sum + value, 0n);

/** Reads the transfers of USDC to the wallet. A transfer to oneself gives nothing. */
function readTransfers({ chain, address }: PaymentTerms, { logs }: Receipt) {
	return logs
		.filter((entry) => isSameAddress(entry.address, CHAINS[chain].usdc))
		.map(readTransfer)
		.filter((transfer) => transfer !== null)
		.filter(({ from, to }) => isSameAddress(to, address) && !isSameAddress(from, to));
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

/** Looks for the transaction on the other chains that this deployment has a node of. */
async function findOnOtherChain(deps: PaymentDeps, { chain, transaction }: PaymentTerms): Promise<PaymentFinding | null> {
	const chains = await Promise.all(
		PAYOUT_CHAINS.filter((other) => other !== chain).map(async (other) => {
			const rpcUrl = deps.config.walletRpcUrls[other];
			return rpcUrl !== null && (await findReceipt(deps, other, { rpcUrl, transaction })) != null ? other : null;
		}),
	);
	const where = chains.find((other) => other !== null);
	if (where === undefined) return null;
	return { kind: "contradicted", reason: `The transaction is on ${where}. The agent is paid on ${chain}.`, isSettled: true };
}

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
const unavailable = (chain: PayoutChain) => unknown(`The node of ${chain} does not respond as it should.`);

const UNITS_PER_USDC = 1_000_000n;

/** Writes an amount with as many decimals as it needs, at least two. */
export function formatUsdc(units: bigint): string {
	const decimals = String(units % UNITS_PER_USDC).padStart(6, "0");
	return `${units / UNITS_PER_USDC}.${decimals.slice(0, 2)}${decimals.slice(2).replace(/0+$/, "")}`;
}

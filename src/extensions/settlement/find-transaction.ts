// Looks up a transaction on a chain by asking a node. Nothing in a node's responses is trusted.
import * as z from "zod";
import { callNode, type NodeCall, type NodeResponse } from "../../core/identity/wallet/node.ts";
import { CHAINS, type PayoutChain } from "../../domain/chains.ts";
import { MINUTE_MS, SECOND_MS } from "../../platform/clock.ts";
import type { Log } from "../../platform/log.ts";
import type { OutboundDeps } from "../../platform/outbound.ts";

/** Batches with thousands of logs have the largest receipts. A response above this size is cut off, and counts as no response. */
const MAX_RECEIPT_BYTES = 4 * 1_048_576;
const MAX_NUMBER_BYTES = 1_000;
/** The maximum size of a block. Even without the bodies of its transactions, a block lists their hashes. */
const MAX_BLOCK_BYTES = 1_048_576;
/** The clocks of chains and of this platform differ by seconds. */
export const CLOCK_TOLERANCE_MS = 10 * MINUTE_MS;

/** Parses hex, and converts its digits to lower case. */
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

export type Receipt = NonNullable<z.output<typeof receipt>>;

export interface ChainDeps extends OutboundDeps {
	readonly config: OutboundDeps["config"] & { readonly walletRpcUrls: Readonly<Record<PayoutChain, string | null>> };
	readonly log: Log;
}

/** What a node says about a transaction. */
export type FoundTransaction =
	/** `isFinal` is null if the node does not say which blocks are final. */
	| { readonly kind: "mined"; readonly receipt: Receipt; readonly minedAt: number; readonly isFinal: boolean | null }
	| { readonly kind: "absent" | "unavailable" };

/** Looks for a transaction in the blocks of a chain. Returns `absent` if the deployment has no node of this chain. */
export async function findTransaction(deps: ChainDeps, chain: PayoutChain, transaction: string): Promise<FoundTransaction> {
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

/** Returns the newest final block. Returns null if the node does not know the tag `finalized`, and undefined if it does not respond. */
async function askForFinalBlock(deps: ChainDeps, chain: PayoutChain, rpcUrl: string) {
	const response = await callNode(deps, { ...blockCall(rpcUrl), params: ["finalized", false] });
	if (response.kind === "result") return response.value;
	deps.log.error("node_failed", { chain, method: "eth_getBlockByNumber", reason: response.kind });
	return response.kind === "refused" ? null : undefined;
}

/** Returns null for a transaction that is not in a block, and undefined if the node does not say. */
async function findReceipt(deps: ChainDeps, chain: PayoutChain, { rpcUrl, transaction }: { rpcUrl: string; transaction: string }) {
	const call = { rpcUrl, method: "eth_getTransactionReceipt", params: [transaction], result: receipt } as const;
	const paymentReceipt = await askNode(deps, chain, { ...call, maxResponseBytes: MAX_RECEIPT_BYTES });
	if (paymentReceipt == null || paymentReceipt.transactionHash === transaction) return paymentReceipt;
	deps.log.error("node_failed", { chain, method: call.method, reason: "another_transaction" });
	return undefined;
}

async function askNode<Result extends z.ZodType>(
	deps: ChainDeps,
	chain: PayoutChain,
	call: NodeCall<Result>,
): Promise<z.output<Result> | undefined> {
	const response: NodeResponse<z.output<Result>> = await callNode(deps, call);
	if (response.kind === "result") return response.value;
	deps.log.error("node_failed", { chain, method: call.method, reason: response.kind });
	return undefined;
}

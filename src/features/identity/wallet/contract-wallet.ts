// Wallets that are contracts have no key to recover: the contract itself is asked, over JSON-RPC.
import { encodeFunctionData, hashMessage } from "viem/utils";
import * as z from "zod";
import { AppError } from "../../../domain/errors.ts";
import type { OutboundDeps } from "../../../platform/outbound.ts";
import { callNode } from "./node.ts";
import type { Address } from "./rules.ts";

const IS_VALID_SIGNATURE = [
	{
		type: "function",
		name: "isValidSignature",
		stateMutability: "view",
		inputs: [
			{ name: "hash", type: "bytes32" },
			{ name: "signature", type: "bytes" },
		],
		outputs: [{ name: "", type: "bytes4" }],
	},
] as const;

/** `bytes4` that EIP-1271 sets for "valid", padded to the word that a call returns. */
const MAGIC_VALUE = `0x1626ba7e${"0".repeat(56)}`;
const MAX_RESPONSE_BYTES = 10_000;
const NODE_RETRY_SECONDS = 30;

interface ContractSignature {
	readonly rpcUrl: string;
	readonly address: Address;
	readonly message: string;
	readonly signature: `0x${string}`;
}

/**
 * Whether the contract at an address accepts a signature of a text (EIP-1271). An address without such a contract does not.
 *
 * @throws AppError `SERVICE_BUSY` when the node does not respond.
 */
export async function isValidContractSignature(
	deps: OutboundDeps,
	{ rpcUrl, address, message, signature }: ContractSignature,
): Promise<boolean> {
	// An odd number of digits is not a byte string, so no contract can have made it.
	if (signature.length % 2 !== 0) return false;
	const data = encodeFunctionData({ abi: IS_VALID_SIGNATURE, args: [hashMessage(message), signature] });
	const response = await callNode(deps, {
		rpcUrl,
		method: "eth_call",
		params: [{ to: address, data }, "latest"],
		result: z.string(),
		maxResponseBytes: MAX_RESPONSE_BYTES,
	});
	if (response.kind === "unavailable") {
		throw new AppError("SERVICE_BUSY", {
			message: "The chain's node did not respond, so the signature was not checked. Try again after the seconds in Retry-After.",
			retryAfterSeconds: NODE_RETRY_SECONDS,
		});
	}
	return response.kind === "result" && response.value.toLowerCase() === MAGIC_VALUE;
}

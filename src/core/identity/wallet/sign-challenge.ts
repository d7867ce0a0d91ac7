import { encodeFunctionData, hashMessage } from "viem/utils";
import * as z from "zod";
import type { Address, PayoutChain } from "../../../domain/chains.ts";
import { AppError } from "../../../domain/errors.ts";
import { ADDRESS, AT } from "../../../domain/example-story.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { text, timestamp } from "../../../http/fields.ts";
import { toIso } from "../../../platform/clock.ts";
import { isSignatureOf } from "../../../platform/keyring.ts";
import type { OutboundDeps } from "../../../platform/outbound.ts";
import type { Ctx } from "../../../ports/deps.ts";
import { exampleChallenge, issuedTo, PROOF_PURPOSE, readEvmWallet } from "./challenge.ts";
import { callNode } from "./node.ts";
import {
	assertChallengeFresh,
	type Challenge,
	challengeMessage,
	challengeProofText,
	isSameAddress,
	recoverSigner,
	type WalletProof,
} from "./rules.ts";
import { markVerified } from "./store.ts";

const MAX_SIGNATURE_CHARACTERS = 20_000;

const signRequest = z
	.object({
		nonce: text({ max: 200 }).describe("`nonce` of the challenge."),
		ts: z.number().int().describe("`ts` of the challenge."),
		sig: text({ max: 200 }).describe("`sig` of the challenge."),
		signature: z
			.string()
			.max(MAX_SIGNATURE_CHARACTERS)
			.regex(/^0x[0-9a-fA-F]+$/, "must be 0x and hex digits")
			.describe("The wallet's signature of the challenge's `message` (EIP-191), in hex."),
	})
	.meta({ id: "WalletSignRequest", description: "A challenge with the wallet's signature." });

const walletProof = z
	.object({
		payout_address: z.string().describe("The EVM address that you control."),
		wallet_verified_at: timestamp.describe("When you proved that you control it."),
	})
	.meta({ id: "WalletProof", description: "A proven payout address." });

export const signWalletChallenge = endpoint({
	method: "post",
	path: "/api/v1/wallet/verify/sign",
	operationId: "signWalletChallenge",
	summary: "Submit the signed challenge",
	description:
		"Send nonce, ts and sig back unchanged, with the wallet's EIP-191 signature of message. Contract wallets (EIP-1271) are checked on their chain, if the deployment has a node for it.",
	tags: ["Wallet"],
	auth: "key",
	rate: "general",
	body: { schema: signRequest, required: true },
	response: { status: 200, description: "You have proved that you control the wallet.", schema: walletProof },
	errors: ["NO_PAYOUT_ADDRESS", "CHALLENGE_TAMPERED", "CHALLENGE_EXPIRED", "SIGNATURE_INVALID", "ADDRESS_MISMATCH"],
	page: "concepts/wallets",
	examples: {
		bodies: { signed: { value: { ...exampleChallenge, signature: `0x${"5c".repeat(64)}1b` } } },
		responses: { proven: { value: { payout_address: ADDRESS, wallet_verified_at: AT.verified } } },
	},

	// A replay within the challenge's 5 minutes does no harm, because it only proves the same address again.
	async handle(ctx, { body: { nonce, ts, sig, signature } }) {
		const issue = { ...issuedTo(ctx), nonce, ts };
		const proof = { purpose: PROOF_PURPOSE, text: challengeProofText(issue) };
		if (!(await isSignatureOf(ctx.config.keys, proof, sig))) throw new AppError("CHALLENGE_TAMPERED");
		assertChallengeFresh(ts, ctx.clock.now());
		const wallet = await readEvmWallet(ctx);
		const method = await proveWallet(ctx, { ...issue, ...wallet }, `0x${signature.slice(2)}`);
		const row = await markVerified(ctx, ctx.actor.agentId, { ...wallet, proof: method, now: ctx.clock.now() });
		if (row === null || row.payoutAddress === null || row.walletVerifiedAt === null) throw new AppError("ADDRESS_MISMATCH");
		return { payout_address: row.payoutAddress, wallet_verified_at: toIso(row.walletVerifiedAt) };
	},
});

/** Checks a signature by an account's key without asking a node. Only the contract at the address can check any other signature. */
async function proveWallet(ctx: Ctx, challenge: Challenge, signature: `0x${string}`): Promise<WalletProof> {
	const message = challengeMessage(challenge);
	const signer = await recoverSigner(message, signature);
	if (signer !== null && isSameAddress(signer, challenge.address)) return "account";
	const rpcUrl = challenge.chain === null ? null : ctx.config.walletRpcUrls[challenge.chain];
	if (rpcUrl === null) throw refuseSignature(signer, challenge.chain);
	if (await isValidContractSignature(ctx, { rpcUrl, address: challenge.address, message, signature })) return "contract";
	throw new AppError(signer === null ? "SIGNATURE_INVALID" : "ADDRESS_MISMATCH");
}

function refuseSignature(signer: Address | null, chain: PayoutChain | null): AppError {
	const contractWallets = `Contract wallets (EIP-1271) cannot be verified here: this deployment has no node for ${chain ?? "this wallet"}.`;
	return signer === null
		? new AppError("SIGNATURE_INVALID", {
				message: `The signature is not a 65-byte EIP-191 signature of the challenge's message. ${contractWallets}`,
			})
		: new AppError("ADDRESS_MISMATCH", {
				message: `The signature was not made by the declared payout address. If the wallet was changed since, request a new challenge. ${contractWallets}`,
			});
}

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

/** A contract returns this value if it accepts a signature (EIP-1271): four bytes, padded to the 32-byte word that a call returns. */
const MAGIC_VALUE = `0x1626ba7e${"0".repeat(56)}`;
const MAX_RESPONSE_BYTES = 10_000;
const NODE_RETRY_SECONDS = 30;

/**
 * Asks the contract at an address over JSON-RPC whether it accepts a signature of a message (EIP-1271). Returns false if there is no
 * contract at the address.
 *
 * @throws AppError `SERVICE_BUSY` if the node does not respond.
 */
async function isValidContractSignature(
	deps: OutboundDeps,
	{
		rpcUrl,
		address,
		message,
		signature,
	}: { readonly rpcUrl: string; readonly address: Address; readonly message: string; readonly signature: `0x${string}` },
): Promise<boolean> {
	// Hex with an odd number of digits is not a byte string, so no contract can accept it.
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
			message: "The chain's node did not respond, so the signature was not checked. Try again after the number of seconds in Retry-After.",
			retryAfterSeconds: NODE_RETRY_SECONDS,
		});
	}
	return response.kind === "result" && response.value.toLowerCase() === MAGIC_VALUE;
}

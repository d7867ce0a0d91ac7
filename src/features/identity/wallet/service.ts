import type { z } from "zod";
import type { PayoutChain } from "../../../domain/chains.ts";
import { AppError } from "../../../domain/errors.ts";
import { credentialRefused } from "../../../http/authenticate.ts";
import { toIso, toIsoOrNull } from "../../../platform/clock.ts";
import { randomHex } from "../../../platform/crypto.ts";
import { isSignatureOf, signText } from "../../../platform/keyring.ts";
import type { Ctx } from "../../../ports/deps.ts";
import type { signRequest, walletRequest } from "./contract.ts";
import { isValidContractSignature } from "./contract-wallet.ts";
import * as rules from "./rules.ts";
import * as store from "./store.ts";

const PROOF_PURPOSE = "wallet-challenge";

/** A wallet as the API shows it. */
export function viewWallet(row: store.WalletRow) {
	return {
		payout_method: row.payoutMethod,
		payout_address: row.payoutAddress,
		payout_chain: row.payoutChain,
		wallet_verified_at: toIsoOrNull(row.walletVerifiedAt),
	};
}

export async function getWallet(ctx: Ctx) {
	return viewWallet(await readWallet(ctx));
}

async function readWallet(ctx: Ctx): Promise<store.WalletRow> {
	const row = await store.findWallet(ctx, ctx.actor.agentId);
	if (row === null) throw credentialRefused();
	return row;
}

/** Replaces where payouts go. Contract: "Wallet rules". */
export async function updateWallet(ctx: Ctx, input: z.output<typeof walletRequest>) {
	const row = await store.saveWallet(ctx, ctx.actor.agentId, {
		payoutMethod: input.payout_method,
		payoutAddress: input.payout_address ?? null,
		payoutChain: rules.resolvePayoutChain(input.payout_method, input.payout_chain ?? null),
	});
	if (row === null) throw credentialRefused();
	return viewWallet(row);
}

/**
 * Issues a text to sign. Nothing is stored: the server recognises its own challenge by the proof in `sig`.
 *
 * @throws AppError `NO_PAYOUT_ADDRESS`.
 */
export async function createChallenge(ctx: Ctx) {
	const wallet = await readEvmWallet(ctx);
	const issue = { ...issuedTo(ctx), nonce: randomHex(16), ts: ctx.clock.now() };
	return {
		nonce: issue.nonce,
		ts: issue.ts,
		sig: await signText(ctx.config.keys, PROOF_PURPOSE, rules.challengeProofText(issue)),
		message: rules.challengeMessage({ ...issue, ...wallet }),
	};
}

/** The deployment's own name is part of it: a signature given to one deployment is worth nothing at another. */
function issuedTo(ctx: Ctx) {
	return { service: new URL(ctx.baseUrl).host, agentId: ctx.actor.agentId };
}

async function readEvmWallet(ctx: Ctx) {
	const { payoutAddress, payoutChain } = await readWallet(ctx);
	if (!rules.isEvmAddress(payoutAddress)) throw new AppError("NO_PAYOUT_ADDRESS");
	return { address: payoutAddress, chain: payoutChain };
}

/**
 * Checks a signed challenge. A replay within its 5 minutes proves the same address again and nothing else.
 *
 * @throws AppError `CHALLENGE_TAMPERED`, `CHALLENGE_EXPIRED`, `NO_PAYOUT_ADDRESS`, `SIGNATURE_INVALID`, `ADDRESS_MISMATCH`.
 */
export async function signChallenge(ctx: Ctx, { nonce, ts, sig, signature }: z.output<typeof signRequest>) {
	const issue = { ...issuedTo(ctx), nonce, ts };
	const proof = { purpose: PROOF_PURPOSE, text: rules.challengeProofText(issue) };
	if (!(await isSignatureOf(ctx.config.keys, proof, sig))) throw new AppError("CHALLENGE_TAMPERED");
	rules.assertChallengeFresh(ts, ctx.clock.now());
	const wallet = await readEvmWallet(ctx);
	const method = await proveWallet(ctx, { ...issue, ...wallet }, asHex(signature));
	const row = await store.markVerified(ctx, ctx.actor.agentId, { ...wallet, proof: method, now: ctx.clock.now() });
	if (row === null || row.payoutAddress === null || row.walletVerifiedAt === null) throw new AppError("ADDRESS_MISMATCH");
	return { payout_address: row.payoutAddress, wallet_verified_at: toIso(row.walletVerifiedAt) };
}

/** The contract's schema has checked the form. */
function asHex(signature: string): `0x${string}` {
	return `0x${signature.slice(2)}`;
}

/** An account's signature is checked here. Any other signature can be checked only by the contract at the address. */
async function proveWallet(ctx: Ctx, challenge: rules.Challenge, signature: `0x${string}`): Promise<rules.WalletProof> {
	const message = rules.challengeMessage(challenge);
	const signer = await rules.recoverSigner(message, signature);
	if (signer !== null && rules.isSameAddress(signer, challenge.address)) return "account";
	const rpcUrl = challenge.chain === null ? null : ctx.config.walletRpcUrls[challenge.chain];
	if (rpcUrl === null) throw refuseSignature(signer, challenge.chain);
	if (await isValidContractSignature(ctx, { rpcUrl, address: challenge.address, message, signature })) return "contract";
	throw new AppError(signer === null ? "SIGNATURE_INVALID" : "ADDRESS_MISMATCH");
}

function refuseSignature(signer: rules.Address | null, chain: PayoutChain | null): AppError {
	const contractWallets = `Contract wallets (EIP-1271) cannot be verified here: this deployment has no node for ${chain ?? "this wallet"}.`;
	return signer === null
		? new AppError("SIGNATURE_INVALID", {
				message: `The signature is not a 65-byte EIP-191 signature of the challenge's message. ${contractWallets}`,
			})
		: new AppError("ADDRESS_MISMATCH", {
				message: `The signature was not made by the declared payout address. If the wallet was changed since, ask for a new challenge. ${contractWallets}`,
			});
}

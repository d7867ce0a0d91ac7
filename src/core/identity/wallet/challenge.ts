// Challenges are not stored. By the proof in `sig`, the platform recognizes the challenges that it has issued.
import { isEvmAddress } from "../../../domain/chains.ts";
import { AppError } from "../../../domain/errors.ts";
import type { Ctx } from "../../../ports/deps.ts";
import { readWallet } from "./wallet.ts";

export const PROOF_PURPOSE = "wallet-challenge";

export const exampleChallenge = { nonce: "4f2a9c0d1b7e6a5384c3d2e1f0a9b8c7", ts: 1796125290000, sig: "b5b1f6c2d47e0a93" };

/** Returns which deployment issues a challenge, and to which agent. A signature for one deployment must be worthless at another. */
export function issuedTo(ctx: Ctx) {
	return { service: new URL(ctx.baseUrl).host, agentId: ctx.actor.agentId };
}

/** @throws AppError `NO_PAYOUT_ADDRESS` unless the caller's payout address is an EVM address. */
export async function readEvmWallet(ctx: Ctx) {
	const { payoutAddress, payoutChain } = await readWallet(ctx);
	if (!isEvmAddress(payoutAddress)) throw new AppError("NO_PAYOUT_ADDRESS");
	return { address: payoutAddress, chain: payoutChain };
}

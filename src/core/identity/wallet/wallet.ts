import * as z from "zod";
import type { WalletRow } from "../../../db/schema/agents.ts";
import { ADDRESS } from "../../../domain/example-story.ts";
import { credentialRefused } from "../../../http/authenticate.ts";
import { payoutChain, payoutMethod, timestamp } from "../../../http/fields.ts";
import { toIsoOrNull } from "../../../platform/clock.ts";
import type { Ctx } from "../../../ports/deps.ts";
import { findWallet } from "./store.ts";

export const walletConfig = z
	.object({
		payout_method: payoutMethod.nullable().describe("How payouts are made. Null until you configure a wallet."),
		payout_address: z.string().nullable().describe("An EVM address, or the account id at Coinbase Commerce. Null without one."),
		payout_chain: payoutChain.nullable().describe("The chain of an EVM address. Null for other payout methods."),
		wallet_verified_at: timestamp
			.nullable()
			.describe(
				"When you proved that you control the address. Null before that, after the EVM address changes, and after the chain of a contract wallet changes.",
			),
	})
	.meta({ id: "WalletConfig", description: "Where an agent's payouts go." });

export const exampleWallet = {
	payout_method: "onchain_usdc",
	payout_address: ADDRESS,
	payout_chain: "base",
	wallet_verified_at: null,
} as const;

export function viewWallet(row: WalletRow): z.input<typeof walletConfig> {
	return {
		payout_method: row.payoutMethod,
		payout_address: row.payoutAddress,
		payout_chain: row.payoutChain,
		wallet_verified_at: toIsoOrNull(row.walletVerifiedAt),
	};
}

/** @throws AppError `unauthorized` if the caller's agent no longer exists. */
export async function readWallet(ctx: Ctx): Promise<WalletRow> {
	const row = await findWallet(ctx, ctx.actor.agentId);
	if (row === null) throw credentialRefused();
	return row;
}

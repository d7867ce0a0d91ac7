import * as z from "zod";
import { EVM_ADDRESS_PATTERN } from "../../../domain/chains.ts";
import { ADDRESS } from "../../../domain/example-story.ts";
import { credentialRefused } from "../../../http/authenticate.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { payoutChain } from "../../../http/fields.ts";
import { ACCOUNT_ID_PATTERN, findPayoutAddressFault, LIVE_PAYOUT_METHODS, resolvePayoutChain } from "./rules.ts";
import { saveWallet } from "./store.ts";
import { exampleWallet, viewWallet, walletConfig } from "./wallet.ts";

/** Tells readers of the OpenAPI document what `findPayoutAddressFault` requires of an on-chain payout. */
const ON_CHAIN_CONDITION = {
	if: { properties: { payout_method: { not: { const: "onchain_usdc" } } } },
	else: { required: ["payout_address"], properties: { payout_address: { type: "string", pattern: EVM_ADDRESS_PATTERN.source } } },
};

const livePayoutMethod = z.enum(LIVE_PAYOUT_METHODS).meta({ id: "LivePayoutMethod", description: "An available payout method." });

const walletRequest = z
	.object({
		payout_method: livePayoutMethod.describe("How payouts are made."),
		payout_address: z
			.string()
			.meta({ minLength: 1, maxLength: 200, pattern: ACCOUNT_ID_PATTERN.source })
			.nullish()
			.describe(
				"Required for onchain_usdc: `0x` and 40 hex digits, with a valid EIP-55 checksum if the case is mixed. For coinbase_commerce: your account id.",
			),
		payout_chain: payoutChain.nullish().describe("The chain for onchain_usdc. Default: `base`."),
	})
	.superRefine((wallet, context) => {
		const fault = findPayoutAddressFault(wallet.payout_method, wallet.payout_address ?? null);
		if (fault !== null) context.addIssue({ code: "custom", path: ["payout_address"], message: fault });
	})
	.meta({ id: "WalletRequest", description: "Where payouts should go.", adds: ON_CHAIN_CONDITION });

export const updateWallet = endpoint({
	method: "put",
	path: "/api/v1/wallet",
	operationId: "updateWallet",
	summary: "Set where payouts go",
	description: [
		"Replaces the whole wallet. If you change its EVM address, or the chain of a contract wallet (EIP-1271), you must verify the wallet again. An address that differs only in case stays verified. Only available payout methods are accepted.",
		"After a change, your open deals show the new wallet to their posters. The deals keep the old wallet in their `history`, and a payment to it still counts. A change that would give a deal more than 20 different wallets fails with 409 `CONFLICT`.",
		"`onchain_usdc` and `coinbase_commerce` are live. `stripe_crypto` and `stripe_usd` are not available yet and are rejected with 400.",
	].join("\n\n"),
	tags: ["Wallet"],
	auth: "key",
	rate: "general",
	body: { schema: walletRequest, required: true },
	response: { status: 200, description: "The new wallet.", schema: walletConfig },
	errors: ["CONFLICT"],
	page: "concepts/wallets",
	examples: {
		bodies: {
			onchain: { summary: "USDC on Base", value: { payout_method: "onchain_usdc", payout_address: ADDRESS, payout_chain: "base" } },
			coinbase: { summary: "A Coinbase Commerce account", value: { payout_method: "coinbase_commerce", payout_address: "acct_ada_01" } },
		},
		responses: { changed: { value: exampleWallet } },
	},

	async handle(ctx, { body }) {
		const row = await saveWallet(ctx, ctx.actor.agentId, {
			payoutMethod: body.payout_method,
			payoutAddress: body.payout_address ?? null,
			payoutChain: resolvePayoutChain(body.payout_method, body.payout_chain ?? null),
			now: ctx.clock.now(),
		});
		if (row === null) throw credentialRefused();
		return viewWallet(row);
	},
});

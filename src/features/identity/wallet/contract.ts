import * as z from "zod";
import { PAYOUT_METHODS } from "../../../db/schema/agents.ts";
import { PAYOUT_CHAINS } from "../../../domain/chains.ts";
import { contractOf } from "../../../http/endpoint.ts";
import { text, timestamp } from "../../../http/fields.ts";
import { ACCOUNT_ID_PATTERN, EVM_ADDRESS_PATTERN, findPayoutAddressFault, isLivePayoutMethod, LIVE_PAYOUT_METHODS } from "./rules.ts";

export const payoutMethod = z.enum(PAYOUT_METHODS).meta({
	id: "PayoutMethod",
	description:
		"How payouts are made. `onchain_usdc` and `coinbase_commerce` are live. `stripe_crypto` and `stripe_usd` are not available yet.",
});
export const payoutChain = z.enum(PAYOUT_CHAINS).meta({ id: "PayoutChain", description: "A chain on which USDC can be paid out." });

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

/** What `findPayoutAddressFault` demands of an on-chain payout, for the OpenAPI document. */
const ON_CHAIN_CONDITION = {
	if: { properties: { payout_method: { not: { const: "onchain_usdc" } } } },
	else: { required: ["payout_address"], properties: { payout_address: { type: "string", pattern: EVM_ADDRESS_PATTERN.source } } },
};

export const walletRequest = z
	.object({
		payout_method: payoutMethod.refine(isLivePayoutMethod, "is not available yet; use onchain_usdc or coinbase_commerce").meta({
			description: "How payouts are made.",
			override: { type: "string", enum: LIVE_PAYOUT_METHODS },
		}),
		payout_address: z
			.string()
			.meta({ minLength: 1, maxLength: 200, pattern: ACCOUNT_ID_PATTERN.source })
			.nullish()
			.describe(
				"For onchain_usdc, required: `0x` and 40 hex digits, with a valid EIP-55 checksum if the case is mixed. For coinbase_commerce: your account id.",
			),
		payout_chain: payoutChain.nullish().describe("The chain for onchain_usdc. Default: `base`."),
	})
	.superRefine((wallet, context) => {
		const fault = findPayoutAddressFault(wallet.payout_method, wallet.payout_address ?? null);
		if (fault !== null) context.addIssue({ code: "custom", path: ["payout_address"], message: fault });
	})
	.meta({ id: "WalletRequest", description: "Where payouts should go.", adds: ON_CHAIN_CONDITION });

const challengeView = z
	.object({
		nonce: z
			.string()
			.regex(/^[0-9a-f]{32}$/)
			.describe("32 random hex digits."),
		ts: z.number().int().describe("When the challenge was issued, in Unix milliseconds."),
		sig: z.string().describe("The platform's proof that it issued the challenge."),
		message: z.string().describe("The text to sign with personal_sign (EIP-191)."),
	})
	.meta({ id: "WalletChallenge", description: "A text to sign, with proof that the platform issued it." });

const MAX_SIGNATURE_CHARACTERS = 20_000;

export const signRequest = z
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
		wallet_verified_at: timestamp.describe("When you proved it."),
	})
	.meta({ id: "WalletProof", description: "A proven payout address." });

const shared = { tags: ["Wallet"], auth: "key", rate: "general" } as const;

export const getWallet = contractOf({
	...shared,
	method: "get",
	path: "/api/v1/wallet",
	operationId: "getWallet",
	summary: "Read where payouts go",
	description: "All fields are null until a payout is configured.",
	response: { status: 200, description: "The wallet.", schema: walletConfig },
	errors: [],
});

export const updateWallet = contractOf({
	...shared,
	method: "put",
	path: "/api/v1/wallet",
	operationId: "updateWallet",
	summary: "Set where payouts go",
	description:
		"Replaces the whole wallet. A changed EVM address must be verified again, and so must a contract wallet (EIP-1271) on another chain. The same address in another case stays verified. Only available payout methods are accepted.",
	body: { schema: walletRequest, required: true },
	response: { status: 200, description: "The new wallet.", schema: walletConfig },
	errors: [],
});

export const createChallenge = contractOf({
	...shared,
	method: "post",
	path: "/api/v1/wallet/verify/challenge",
	operationId: "createWalletChallenge",
	summary: "Ask for a text to sign",
	description: "The first half of proving that you control the wallet. The challenge is valid for 5 minutes.",
	response: { status: 200, description: "The challenge.", schema: challengeView },
	errors: ["NO_PAYOUT_ADDRESS"],
});

export const signChallenge = contractOf({
	...shared,
	method: "post",
	path: "/api/v1/wallet/verify/sign",
	operationId: "signWalletChallenge",
	summary: "Hand in the signed challenge",
	description:
		"Send nonce, ts and sig back as they were, with the wallet's EIP-191 signature of message. Contract wallets (EIP-1271) are asked on their chain where the deployment has a node for it.",
	body: { schema: signRequest, required: true },
	response: { status: 200, description: "Control is proven.", schema: walletProof },
	errors: ["NO_PAYOUT_ADDRESS", "CHALLENGE_TAMPERED", "CHALLENGE_EXPIRED", "SIGNATURE_INVALID", "ADDRESS_MISMATCH", "SERVICE_BUSY"],
});

import * as z from "zod";
import { PAYOUT_CHAINS, PAYOUT_METHODS } from "../../db/schema/agents.ts";
import { endpoint } from "../../http/endpoint.ts";
import { text, timestamp } from "../../http/fields.ts";
import { findPayoutAddressFault, isLivePayoutMethod } from "./rules.ts";

const payoutMethod = z.enum(PAYOUT_METHODS).meta({ id: "PayoutMethod" });
const payoutChain = z.enum(PAYOUT_CHAINS).meta({ id: "PayoutChain" });

export const walletConfig = z
	.object({
		payout_method: payoutMethod.nullable(),
		payout_address: z.string().nullable().meta({ description: "An EVM address, or the account id at the payout service." }),
		payout_chain: payoutChain.nullable(),
		wallet_verified_at: timestamp.nullable().meta({ description: "When control of the address was proven; null again once it changes." }),
	})
	.meta({ id: "WalletConfig" });

export const walletRequest = z
	.object({
		payout_method: payoutMethod.refine(isLivePayoutMethod, "is not available yet; use onchain_usdc or coinbase_commerce"),
		payout_address: z
			.string()
			.nullish()
			.meta({ description: "Required for onchain_usdc: 0x and 40 hex digits, with a right EIP-55 checksum when in mixed case." }),
		payout_chain: payoutChain.nullish().meta({ description: "Of onchain_usdc; base when left out." }),
	})
	.superRefine((wallet, context) => {
		const fault = findPayoutAddressFault(wallet.payout_method, wallet.payout_address ?? null);
		if (fault !== null) context.addIssue({ code: "custom", path: ["payout_address"], message: fault });
	})
	.meta({ id: "WalletRequest" });

const challengeView = z
	.object({
		nonce: z.string().regex(/^[0-9a-f]{32}$/),
		ts: z.number().int().meta({ description: "Time of issue in Unix milliseconds." }),
		sig: z.string().meta({ description: "The server's proof that it issued this challenge." }),
		message: z.string().meta({ description: "The text to sign with personal_sign (EIP-191)." }),
	})
	.meta({ id: "WalletChallenge" });

const MAX_SIGNATURE_CHARACTERS = 20_000;

export const signRequest = z
	.object({
		nonce: text({ max: 200 }),
		ts: z.number().int(),
		sig: text({ max: 200 }),
		signature: z
			.string()
			.max(MAX_SIGNATURE_CHARACTERS)
			.regex(/^0x[0-9a-fA-F]+$/, "must be 0x and hex digits"),
	})
	.meta({ id: "WalletSignRequest" });

const walletProof = z.object({ payout_address: z.string(), wallet_verified_at: timestamp }).meta({ id: "WalletProof" });

const shared = { tags: ["Wallet"], auth: "key", rate: "general" } as const;

export const getWallet = endpoint({
	...shared,
	method: "get",
	path: "/api/v1/wallet",
	operationId: "getWallet",
	summary: "Read where payouts go",
	description: "All fields are null until a payout is configured.",
	response: { status: 200, description: "The wallet.", schema: walletConfig },
	errors: [],
});

export const updateWallet = endpoint({
	...shared,
	method: "put",
	path: "/api/v1/wallet",
	operationId: "updateWallet",
	summary: "Set where payouts go",
	description:
		"Replaces the whole configuration. A changed address has to be verified again; another chain or the same address in another case has not. Only live payout methods are taken.",
	body: { schema: walletRequest, required: true },
	response: { status: 200, description: "The new wallet.", schema: walletConfig },
	errors: [],
});

export const createChallenge = endpoint({
	...shared,
	method: "post",
	path: "/api/v1/wallet/verify/challenge",
	operationId: "createWalletChallenge",
	summary: "Ask for a text to sign",
	description: "The first half of proving control of the declared address. The challenge holds for 5 minutes.",
	response: { status: 200, description: "The challenge.", schema: challengeView },
	errors: ["NO_PAYOUT_ADDRESS"],
});

export const signChallenge = endpoint({
	...shared,
	method: "post",
	path: "/api/v1/wallet/verify/sign",
	operationId: "signWalletChallenge",
	summary: "Hand in the signed challenge",
	description:
		"Send nonce, ts and sig back as they were, with the wallet's EIP-191 signature of message. Contract wallets (EIP-1271) are asked on their chain where the deployment has a node for it.",
	body: { schema: signRequest, required: true },
	response: { status: 200, description: "Control is proven.", schema: walletProof },
	errors: ["NO_PAYOUT_ADDRESS", "CHALLENGE_TAMPERED", "CHALLENGE_EXPIRED", "SIGNATURE_INVALID", "ADDRESS_MISMATCH"],
});

import * as z from "zod";
import { ADDRESS, ID } from "../../../domain/example-story.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { randomHex } from "../../../platform/crypto.ts";
import { signText } from "../../../platform/keyring.ts";
import { exampleChallenge, issuedTo, PROOF_PURPOSE, readEvmWallet } from "./challenge.ts";
import { challengeMessage, challengeProofText } from "./rules.ts";

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
	.meta({ id: "WalletChallenge", description: "A message to sign, with proof that the platform issued it." });

export const createWalletChallenge = endpoint({
	method: "post",
	path: "/api/v1/wallet/verify/challenge",
	operationId: "createWalletChallenge",
	summary: "Get a message to sign",
	description: "The first step to prove that you control the wallet. The challenge is valid for 5 minutes.",
	tags: ["Wallet"],
	auth: "key",
	rate: "general",
	response: { status: 200, description: "The challenge.", schema: challengeView },
	errors: ["NO_PAYOUT_ADDRESS"],
	page: "concepts/wallets",
	examples: {
		responses: {
			challenge: {
				value: {
					...exampleChallenge,
					message: [
						"bounties.example asks you to prove that you control a payout address.",
						"Signing this is free and moves no funds.",
						"",
						"Service: bounties.example",
						`Agent: ${ID.ada}`,
						`Address: ${ADDRESS}`,
						"Chain: base",
						`Nonce: ${exampleChallenge.nonce}`,
						"Issued at: 2026-12-01T11:41:30.000Z",
					].join("\n"),
				},
			},
		},
	},

	async handle(ctx) {
		const wallet = await readEvmWallet(ctx);
		const issue = { ...issuedTo(ctx), nonce: randomHex(16), ts: ctx.clock.now() };
		return {
			nonce: issue.nonce,
			ts: issue.ts,
			sig: await signText(ctx.config.keys, PROOF_PURPOSE, challengeProofText(issue)),
			message: challengeMessage({ ...issue, ...wallet }),
		};
	},
});

import { ADDRESS, AT, ID } from "../../../src/domain/example-story.ts";
import * as contract from "../../../src/features/identity/wallet/contract.ts";
import { notesOn } from "./operation-notes.ts";

const wallet = { payout_method: "onchain_usdc", payout_address: ADDRESS, payout_chain: "base", wallet_verified_at: null } as const;
const challenge = { nonce: "4f2a9c0d1b7e6a5384c3d2e1f0a9b8c7", ts: 1796125290000, sig: "b5b1f6c2d47e0a93" };
const page = "concepts/wallets";

export const walletNotes = [
	notesOn(contract.getWallet, {
		page,
		responses: {
			configured: { value: { ...wallet, wallet_verified_at: AT.verified } },
			empty: {
				summary: "Nothing configured yet",
				value: { payout_method: null, payout_address: null, payout_chain: null, wallet_verified_at: null },
			},
		},
	}),
	notesOn(contract.updateWallet, {
		details: [
			"`onchain_usdc` and `coinbase_commerce` are live. `stripe_crypto` and `stripe_usd` are names only and are rejected with 400.",
		],
		page,
		bodies: {
			onchain: { summary: "USDC on Base", value: { payout_method: "onchain_usdc", payout_address: ADDRESS, payout_chain: "base" } },
			coinbase: { summary: "A Coinbase Commerce account", value: { payout_method: "coinbase_commerce", payout_address: "acct_ada_01" } },
		},
		responses: { changed: { value: wallet } },
	}),
	notesOn(contract.createChallenge, {
		page,
		responses: {
			challenge: {
				value: {
					...challenge,
					message: [
						"bounties.example asks you to prove that you control a payout address.",
						"Signing this is free and moves no funds.",
						"",
						"Service: bounties.example",
						`Agent: ${ID.ada}`,
						`Address: ${ADDRESS}`,
						"Chain: base",
						`Nonce: ${challenge.nonce}`,
						"Issued at: 2026-12-01T11:41:30.000Z",
					].join("\n"),
				},
			},
		},
	}),
	notesOn(contract.signChallenge, {
		page,
		bodies: { signed: { value: { ...challenge, signature: `0x${"5c".repeat(64)}1b` } } },
		responses: { proven: { value: { payout_address: ADDRESS, wallet_verified_at: AT.verified } } },
	}),
];

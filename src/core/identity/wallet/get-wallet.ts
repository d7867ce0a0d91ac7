import { AT } from "../../../domain/example-story.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { exampleWallet, readWallet, viewWallet, walletConfig } from "./wallet.ts";

export const getWallet = endpoint({
	method: "get",
	path: "/api/v1/wallet",
	operationId: "getWallet",
	summary: "Read where payouts go",
	description: "All fields are null until a payout is configured.",
	tags: ["Wallet"],
	auth: "key",
	rate: "general",
	response: { status: 200, description: "The wallet.", schema: walletConfig },
	errors: [],
	page: "concepts/wallets",
	examples: {
		responses: {
			configured: { value: { ...exampleWallet, wallet_verified_at: AT.verified } },
			empty: {
				summary: "Nothing configured yet",
				value: { payout_method: null, payout_address: null, payout_chain: null, wallet_verified_at: null },
			},
		},
	},

	handle: async (ctx) => viewWallet(await readWallet(ctx)),
});

import { queryOptions } from "@tanstack/react-query";
import { api, type Schemas } from "../api/client.ts";

type Wallet = Schemas["WalletConfig"];
export type Chain = NonNullable<Wallet["payout_chain"]>;

export const walletQuery = queryOptions({ queryKey: ["wallet"], queryFn: () => api.getWallet() });

export const METHOD_NAMES = {
	onchain_usdc: "USDC",
	coinbase_commerce: "Coinbase Commerce",
	stripe_crypto: "Stripe (crypto)",
	stripe_usd: "Stripe (USD)",
} as const satisfies Record<NonNullable<Wallet["payout_method"]>, string>;

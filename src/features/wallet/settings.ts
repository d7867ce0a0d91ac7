// The variables for contract wallets, apart from env.ts as those of other features are.
import { z } from "zod";
import type { PayoutChain } from "./rules.ts";

const rpcUrl = z.url({ protocol: /^https?$/ }).optional();

/** docs/deploying.md tells an operator about each. */
export const walletVariables = z.object({
	WALLET_RPC_URL_BASE: rpcUrl,
	WALLET_RPC_URL_OPTIMISM: rpcUrl,
	WALLET_RPC_URL_ARBITRUM: rpcUrl,
	WALLET_RPC_URL_MAINNET: rpcUrl,
});

/** The JSON-RPC address of a node of each chain; null where there is none. */
export type WalletRpcUrls = Readonly<Record<PayoutChain, string | null>>;

export function readWalletRpcUrls(variables: z.output<typeof walletVariables>): WalletRpcUrls {
	return {
		base: variables.WALLET_RPC_URL_BASE ?? null,
		optimism: variables.WALLET_RPC_URL_OPTIMISM ?? null,
		arbitrum: variables.WALLET_RPC_URL_ARBITRUM ?? null,
		mainnet: variables.WALLET_RPC_URL_MAINNET ?? null,
	};
}

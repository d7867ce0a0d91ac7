export const PAYOUT_CHAINS = ["base", "optimism", "arbitrum", "mainnet"] as const;

export type PayoutChain = (typeof PAYOUT_CHAINS)[number];

/**
 * The chains on which USDC can be paid out. `id` is what a node returns for `eth_chainId`. `usdc` is the contract of Circle's native USDC.
 * Bridged tokens such as USDbC and USDC.e have other contracts and do not count.
 */
export const CHAINS: Readonly<Record<PayoutChain, { readonly id: bigint; readonly usdc: `0x${string}` }>> = {
	base: { id: 8453n, usdc: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913" },
	optimism: { id: 10n, usdc: "0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85" },
	arbitrum: { id: 42161n, usdc: "0xaf88d065e77c8cC2239327C5EDb3A432268e5831" },
	mainnet: { id: 1n, usdc: "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48" },
};

export const CHAIN_NAMES: Readonly<Record<PayoutChain, string>> = {
	base: "Base",
	optimism: "Optimism",
	arbitrum: "Arbitrum",
	mainnet: "Ethereum",
};

/** USDC has six decimals: a cent is 10,000 units of the contract. */
export const USDC_UNITS_PER_CENT = 10_000n;

export type Address = `0x${string}`;

export const EVM_ADDRESS_PATTERN = /^0x[0-9a-fA-F]{40}$/;

/** Returns true if text has the form of an EVM address, in upper, lower or mixed case. */
export function isEvmAddress(text: string | null): text is Address {
	return text !== null && EVM_ADDRESS_PATTERN.test(text);
}

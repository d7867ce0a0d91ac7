// Reads how much USDC a wallet has. Nothing in a node's responses is trusted.
import { encodeFunctionData } from "viem/utils";
import * as z from "zod";
import { CHAINS, type PayoutChain } from "../../../domain/chains.ts";
import { callNode } from "./node.ts";
import type { Address } from "./rules.ts";
import type { PaymentDeps } from "./usdc-payment.ts";

const BALANCE_OF = [
	{
		type: "function",
		name: "balanceOf",
		stateMutability: "view",
		inputs: [{ name: "account", type: "address" }],
		outputs: [{ name: "", type: "uint256" }],
	},
] as const;

const MAX_RESPONSE_BYTES = 1_000;
const quantity = z
	.string()
	.regex(/^0x[0-9a-fA-F]{1,64}$/)
	.transform(BigInt);

/**
 * Reads the USDC of a wallet in units of the contract. Returns null when the deployment has no node of the chain, or the node fails. Never
 * throws.
 */
export async function readUsdcBalance(deps: PaymentDeps, chain: PayoutChain, address: Address): Promise<bigint | null> {
	const rpcUrl = deps.config.walletRpcUrls[chain];
	if (rpcUrl === null) return null;
	const data = encodeFunctionData({ abi: BALANCE_OF, args: [address] });
	const call = { rpcUrl, result: quantity, maxResponseBytes: MAX_RESPONSE_BYTES };
	const [id, balance] = await Promise.all([
		callNode(deps, { ...call, method: "eth_chainId", params: [] }),
		callNode(deps, { ...call, method: "eth_call", params: [{ to: CHAINS[chain].usdc, data }, "latest"] }),
	]);
	if (id.kind === "result" && id.value === CHAINS[chain].id && balance.kind === "result") return balance.value;
	deps.log.error("balance_not_read", { chain, chain_id: id.kind, balance: balance.kind });
	return null;
}

// Provides a poster with a proven wallet, an agent with a wallet, and deployments that have nodes of two test chains.
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import type { Deps } from "../../src/ports/deps.ts";
import { runSweep } from "../../src/queues/sweeps.ts";
import { createApp } from "./app.ts";
import { type Client, createClient } from "./client.ts";
import { recordDeal } from "./deals.ts";
import { testDeps } from "./deps.ts";
import { startChain, type Wallet } from "./evm-client.ts";
import { registerAgent } from "./scenario.ts";

/** The value of the deal is 100 dollars, and the agent gets 90 after the fee of 10 %. */
export const VALUE_CENTS = 10_000;
export const DUE = 90_000_000n;

export const paying = (id: string, payment_reference: string) => ({ params: { id }, body: { payment_reference } });

/** Declares a wallet and proves it, as its owner does. */
export async function proveWallet(client: Client, wallet: Wallet) {
	await client.call("updateWallet", { body: { payout_method: "onchain_usdc", payout_address: wallet.address } });
	const { nonce, ts, sig, message } = await client.call("createWalletChallenge");
	await client.call("signWalletChallenge", { body: { nonce, ts, sig, signature: await wallet.sign(message) } });
}

export async function createPayments() {
	const payee = privateKeyToAccount(generatePrivateKey()).address;
	const [poster, agent, base, optimism] = await Promise.all([
		registerAgent("Poster"),
		registerAgent("Agent"),
		startChain("base"),
		startChain("optimism"),
	]);
	await agent.call("updateWallet", { body: { payout_method: "onchain_usdc", payout_address: payee } });
	await proveWallet(poster, base);

	/** Returns a deployment with nodes of two chains. */
	function deployment(change: Partial<Deps> = {}, nodes: Readonly<Record<string, string | null>> = {}) {
		const { config } = testDeps();
		const walletRpcUrls = { ...config.walletRpcUrls, base: base.url, optimism: optimism.url, ...nodes };
		const lines: string[] = [];
		const write = (event: string, facts: object = {}) => void lines.push(JSON.stringify({ event, ...facts }));
		const log = { info: write, error: write };
		const replaced = { config: { ...config, walletRpcUrls }, log, ...change };
		const app = createApp(() => testDeps(replaced));
		const clientOf = ({ key }: Client) => createClient({ key, fetch: (request) => app.fetch(request) });
		return {
			...{ poster: clientOf(poster), agent: clientOf(agent), clientOf, lines },
			sweep: () => runSweep(testDeps(replaced), "payments"),
		};
	}

	return {
		...{ poster, agent, base, optimism, payee, deployment },
		newDeal: async () => (await recordDeal({ poster, agent }, VALUE_CENTS)).id,
		read: (id: string) => poster.call("getDeal", { params: { id } }),
	};
}

import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { beforeAll, describe, expect, it } from "vitest";
import type { Fetch } from "../../src/ports/deps.ts";
import { createApp } from "../support/app.ts";
import { createClient } from "../support/client.ts";
import { testDeps } from "../support/deps.ts";
import { manualClock } from "../support/manual-clock.ts";
import { countFundReadings } from "../support/directory.ts";
import { startChain, type Wallet } from "../support/evm-client.ts";
import { openTask, type RegisteredClient, registerAgent } from "../support/scenario.ts";
import { MINUTE_MS } from "../support/times.ts";

let base: Wallet;

beforeAll(async () => {
	base = await startChain("base");
});

/** Returns a poster with a proven wallet that has a million USDC on base, or none. */
async function posterWith(wallet: Pick<Wallet, "address" | "sign">): Promise<RegisteredClient> {
	const poster = await registerAgent("Poster");
	await poster.call("updateWallet", { body: { payout_method: "onchain_usdc", payout_address: wallet.address } });
	const { nonce, ts, sig, message } = await poster.call("createWalletChallenge");
	await poster.call("signWalletChallenge", { body: { nonce, ts, sig, signature: await wallet.sign(message) } });
	return poster;
}

function emptyWallet(): Pick<Wallet, "address" | "sign"> {
	const account = privateKeyToAccount(generatePrivateKey());
	return { address: account.address, sign: (message) => account.signMessage({ message }) };
}

/** Returns a deployment with a node of base, and counts the requests for balances. */
function deployment(change: { readonly fetch?: Fetch } = {}) {
	const clock = manualClock();
	const { config } = testDeps();
	const walletRpcUrls = { ...config.walletRpcUrls, base: base.url };
	const seen = { readings: 0 };
	const counting: Fetch = (url, init) => {
		if (String(init.body).includes("eth_call")) seen.readings += 1;
		return (change.fetch ?? fetch)(url, init);
	};
	async function read(client: RegisteredClient | null, taskId: string) {
		const deps = testDeps({ config: { ...config, walletRpcUrls }, clock, fetch: counting });
		const reader = createClient({
			...(client === null ? {} : { key: client.key }),
			fetch: (request) => createApp(() => deps).fetch(request),
		});
		const at = { params: { id: taskId } };
		const { funds } = client === null ? await reader.call("getPublicTask", at) : await reader.call("getTask", at);
		await deps.settled();
		return funds;
	}
	return { clock, seen, read };
}

describe("the funds of a task", () => {
	it("are null at first, and then say whether the wallet covers all running tasks, with a key and without", async () => {
		const poster = await posterWith(base);
		const taskId = await openTask(poster, { budget_cents: 60_000_000 });
		const { read, clock } = deployment();
		expect(await read(poster, taskId)).toBeNull();
		const funds = await read(null, taskId);
		expect(funds).toEqual({ chain: "base", checked_at: new Date(clock.now()).toISOString(), covers_budget: true });
		expect(await read(await registerAgent(), taskId)).toEqual(funds);
		await openTask(poster, { budget_cents: 60_000_000 });
		clock.advance(10 * MINUTE_MS);
		await read(null, taskId);
		expect(await read(null, taskId)).toMatchObject({ covers_budget: false });
		await poster.call("closeTask", { params: { id: taskId } });
		expect(await read(poster, taskId)).toBeNull();
	});

	it("are insufficient for an empty wallet, and null without a proof or a node", async () => {
		const [empty, unproven, elsewhere] = [await posterWith(emptyWallet()), await registerAgent(), await posterWith(base)];
		await unproven.call("updateWallet", { body: { payout_method: "onchain_usdc", payout_address: base.address } });
		await elsewhere.call("updateWallet", {
			body: { payout_method: "onchain_usdc", payout_address: base.address, payout_chain: "arbitrum" },
		});
		const { read } = deployment();
		const fundsOf = async (poster: RegisteredClient) => {
			const taskId = await openTask(poster);
			await read(null, taskId);
			return read(null, taskId);
		};
		expect(await fundsOf(empty)).toMatchObject({ covers_budget: false });
		expect(await fundsOf(unproven)).toBeNull();
		expect(await fundsOf(elsewhere)).toBeNull();
	});

	it("are looked up once in 10 minutes for a poster, for any number of readers and tasks", async () => {
		const poster = await posterWith(base);
		const taskIds = [await openTask(poster), await openTask(poster), await openTask(poster)];
		const { read, seen, clock } = deployment();
		await Promise.all([...taskIds, ...taskIds].map((taskId) => read(null, taskId)));
		for (const taskId of taskIds) await read(null, taskId);
		expect(seen.readings).toBe(1);
		clock.advance(10 * MINUTE_MS - 1);
		await Promise.all(taskIds.map((taskId) => read(null, taskId)));
		expect(seen.readings).toBe(1);
		clock.advance(1);
		await Promise.all(taskIds.map((taskId) => read(null, taskId)));
		expect(seen.readings).toBe(2);
	});

	it("fail no reader when the node fails, keep the last balance, and are not requested again at once", async () => {
		const poster = await posterWith(base);
		const taskId = await openTask(poster);
		let isDown = true;
		const flaky: Fetch = (url, init) => (isDown ? Promise.reject(new Error("down")) : fetch(url, init));
		const { read, seen, clock } = deployment({ fetch: flaky });
		expect([await read(null, taskId), await read(null, taskId)]).toEqual([null, null]);
		expect(seen.readings).toBe(1);
		isDown = false;
		clock.advance(10 * MINUTE_MS);
		await read(null, taskId);
		const known = await read(null, taskId);
		expect(known).toMatchObject({ covers_budget: true });
		isDown = true;
		clock.advance(10 * MINUTE_MS);
		await read(null, taskId);
		expect(await read(null, taskId)).toEqual(known);
	});

	it("forget the balance of a wallet that the poster has replaced", async () => {
		const poster = await posterWith(base);
		const taskId = await openTask(poster);
		const { read, clock } = deployment();
		await read(null, taskId);
		expect(await read(null, taskId)).not.toBeNull();
		await poster.call("updateWallet", { body: { payout_method: "onchain_usdc", payout_address: emptyWallet().address } });
		clock.advance(10 * MINUTE_MS);
		await read(null, taskId);
		expect(await read(null, taskId)).toBeNull();
		expect(await countFundReadings(poster.agentId)).toBe(1);
	});
});

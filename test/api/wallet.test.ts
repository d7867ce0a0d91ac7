import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { getAddress } from "viem/utils";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createApp } from "../support/app.ts";
import { type Client, createClient } from "../support/client.ts";
import { testDeps } from "../support/deps.ts";
import { manualClock } from "../support/manual-clock.ts";
import { type RegisteredClient, registerAgent } from "../support/scenario.ts";

type Account = ReturnType<typeof privateKeyToAccount>;

const newAccount = (): Account => privateKeyToAccount(generatePrivateKey());

const onchain = (payout_address: string, change: object = {}) => ({ body: { payout_method: "onchain_usdc", payout_address, ...change } });

async function agentWithWallet(account: Account = newAccount()) {
	const agent = await registerAgent();
	await agent.call("updateWallet", onchain(account.address));
	return { agent, account };
}

/** Requests a challenge, signs its message, and returns the body of the second request. */
async function signedChallenge(agent: Client, account: Account) {
	const { message, ...challenge } = await agent.call("createWalletChallenge");
	return { ...challenge, signature: await account.signMessage({ message }) };
}

async function verifiedAt(agent: Client): Promise<string | null> {
	return (await agent.call("getWallet")).wallet_verified_at;
}

afterEach(() => {
	vi.useRealTimers();
});

describe("configuration", () => {
	it("is empty at first, and base is the default chain of on-chain payouts", async () => {
		const agent = await registerAgent();
		expect(await agent.call("getWallet")).toEqual({
			payout_method: null,
			payout_address: null,
			payout_chain: null,
			wallet_verified_at: null,
		});
		const { address } = newAccount();
		const wallet = { payout_method: "onchain_usdc", payout_address: address, payout_chain: "base", wallet_verified_at: null };
		expect(await agent.call("updateWallet", onchain(address))).toEqual(wallet);
		expect(await agent.call("getWallet")).toEqual(wallet);
		expect((await agent.call("whoAmI")).wallet).toEqual(wallet);
		expect(await agent.call("updateWallet", onchain(address, { payout_chain: "arbitrum" }))).toMatchObject({ payout_chain: "arbitrum" });
	});

	it("accepts only active payout methods", async () => {
		const agent = await registerAgent();
		for (const payout_method of ["stripe_crypto", "stripe_usd", "paypal", null, undefined]) {
			await agent.refused("updateWallet", "INVALID_BODY", { body: { payout_method, payout_address: newAccount().address } });
		}
		expect(await agent.call("updateWallet", { body: { payout_method: "coinbase_commerce", payout_address: "acct: 7~" } })).toEqual({
			payout_method: "coinbase_commerce",
			payout_address: "acct: 7~",
			payout_chain: null,
			wallet_verified_at: null,
		});
		expect((await agent.call("getWallet")).payout_method).toBe("coinbase_commerce");
	});

	it("accepts EVM addresses in one case, and in mixed case with the right checksum", async () => {
		const agent = await registerAgent();
		const { address } = newAccount();
		const lower = address.toLowerCase();
		const upper = `0x${address.slice(2).toUpperCase()}`;
		for (const good of [address, lower, upper]) {
			expect((await agent.call("updateWallet", onchain(good))).payout_address).toBe(good);
		}
		const digit = address.search(/(?<=^0x.*)[a-fA-F]/);
		const flipped = [...address].map((c, i) => (i === digit ? (c === c.toLowerCase() ? c.toUpperCase() : c.toLowerCase()) : c)).join("");
		const bad = [
			...(flipped === lower || flipped === upper ? [] : [flipped]),
			lower.slice(2),
			lower.slice(0, -1),
			`${lower}0`,
			`0X${lower.slice(2)}`,
			`0x${"g".repeat(40)}`,
			` ${lower}`,
			"",
		];
		for (const wrong of bad) await agent.refused("updateWallet", "INVALID_BODY", onchain(wrong));
		const { details } = await agent.refused("updateWallet", "INVALID_BODY", { body: { payout_method: "onchain_usdc" } });
		expect(details).toEqual([{ path: "payout_address", message: "payout_address is required for onchain_usdc" }]);
	});

	it("accepts account ids of 1 to 200 printable characters for coinbase_commerce", async () => {
		const agent = await registerAgent();
		const body = (payout_address: string | null) => ({ body: { payout_method: "coinbase_commerce", payout_address } });
		for (const good of ["x", "x".repeat(200), null]) expect((await agent.call("updateWallet", body(good))).payout_address).toBe(good);
		for (const bad of ["", "x".repeat(201), "tab\there", "zeile\n", "ä"]) await agent.refused("updateWallet", "INVALID_BODY", body(bad));
		await agent.refused("updateWallet", "INVALID_BODY", { body: { payout_method: "coinbase_commerce", payout_chain: "solana" } });
	});

	it("forgets a proof only when the wallet address changes", async () => {
		const { agent, account } = await agentWithWallet();
		await agent.call("signWalletChallenge", { body: await signedChallenge(agent, account) });
		const proof = await verifiedAt(agent);
		expect(proof).not.toBeNull();
		await agent.call("updateWallet", onchain(account.address, { payout_chain: "optimism" }));
		await agent.call("updateWallet", onchain(account.address.toLowerCase()));
		await agent.call("updateWallet", onchain(getAddress(account.address)));
		expect(await verifiedAt(agent)).toBe(proof);
		expect((await agent.call("updateWallet", onchain(newAccount().address))).wallet_verified_at).toBeNull();
		await agent.call("updateWallet", onchain(account.address));
		expect(await verifiedAt(agent)).toBeNull();
	});
});

describe("challenge", () => {
	it("names the service, the agent, the wallet address, the chain, the nonce and the time", async () => {
		const { agent, account } = await agentWithWallet();
		const askedAt = Date.now();
		const { nonce, ts, sig, message } = await agent.call("createWalletChallenge");
		expect(nonce).toMatch(/^[0-9a-f]{32}$/);
		expect(sig).not.toBe("");
		expect(ts).toBeGreaterThanOrEqual(askedAt);
		expect(ts).toBeLessThanOrEqual(Date.now());
		for (const part of ["bounty.test", agent.agentId, account.address, "base", nonce, new Date(ts).toISOString()]) {
			expect(message).toContain(part);
		}
		expect((await agent.call("createWalletChallenge")).nonce).not.toBe(nonce);
	});

	it("needs an EVM wallet address", async () => {
		const agent = await registerAgent();
		await agent.refused("createWalletChallenge", "NO_PAYOUT_ADDRESS");
		await agent.call("updateWallet", { body: { payout_method: "coinbase_commerce", payout_address: "account-7" } });
		await agent.refused("createWalletChallenge", "NO_PAYOUT_ADDRESS");
		await agent.call("updateWallet", { body: { payout_method: "coinbase_commerce", payout_address: newAccount().address } });
		await agent.call("createWalletChallenge");
	});
});

describe("sign", () => {
	it("records the proof, and a replay changes nothing that matters", async () => {
		const { agent, account } = await agentWithWallet();
		const body = await signedChallenge(agent, account);
		const proof = await agent.call("signWalletChallenge", { body });
		expect(proof.payout_address).toBe(account.address);
		expect(await verifiedAt(agent)).toBe(proof.wallet_verified_at);
		const replays = await Promise.all([1, 2, 3].map(() => agent.call("signWalletChallenge", { body })));
		expect(replays.every(({ payout_address }) => payout_address === account.address)).toBe(true);
		await agent.call("updateWallet", onchain(newAccount().address));
		await agent.refused("signWalletChallenge", "ADDRESS_MISMATCH", { body });
		expect(await verifiedAt(agent)).toBeNull();
	});

	it("refuses every field that was changed", async () => {
		const { agent, account } = await agentWithWallet();
		const body = await signedChallenge(agent, account);
		const tampered = [
			{ nonce: "0".repeat(32) },
			{ nonce: body.nonce.toUpperCase().replace(/^./, "g") },
			{ nonce: "" },
			{ ts: body.ts + 1 },
			{ ts: 0 },
			{ ts: Number.MAX_SAFE_INTEGER },
			{ sig: body.sig.replace(/^./, (c) => (c === "0" ? "1" : "0")) },
			{ sig: body.sig.slice(0, -2) },
			{ sig: "" },
			{ sig: "not hex" },
		];
		for (const change of tampered) await agent.refused("signWalletChallenge", "CHALLENGE_TAMPERED", { body: { ...body, ...change } });
		expect(await verifiedAt(agent)).toBeNull();
	});

	it("refuses another agent's challenge, also for the same wallet address", async () => {
		const { agent, account } = await agentWithWallet();
		const { agent: thief } = await agentWithWallet(account);
		const body = await signedChallenge(agent, account);
		await thief.refused("signWalletChallenge", "CHALLENGE_TAMPERED", { body });
		expect(await verifiedAt(thief)).toBeNull();
	});

	it("refuses a challenge of a deployment with another name", async () => {
		const { agent, account } = await agentWithWallet();
		const body = await signedChallenge(agent, account);
		const elsewhere = new Request("https://elsewhere.test/api/v1/wallet/verify/sign", {
			method: "POST",
			headers: { Authorization: `Bearer ${agent.key}`, "Content-Type": "application/json" },
			body: JSON.stringify(body),
		});
		const response = await createApp(() => testDeps()).fetch(elsewhere);
		expect(await response.json()).toMatchObject({ error: { code: "CHALLENGE_TAMPERED" } });
	});

	it("is possible for five minutes by the clock", async () => {
		const clock = manualClock();
		const timed = clientAt(await registerAgent(), { clock });
		const account = newAccount();
		await timed.call("updateWallet", onchain(account.address));
		const body = await signedChallenge(timed, account);
		clock.advance(5 * 60_000);
		await timed.call("signWalletChallenge", { body });
		clock.advance(1);
		await timed.refused("signWalletChallenge", "CHALLENGE_EXPIRED", { body });
		await timed.refused("signWalletChallenge", "CHALLENGE_TAMPERED", { body: { ...body, ts: clock.now() } });
	});

	it("refuses a signature by another account, of another text and of another wallet address", async () => {
		const { agent, account } = await agentWithWallet();
		const body = await signedChallenge(agent, account);
		const stranger = await newAccount().signMessage({ message: "anything" });
		await agent.refused("signWalletChallenge", "ADDRESS_MISMATCH", { body: { ...body, signature: stranger } });
		const otherText = await account.signMessage({ message: "anything" });
		await agent.refused("signWalletChallenge", "ADDRESS_MISMATCH", { body: { ...body, signature: otherText } });
		await agent.call("updateWallet", onchain(newAccount().address));
		await agent.refused("signWalletChallenge", "ADDRESS_MISMATCH", { body });
	});

	it("says when the wallet address has been removed", async () => {
		const { agent, account } = await agentWithWallet();
		const body = await signedChallenge(agent, account);
		await agent.call("updateWallet", { body: { payout_method: "coinbase_commerce" } });
		await agent.refused("signWalletChallenge", "NO_PAYOUT_ADDRESS", { body });
	});

	it("refuses malformed and high-s signatures, and says that this deployment cannot ask contract wallets", async () => {
		const { agent, account } = await agentWithWallet();
		const body = await signedChallenge(agent, account);
		const { signature } = body;
		const wrong = [
			"0x00",
			signature.slice(0, -2),
			`${signature}00`,
			`0x${"0".repeat(130)}`,
			`0x${"f".repeat(130)}`,
			`${signature.slice(0, -2)}1d`,
		];
		for (const malformed of [...wrong, withHighS(signature), `${signature.slice(0, -1)}`]) {
			const { message } = await agent.refused("signWalletChallenge", "SIGNATURE_INVALID", { body: { ...body, signature: malformed } });
			expect(message).toContain("EIP-1271");
		}
		for (const malformed of ["", "0x", signature.slice(2), `${signature}zz`, 7, null, undefined]) {
			await agent.refused("signWalletChallenge", "INVALID_BODY", { body: { ...body, signature: malformed } });
		}
		for (const field of ["nonce", "ts", "sig"])
			await agent.refused("signWalletChallenge", "INVALID_BODY", { body: { ...body, [field]: undefined } });
		for (const ts of ["1", 1.5, null]) await agent.refused("signWalletChallenge", "INVALID_BODY", { body: { ...body, ts } });
		expect(await verifiedAt(agent)).toBeNull();
	});
});

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/** Every signature has a twin that recovers to the same account, so only a rule can refuse it. */
function withHighS(signature: string): string {
	const s = (ORDER - BigInt(`0x${signature.slice(66, 130)}`)).toString(16).padStart(64, "0");
	const v = signature.endsWith("1b") ? "1c" : "1b";
	return `${signature.slice(0, 66)}${s}${v}`;
}

/** Returns the same caller of an app with changed dependencies. */
function clientAt(agent: RegisteredClient, change: Parameters<typeof testDeps>[0]): Client {
	const app = createApp(() => testDeps(change));
	return createClient({ key: agent.key, fetch: (request) => app.fetch(request) });
}

describe("contract wallets", () => {
	const MAGIC = `0x1626ba7e${"0".repeat(56)}`;

	/** Returns an app whose deployment has a node for base, which responds to every call like this. */
	async function withNode(answer: (call: { to: string; data: string }, agent: Client) => unknown) {
		const { config } = testDeps();
		const calls: { url: string; to: string; data: string }[] = [];
		const fetch = async (url: string, init: RequestInit) => {
			const [call] = JSON.parse(String(init.body)).params;
			calls.push({ url, ...call });
			return Response.json(await answer(call, agent));
		};
		const rpc = { ...config, walletRpcUrls: { ...config.walletRpcUrls, base: "https://rpc.example.com/base" } };
		const registered = await registerAgent();
		const agent = clientAt(registered, { config: rpc, fetch });
		const contract = newAccount().address;
		await agent.call("updateWallet", onchain(contract));
		const { message, ...challenge } = await agent.call("createWalletChallenge");
		return { agent, contract, calls, message, challenge };
	}

	it("are called on their chain, with signatures of any length", async () => {
		const { agent, contract, calls, challenge } = await withNode(() => ({ jsonrpc: "2.0", id: 1, result: MAGIC }));
		for (const signature of ["0x1234", await newAccount().signMessage({ message: "owner" })]) {
			const proof = await agent.call("signWalletChallenge", { body: { ...challenge, signature } });
			expect(proof.payout_address).toBe(contract);
		}
		expect(calls).toHaveLength(2);
		expect(calls[0]).toMatchObject({ url: "https://rpc.example.com/base", to: contract, data: expect.stringMatching(/^0x1626ba7e/) });
	});

	it("are verified for one chain: changing the chain removes the proof, keeping it does not", async () => {
		const { agent, contract, challenge } = await withNode(() => ({ jsonrpc: "2.0", id: 1, result: MAGIC }));
		await agent.call("signWalletChallenge", { body: { ...challenge, signature: "0x1234" } });
		await agent.call("updateWallet", onchain(contract.toLowerCase()));
		expect(await verifiedAt(agent)).not.toBeNull();
		expect((await agent.call("updateWallet", onchain(contract, { payout_chain: "optimism" }))).wallet_verified_at).toBeNull();
		await agent.call("updateWallet", onchain(contract));
		expect(await verifiedAt(agent)).toBeNull();
		await agent.call("signWalletChallenge", { body: { ...challenge, signature: "0x1234" } });
		await agent.call("updateWallet", { body: { payout_method: "coinbase_commerce", payout_address: contract } });
		expect(await verifiedAt(agent)).toBeNull();
	});

	it("are not verified for a chain that was set while the contract on another one was called", async () => {
		const { agent, challenge } = await withNode(async ({ to }, self) => {
			await self.call("updateWallet", onchain(to, { payout_chain: "arbitrum" }));
			return { jsonrpc: "2.0", id: 1, result: MAGIC };
		});
		await agent.refused("signWalletChallenge", "ADDRESS_MISMATCH", { body: { ...challenge, signature: "0x1234" } });
		expect(await verifiedAt(agent)).toBeNull();
	});

	it("may refuse, revert, or not exist", async () => {
		const answers = [
			{ result: `0xffffffff${"0".repeat(56)}` },
			{ result: "0x" },
			{ result: "0x1626ba7e" },
			{ error: { code: 3, message: "reverted" } },
		];
		for (const answer of answers) {
			const { agent, challenge } = await withNode(() => ({ jsonrpc: "2.0", id: 1, ...answer }));
			await agent.refused("signWalletChallenge", "SIGNATURE_INVALID", { body: { ...challenge, signature: "0x1234" } });
			const signature = await newAccount().signMessage({ message: "owner" });
			await agent.refused("signWalletChallenge", "ADDRESS_MISMATCH", { body: { ...challenge, signature } });
			expect(await verifiedAt(agent)).toBeNull();
		}
	});

	it("are not decided while their node does not respond", async () => {
		const { agent, challenge } = await withNode(() => "not JSON-RPC");
		const { headers } = await agent.refused("signWalletChallenge", "SERVICE_BUSY", { body: { ...challenge, signature: "0x1234" } });
		expect(Number(headers.get("Retry-After"))).toBeGreaterThan(0);
		expect(await verifiedAt(agent)).toBeNull();
	});
});

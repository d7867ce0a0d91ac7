// Tests payments on chains: a real EVM mines the transactions, and the platform looks them up over HTTP.
import { env } from "cloudflare:workers";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { beforeAll, describe, expect, it } from "vitest";
import { runSweep } from "../../../queues/sweeps.ts";
import type { Deps, Fetch } from "../../../src/ports/deps.ts";
import { createApp } from "../../support/app.ts";
import { type Client, createClient } from "../../support/client.ts";
import { recordDeal } from "../../support/deals.ts";
import { testDeps } from "../../support/deps.ts";
import { listEvents } from "../../support/directory.ts";
import { BATCH, BRIDGED_USDC, startChain, type Wallet } from "../../support/evm-client.ts";
import { manualClock } from "../../support/manual-clock.ts";
import { type RegisteredClient, registerAgent } from "../../support/scenario.ts";
import { queryAll } from "../../support/storage.ts";
import { MINUTE_MS } from "../../support/times.ts";

/** The value is 100 dollars less the fee of 10 %. */
const VALUE_CENTS = 10_000;
const DUE = 90_000_000n;
const CONFIRMATIONS = 3;

let poster: RegisteredClient;
let agent: RegisteredClient;
let base: Wallet;
let optimism: Wallet;
const payee = privateKeyToAccount(generatePrivateKey()).address;

beforeAll(async () => {
	[poster, agent, base, optimism] = await Promise.all([
		registerAgent("Poster"),
		registerAgent("Agent"),
		startChain("base"),
		startChain("optimism"),
	]);
	await agent.call("updateWallet", { body: { payout_method: "onchain_usdc", payout_address: payee } });
	await proveWallet(poster, base);
});

/** Declares a wallet and proves it, as its owner does. */
async function proveWallet(client: Client, wallet: Wallet) {
	await client.call("updateWallet", { body: { payout_method: "onchain_usdc", payout_address: wallet.address } });
	const { nonce, ts, sig, message } = await client.call("createWalletChallenge");
	await client.call("signWalletChallenge", { body: { nonce, ts, sig, signature: await wallet.sign(message) } });
}

/** Returns a deployment with nodes of two chains. */
function deployment(change: Partial<Deps> = {}, nodes: Readonly<Record<string, string | null>> = {}) {
	const { config } = testDeps();
	const walletRpcUrls = { ...config.walletRpcUrls, base: base.url, optimism: optimism.url, ...nodes };
	const lines: string[] = [];
	const write = (event: string, facts: object = {}) => void lines.push(JSON.stringify({ event, ...facts }));
	const log = { info: write, error: write };
	const replaced = { config: { ...config, walletRpcUrls, paymentConfirmations: CONFIRMATIONS }, log, ...change };
	const app = createApp(() => testDeps(replaced));
	const client = ({ key }: Client) => createClient({ key, fetch: (request) => app.fetch(request) });
	return { poster: client(poster), agent: client(agent), lines, sweep: () => runSweep(testDeps(replaced), "payments") };
}

const newDeal = async () => (await recordDeal({ poster, agent }, VALUE_CENTS)).id;
const paying = (id: string, payment_reference: string) => ({ params: { id }, body: { payment_reference } });
const read = (id: string) => poster.call("getDeal", { params: { id } });

describe("a transaction that pays", () => {
	it("is verified at once when it has its confirmations, with an entry in the history", async () => {
		const id = await newDeal();
		const hash = await base.transfer([{ to: payee, units: DUE }]);
		await base.mine(CONFIRMATIONS - 1);
		const deal = await deployment().poster.call("payDeal", paying(id, hash.toUpperCase().replace("0X", "0x")));
		expect(deal).toMatchObject({ status: "paid", payment_verified: true, payment_note: null });
		expect(deal.history.slice(1)).toMatchObject([
			{ actor: "poster", action: "paid" },
			{ actor: "platform", action: "payment_verified", note: "90.00 USDC on base, with 3 confirmations." },
		]);
		expect(await read(id)).toEqual(deal);
		expect(await listEvents("deal.updated", id)).toMatchObject([{ status: "paid", paymentVerified: true }]);
	});

	it("may consist of several transfers, exceed the amount, and come from a contract wallet that the poster has proved", async () => {
		const id = await newDeal();
		await queryAll("update agents set payout_address = ?, wallet_proof = 'contract' where id = ?", BATCH, poster.agentId);
		const hash = await base.transfer([
			{ to: payee, units: 40_000_000n },
			{ to: base.address, units: 1_000_000n },
			{ to: payee, units: 50_000_001n },
		]);
		await base.mine(CONFIRMATIONS);
		expect((await deployment().poster.call("payDeal", paying(id, hash))).history.at(-1)?.note).toContain("90.000001 USDC");
		await proveWallet(poster, base);
	});

	it("waits for its confirmations, and then the sweep verifies it", async () => {
		const clock = manualClock();
		const { poster: payer, sweep } = deployment({ clock });
		const id = await newDeal();
		const hash = await base.transfer([{ to: payee, units: DUE }]);
		const deal = await payer.call("payDeal", paying(id, hash));
		expect(deal).toMatchObject({ payment_verified: null, payment_note: "The transaction has 1 of 3 confirmations." });
		await base.mine(CONFIRMATIONS);
		await sweep();
		expect(await read(id)).toEqual(deal);
		clock.advance(MINUTE_MS);
		await Promise.all([sweep(), sweep(), sweep()]);
		const verified = await read(id);
		expect(verified).toMatchObject({ status: "paid", payment_verified: true, payment_note: null });
		expect(verified.history.map(({ action }) => action)).toEqual(["recorded", "paid", "payment_verified"]);
	});

	it("is also verified in a disputed deal", async () => {
		const clock = manualClock();
		const { poster: payer, agent: payeeClient, sweep } = deployment({ clock });
		const id = await newDeal();
		await payer.call("payDeal", paying(id, await base.transfer([{ to: payee, units: DUE }])));
		await payeeClient.call("disputeDeal", { params: { id }, body: { reason: "I see nothing." } });
		await base.mine(CONFIRMATIONS);
		clock.advance(MINUTE_MS);
		await sweep();
		expect(await read(id)).toMatchObject({ status: "disputed", payment_verified: true });
	});

	it("is verified even if a party takes a step while the node responds", async () => {
		const clock = manualClock();
		const id = await newDeal();
		await deployment({ clock }).poster.call("payDeal", paying(id, await base.transfer([{ to: payee, units: DUE }])));
		await base.mine(CONFIRMATIONS);
		let calls = 0;
		const fetchWhileConfirming: Fetch = async (url, init) => {
			calls += 1;
			if (calls === 1) await agent.call("confirmDeal", { params: { id } });
			return fetch(url, init);
		};
		const { sweep } = deployment({ clock, fetch: fetchWhileConfirming });
		clock.advance(MINUTE_MS);
		await sweep();
		clock.advance(5 * MINUTE_MS);
		await sweep();
		expect(await read(id)).toMatchObject({ status: "received", payment_verified: true });
		const events = await queryAll<{ payload: string }>(
			"select payload from _recorded_events where type = 'deal.updated' and payload like ? order by id",
			`%${id}%`,
		);
		expect(events.map(({ payload }) => JSON.parse(payload))).toMatchObject([
			{ status: "paid", paymentVerified: null },
			{ status: "received", paymentVerified: null },
			{ status: "received", paymentVerified: true },
		]);
	});

	it("pays only one deal", async () => {
		const hash = await base.transfer([{ to: payee, units: 10n * DUE }]);
		await base.mine(CONFIRMATIONS);
		const ids = await Promise.all([newDeal(), newDeal(), newDeal()]);
		const { poster: payer } = deployment();
		const answers = await Promise.all(ids.map((id) => payer.send("payDeal", paying(id, hash))));
		expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
	});
});

describe("a transaction that shows otherwise", () => {
	const FAULTS: readonly (readonly [string, () => Promise<string>, RegExp])[] = [
		["pays too little", () => base.transfer([{ to: payee, units: DUE - 1n }]), /pays 89\.999999 USDC\. The deal needs 90\.00 USDC/],
		["pays somebody else", () => base.transfer([{ to: optimism.address, units: DUE }]), /transfers no USDC/],
		["moves another token", () => base.transfer([{ to: payee, units: DUE }], { token: BRIDGED_USDC }), /transfers no USDC/],
		["has failed", () => base.transfer([{ to: payee, units: 10n ** 15n }]), /failed/],
		["is on another chain", () => optimism.transfer([{ to: payee, units: DUE }]), /is on optimism\. The agent is paid on base/],
		[
			"is older than the deal",
			() => base.transfer([{ to: payee, units: DUE }], { timestamp: Math.floor(Date.now() / 1000) - 3600 }),
			/older than the deal/,
		],
	];

	it.each(FAULTS)("%s: 409, and nothing changes", async (_, makeTransaction, reason) => {
		const { poster: payer } = deployment();
		const id = await newDeal();
		const before = await read(id);
		const hash = await makeTransaction();
		await base.mine(CONFIRMATIONS);
		const { message } = await payer.refused("payDeal", "CONFLICT", paying(id, hash));
		expect(message).toMatch(reason);
		expect(await read(id)).toEqual(before);
		const good = await base.transfer([{ to: payee, units: DUE }]);
		await base.mine(CONFIRMATIONS);
		expect(await payer.call("payDeal", paying(id, good))).toMatchObject({ payment_verified: true });
	});

	it("gives the agent nothing if it transfers to itself", async () => {
		const id = await newDeal();
		const own = await startChain("base");
		await agent.call("updateWallet", { body: { payout_method: "onchain_usdc", payout_address: own.address } });
		const hash = await own.transfer([{ to: own.address, units: DUE }]);
		await own.mine(CONFIRMATIONS);
		const { message } = await deployment({}, { base: own.url }).poster.refused("payDeal", "CONFLICT", paying(id, hash));
		expect(message).toContain("transfers no USDC");
		await agent.call("updateWallet", { body: { payout_method: "onchain_usdc", payout_address: payee } });
	});

	it("counts for the wallet that the agent has when the payment is recorded, not for an earlier one", async () => {
		const id = await newDeal();
		const hash = await base.transfer([{ to: payee, units: DUE }]);
		await base.mine(CONFIRMATIONS);
		let moves = 0;
		const fetchWhileMoving: Fetch = async (url, init) => {
			moves += 1;
			if (moves === 1) await agent.call("updateWallet", { body: { payout_method: "onchain_usdc", payout_address: optimism.address } });
			return fetch(url, init);
		};
		const { message } = await deployment({ fetch: fetchWhileMoving }).poster.refused("payDeal", "CONFLICT", paying(id, hash));
		expect(message).toContain(`to ${optimism.address} on base`);
		expect((await read(id)).status).toBe("recorded");
		await agent.call("updateWallet", { body: { payout_method: "onchain_usdc", payout_address: payee } });
	});

	it("and is found out later stays unverified, says why, and blocks no other deal", async () => {
		const clock = manualClock();
		const late = deployment({ clock, fetch: () => Promise.reject(new Error("down")) });
		const [wrong, right] = [await newDeal(), await newDeal()];
		const hash = await base.transfer([{ to: payee, units: DUE - 1n }]);
		const { payment_note } = await late.poster.call("payDeal", paying(wrong, hash));
		expect(payment_note).toBe("The node of base does not respond as it should.");
		clock.advance(MINUTE_MS);
		const back = deployment({ clock });
		await back.sweep();
		expect(await read(wrong)).toMatchObject({
			status: "paid",
			payment_verified: null,
			payment_note: expect.stringContaining("pays 89.999999"),
		});
		await base.mine(CONFIRMATIONS);
		clock.advance(2 * MINUTE_MS);
		await back.sweep();
		const refuted = await read(wrong);
		expect(refuted).toMatchObject({ status: "paid", payment_verified: false, payment_note: expect.stringContaining("pays 89.999999") });
		expect(refuted.history.map(({ action }) => action)).toEqual(["recorded", "paid"]);
		expect((await back.poster.refused("payDeal", "CONFLICT", paying(right, hash))).message).toContain("pays 89.999999");
	});
});

describe("a payment that is not known to be the poster's", () => {
	const NOT_KNOWN = /comes from no wallet that the poster has proved, and its amount is not pay_exactly/;

	/** Returns a poster without a proven wallet, and its deal with the same agent. */
	async function strangersDeal() {
		const stranger = await registerAgent("Stranger");
		const { poster: payer } = { ...deployment(), poster: clientOf(stranger) };
		const deal = await recordDeal({ poster: stranger, agent }, VALUE_CENTS);
		return { payer, stranger, id: deal.id, deal };
	}

	const clientOf = (client: Client, change: Partial<Deps> = {}) => {
		const { config } = testDeps();
		const walletRpcUrls = { ...config.walletRpcUrls, base: base.url, optimism: optimism.url };
		const app = createApp(() => testDeps({ config: { ...config, walletRpcUrls, paymentConfirmations: CONFIRMATIONS }, ...change }));
		return createClient({ key: client.key, fetch: (request) => app.fetch(request) });
	};

	it("does not block the honest poster whose transaction a thief names first", async () => {
		const honest = await newDeal();
		const thief = await strangersDeal();
		const hash = await base.transfer([{ to: payee, units: DUE }]);
		await base.mine(CONFIRMATIONS);
		const stolen = await thief.payer.call("payDeal", paying(thief.id, hash));
		expect(stolen).toMatchObject({ status: "paid", payment_verified: null, payment_note: expect.stringMatching(NOT_KNOWN) });
		expect(await deployment().poster.call("payDeal", paying(honest, hash))).toMatchObject({ payment_verified: true });
	});

	it("is marked as paying another deal, once that deal is verified", async () => {
		const clock = manualClock();
		const honest = await newDeal();
		const thief = await strangersDeal();
		const hash = await base.transfer([{ to: payee, units: DUE }]);
		await clientOf(thief.stranger, { clock }).call("payDeal", paying(thief.id, hash));
		await base.mine(CONFIRMATIONS);
		await deployment().poster.call("payDeal", paying(honest, hash));
		clock.advance(MINUTE_MS);
		await deployment({ clock }).sweep();
		const deal = await thief.payer.call("getDeal", { params: { id: thief.id } });
		expect(deal).toMatchObject({ payment_verified: false, payment_note: expect.stringContaining("pays another deal") });
	});

	it("is verified by the sweep once the poster has proved the wallet", async () => {
		const clock = manualClock();
		const { payer, stranger, id } = await strangersDeal();
		const hash = await base.transfer([{ to: payee, units: DUE }]);
		await base.mine(CONFIRMATIONS);
		await clientOf(stranger, { clock }).call("payDeal", paying(id, hash));
		await proveWallet(stranger, base);
		clock.advance(MINUTE_MS);
		await deployment({ clock }).sweep();
		expect(await payer.call("getDeal", { params: { id } })).toMatchObject({ payment_verified: true });
	});

	it("is verified from any wallet when it carries the deal's own amount, and by no other deal", async () => {
		const [first, second] = [await strangersDeal(), await strangersDeal()];
		expect(first.deal.pay_exactly).toMatchObject({ address: payee, chain: "base" });
		const hash = await base.transfer([{ to: payee, units: BigInt(first.deal.pay_exactly?.amount_atomic ?? 0) }]);
		await base.mine(CONFIRMATIONS);
		expect(await second.payer.call("payDeal", paying(second.id, hash))).toMatchObject({ payment_verified: null });
		const paid = await first.payer.call("payDeal", paying(first.id, hash));
		expect(paid).toMatchObject({ payment_verified: true, pay_exactly: first.deal.pay_exactly });
	});

	it("verifies only one of two parallel payments that both fit", async () => {
		const hash = await base.transfer([{ to: payee, units: 10n * DUE }]);
		await base.mine(CONFIRMATIONS);
		const ids = await Promise.all([newDeal(), newDeal()]);
		const { poster: payer } = deployment();
		await Promise.all(ids.map((id) => payer.send("payDeal", paying(id, hash))));
		const deals = await Promise.all(ids.map(read));
		expect(deals.filter(({ payment_verified }) => payment_verified === true)).toHaveLength(1);
		expect(deals.filter(({ status }) => status === "recorded")).toHaveLength(1);
	});
});

describe("pay_exactly", () => {
	const amountOf = (deal: { pay_exactly: { amount_atomic: string } | null }) => BigInt(deal.pay_exactly?.amount_atomic ?? -1);

	it("differs between open deals of one value that are recorded in parallel, also of agents with the same wallet address", async () => {
		const twin = await registerAgent("Twin");
		await twin.call("updateWallet", { body: { payout_method: "onchain_usdc", payout_address: payee } });
		const deals = await Promise.all([agent, twin, agent, twin, agent, twin].map((to) => recordDeal({ poster, agent: to }, 7_777)));
		const amounts = deals.map(amountOf);
		const due = BigInt(7_777 - 778) * 10_000n;
		expect(new Set(amounts).size).toBe(6);
		for (const amount of amounts) expect(amount > due && amount <= due + 9_999n).toBe(true);
	});

	it("is the one amount that is left, and null when none is left", async () => {
		const seed = await recordDeal({ poster, agent }, 3_333);
		await env.DB.prepare(
			`with recursive n (i) as (select 1 union all select i + 1 from n where i < 9999)
			insert into deals (id, task_id, company_id, agent_id, deal_type, deal_value_cents, platform_fee_cents, created_at, pay_remainder)
			select 'filled-' || i, 'filled-' || i, company_id, agent_id, deal_type, deal_value_cents, platform_fee_cents, created_at, i
			from n, deals where deals.id = ? and i not in (pay_remainder, 42)`,
		)
			.bind(seed.id)
			.run();
		expect(amountOf(await recordDeal({ poster, agent }, 3_333)) % 10_000n).toBe(42n);
		const last = await recordDeal({ poster, agent }, 3_333);
		expect(last.pay_exactly).toBeNull();
		await poster.call("disputeDeal", { params: { id: seed.id }, body: { reason: "No." } });
		expect(amountOf(await recordDeal({ poster, agent }, 3_333))).toBe(amountOf(seed));
		await env.DB.prepare("delete from deals where id like 'filled-%'").run();
	});

	it("follows the agent's wallet until it is paid, and is null without an EVM address", async () => {
		const mover = await registerAgent("Mover");
		const deal = await recordDeal({ poster, agent: mover }, VALUE_CENTS);
		expect(deal.pay_exactly).toBeNull();
		await mover.call("updateWallet", { body: { payout_method: "coinbase_commerce", payout_address: "acct_1" } });
		expect((await read(deal.id)).pay_exactly).toBeNull();
		await mover.call("updateWallet", { body: { payout_method: "onchain_usdc", payout_address: payee, payout_chain: "optimism" } });
		const { pay_exactly } = await read(deal.id);
		expect(pay_exactly).toMatchObject({ address: payee, chain: "optimism" });
		await poster.call("payDeal", paying(deal.id, "invoice 7"));
		await mover.call("updateWallet", { body: { payout_method: "onchain_usdc", payout_address: base.address } });
		expect((await read(deal.id)).pay_exactly).toEqual(pay_exactly);
	});
});

describe("a node that fails", () => {
	const random = () => `0x${crypto.randomUUID().replaceAll("-", "").repeat(2)}`;

	const answering =
		(respond: (method: string) => unknown): Fetch =>
		async (_, init) => {
			const { method } = JSON.parse(String(init.body));
			const result = respond(method);
			return result instanceof Response ? result : Response.json({ jsonrpc: "2.0", id: 1, result });
		};

	const RESPONSES: readonly (readonly [string, Fetch])[] = [
		["is unreachable", () => Promise.reject(new Error("connect https://node.example/SECRET-KEY"))],
		[
			"refuses the key",
			async () => Response.json({ jsonrpc: "2.0", id: 1, error: { code: -32000, message: "SECRET-KEY is over its quota" } }),
		],
		["returns no JSON", async () => new Response("<html>SECRET-KEY</html>", { status: 502 })],
		["returns other types", answering(() => ["SECRET-KEY"])],
		["redirects", async () => new Response(null, { status: 302, headers: { Location: "http://127.0.0.1/SECRET-KEY" } })],
		[
			"returns a receipt of another transaction",
			answering((method) => (method === "eth_getTransactionReceipt" ? receiptOf(`0x${"34".repeat(32)}`) : "0x2105")),
		],
		["is one of another chain", answering((method) => (method === "eth_getTransactionReceipt" ? null : "0x1"))],
		["never stops", async () => new Response(new ReadableStream({ pull: (out) => out.enqueue(new Uint8Array(1_000_000)) }))],
	];

	function receiptOf(transactionHash: string) {
		const word = `0x${"00".repeat(32)}`;
		return { transactionHash, status: "0x1", blockNumber: "0x1", blockHash: word, logs: [] };
	}

	it.each(RESPONSES)("%s: the payment is recorded as not verified, and the response contains no secret of the node", async (_, fetch) => {
		const { poster: payer, lines } = deployment({ fetch }, { base: "https://node.example/SECRET-KEY", optimism: null });
		const id = await newDeal();
		const deal = await payer.call("payDeal", paying(id, random()));
		expect(deal).toMatchObject({ status: "paid", payment_verified: null, payment_note: "The node of base does not respond as it should." });
		expect(JSON.stringify([deal, lines])).not.toContain("SECRET-KEY");
		expect(lines.join()).toContain('"chain":"base"');
	});

	it("is asked again at growing intervals for a day, and then no more", async () => {
		const clock = manualClock();
		let asked = 0;
		const fetch: Fetch = async (_, init) => {
			if (String(init.body).includes("eth_getTransactionReceipt")) asked += 1;
			throw new Error("down");
		};
		const { poster: payer, sweep } = deployment({ clock, fetch }, { optimism: null });
		const id = await newDeal();
		await env.DB.prepare("update deals set check_due_at = null").run();
		await payer.call("payDeal", paying(id, random()));
		const start = clock.now();
		const times: number[] = [];
		for (let dueAt = await readDueAt(id); dueAt !== null; dueAt = await readDueAt(id)) {
			clock.advance(dueAt - clock.now() - 1);
			await sweep();
			expect(asked).toBe(times.length + 1);
			clock.advance(1);
			await sweep();
			times.push((dueAt - start) / MINUTE_MS);
		}
		expect(asked).toBe(times.length + 1);
		expect(times.slice(0, 8)).toEqual([1, 3, 7, 15, 31, 63, 123, 183]);
		expect(times.at(-1)).toBeLessThanOrEqual(24 * 60);
		expect(times.at(-1)).toBeGreaterThan(22 * 60);
		const deal = await read(id);
		expect(deal).toMatchObject({ status: "paid", payment_verified: null });
		expect(deal.payment_note).toContain("The platform looked for 24 hours and has stopped.");
	});

	async function readDueAt(id: string): Promise<number | null> {
		return (await env.DB.prepare("select check_due_at from deals where id = ?").bind(id).first<number | null>("check_due_at")) ?? null;
	}

	it("gets one request at a time for each payment, also when it is slow", async () => {
		const clock = manualClock();
		await env.DB.prepare("update deals set check_due_at = null").run();
		const asked: string[] = [];
		const slow: Fetch = async (_, init) => {
			const { method, params } = JSON.parse(String(init.body));
			if (method === "eth_getTransactionReceipt") {
				asked.push(params[0]);
				clock.advance(2 * MINUTE_MS);
				if (asked.length === 3) await sweep();
			}
			throw new Error("down");
		};
		const { sweep } = deployment({ clock, fetch: slow }, { optimism: null });
		const down = deployment({ clock, fetch: () => Promise.reject(new Error("down")) }, { optimism: null }).poster;
		for (const id of [await newDeal(), await newDeal(), await newDeal()]) await down.call("payDeal", paying(id, random()));
		clock.advance(MINUTE_MS);
		await sweep();
		expect(asked.filter((transaction) => transaction === asked[2])).toHaveLength(1);
	});

	it("does not lose a payment whose consumer died", async () => {
		const clock = manualClock();
		const { poster: payer, sweep } = deployment({ clock });
		const id = await newDeal();
		await payer.call("payDeal", paying(id, await base.transfer([{ to: payee, units: DUE }])));
		await base.mine(CONFIRMATIONS);
		clock.advance(MINUTE_MS);
		// The consumer took the check and died.
		await env.DB.prepare("update deals set checks = checks + 1, check_due_at = ? where id = ?")
			.bind(clock.now() + 5 * MINUTE_MS, id)
			.run();
		await sweep();
		expect((await read(id)).payment_verified).toBeNull();
		clock.advance(5 * MINUTE_MS);
		await sweep();
		expect((await read(id)).payment_verified).toBe(true);
	});
});

// Tests what can happen around a payment: blocks that are not final, wallets that change, and nodes that fail.
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import type { Fetch } from "../../../src/ports/deps.ts";
import { admin } from "../../support/admin.ts";
import { recordDeal } from "../../support/deals.ts";
import { BATCH, BLOCKS_UNTIL_FINAL, LENDER } from "../../support/evm-client.ts";
import { manualClock } from "../../support/manual-clock.ts";
import { createPayments, DUE, paying, proveWallet, VALUE_CENTS } from "../../support/payments.ts";
import { registerAgent } from "../../support/scenario.ts";
import { queryAll } from "../../support/storage.ts";
import { MINUTE_MS } from "../../support/times.ts";

const { poster, agent, base, optimism, payee, deployment, newDeal, read } = await createPayments();

describe("a block that is not final", () => {
	it("can leave the chain with its payment, which is then never verified", async () => {
		const clock = manualClock();
		const { poster: payer, sweep } = deployment({ clock });
		const [id, next] = [await newDeal(), await newDeal()];
		const hash = await base.transfer([{ to: payee, units: DUE }]);
		expect(await payer.call("payDeal", paying(id, hash))).toMatchObject({ payment_verified: null, payment_on_its_way: true });
		await base.reorganise(1);
		await base.mine(BLOCKS_UNTIL_FINAL);
		clock.advance(MINUTE_MS);
		await sweep();
		const gone = await read(id);
		expect(gone).toMatchObject({ status: "paid", payment_verified: null, payment_on_its_way: false, seen_on_chain: null });
		expect(gone.payment_note).toBe("The transaction is not on base yet.");
		expect(gone.history.map(({ action }) => action)).toEqual(["recorded", "address_shown", "paid"]);
		// The deal blocks no other one.
		const again = await base.transfer([{ to: payee, units: DUE }]);
		await base.mine(BLOCKS_UNTIL_FINAL);
		expect(await payer.call("payDeal", paying(next, again))).toMatchObject({ payment_verified: true });
	});

	it("contradicts nothing: what it shows so far is recorded", async () => {
		const id = await newDeal();
		const hash = await base.transfer([{ to: payee, units: DUE - 1n }]);
		expect(await deployment().poster.call("payDeal", paying(id, hash))).toMatchObject({
			status: "paid",
			...{ payment_verified: null, payment_on_its_way: false },
			payment_note: expect.stringMatching(/^The block of the transaction is not final yet\. So far it shows this: .*89\.999999/),
		});
	});

	it("stays unknown on a node that does not say what is final, which verifies nothing and says so", async () => {
		const withoutTag: Fetch = async (url, init) => {
			if (!String(init.body).includes("finalized")) return fetch(url, init);
			return Response.json({ jsonrpc: "2.0", id: 1, error: { code: -32602, message: "unknown block" } });
		};
		const id = await newDeal();
		const hash = await base.transfer([{ to: payee, units: DUE }]);
		await base.mine(BLOCKS_UNTIL_FINAL);
		expect(await deployment({ fetch: withoutTag }).poster.call("payDeal", paying(id, hash))).toMatchObject({
			...{ payment_verified: null, payment_on_its_way: false },
			payment_note: "The node of base does not say which blocks are final, so the platform cannot verify payments there.",
		});
	});
});

describe("a wallet that the agent changes", () => {
	const moveTo = (payout_address: string, change: object = {}) =>
		agent.call("updateWallet", { body: { payout_method: "onchain_usdc", payout_address, ...change } });

	it("keeps the earlier one in the deal, and a payment to it counts", async () => {
		const deal = await recordDeal({ poster, agent }, VALUE_CENTS);
		const hash = await base.transfer([{ to: payee, units: DUE }]);
		await base.mine(BLOCKS_UNTIL_FINAL);
		let moves = 0;
		const fetchWhileMoving: Fetch = async (url, init) => {
			moves += 1;
			// The agent moves while the platform looks the payment up, too.
			if (moves === 1) await moveTo(optimism.address, { payout_chain: "optimism" });
			return fetch(url, init);
		};
		const paid = await deployment({ fetch: fetchWhileMoving }).poster.call("payDeal", paying(deal.id, hash));
		expect(paid).toMatchObject({ status: "paid", payment_verified: true, payout: { address: optimism.address, chain: "optimism" } });
		expect(paid.seen_on_chain).toMatchObject({ amount_atomic: "90000000", address: payee, chain: "base" });
		expect(paid.history.map(({ action, address }) => [action, address])).toEqual([
			["recorded", null],
			["address_shown", payee],
			["address_shown", optimism.address],
			["paid", null],
			["payment_verified", null],
		]);
		expect(await read(deal.id)).toEqual(paid);
		await moveTo(payee);
	});

	it("counts also in part: what the two wallets of a deal hand each other stays the agent's", async () => {
		const deal = await recordDeal({ poster, agent }, VALUE_CENTS);
		await moveTo(LENDER);
		await queryAll("update agents set payout_address = ?, wallet_proof = 'contract' where id = ?", BATCH, poster.agentId);
		const hash = await base.lend(DUE, [{ to: payee, units: DUE }]);
		await base.mine(BLOCKS_UNTIL_FINAL);
		const paid = await deployment().poster.call("payDeal", paying(deal.id, hash));
		expect(paid).toMatchObject({ payment_verified: true, seen_on_chain: { address: LENDER, amount_atomic: "90000000" } });
		await proveWallet(poster, base);
		await moveTo(payee);
	});

	it("is in the deal once more when the agent goes back to it, so an ended deal shows the last one", async () => {
		const mover = await registerAgent("Mover");
		const move = (payout_address: string) => mover.call("updateWallet", { body: { payout_method: "onchain_usdc", payout_address } });
		await move(payee);
		const [deal, full] = [await recordDeal({ poster, agent: mover }, VALUE_CENTS), await recordDeal({ poster, agent: mover }, 1)];
		for (const address of [optimism.address, payee, payee.toLowerCase(), base.address, payee]) await move(address);
		const wallets = [payee, optimism.address, payee, base.address, payee];
		const shown = (await read(deal.id)).history.flatMap(({ address }) => (address === null ? [] : [address]));
		expect(shown).toEqual(wallets);
		await mover.call("disputeDeal", { params: { id: deal.id }, body: { reason: "Too slow." } });
		await move(optimism.address);
		expect(await read(deal.id)).toMatchObject({ status: "disputed", payout: { address: payee, chain: "base" } });
		// A history has an end, also for an agent that goes back and forth.
		const entry = { at: 1, actor: "platform", action: "address_shown", note: null, address: optimism.address, chain: "base" };
		const history = JSON.stringify(Array.from({ length: 100 }, () => entry));
		await queryAll("update deals set history = ? where id = ?", history, full.id);
		await mover.refused("updateWallet", "CONFLICT", { body: { payout_method: "onchain_usdc", payout_address: payee } });
		await move(optimism.address);
	});

	it("stays in the deal when the agent removes it, and the poster can report what it has sent there", async () => {
		const mover = await registerAgent("Mover");
		await mover.call("updateWallet", { body: { payout_method: "onchain_usdc", payout_address: payee } });
		const deal = await recordDeal({ poster, agent: mover }, VALUE_CENTS);
		const hash = await base.transfer([{ to: payee, units: DUE }]);
		await base.mine(BLOCKS_UNTIL_FINAL);
		await mover.call("updateWallet", { body: { payout_method: "coinbase_commerce", payout_address: null } });
		const { payout, pay_exactly } = deal;
		expect(await read(deal.id)).toMatchObject({ payout, pay_exactly });
		const paid = await deployment().poster.call("payDeal", paying(deal.id, hash));
		expect(paid).toMatchObject({ status: "paid", payment_verified: true, payout, pay_exactly });
	});

	it("is shown in open deals only, and at most 20 different ones", async () => {
		const mover = await registerAgent("Mover");
		const move = (index: number) => ({
			body: { payout_method: "onchain_usdc" as const, payout_address: `0x${String(index).padStart(40, "0")}` },
		});
		const [open, declined] = [await recordDeal({ poster, agent: mover }, VALUE_CENTS), await recordDeal({ poster, agent: mover }, 1)];
		await mover.call("declineDeal", { params: { id: declined.id } });
		const shownIn = async (id: string) => (await read(id)).history.filter(({ action }) => action === "address_shown").length;
		await Promise.all([mover.call("updateWallet", move(1)), mover.call("updateWallet", move(1)), mover.call("updateWallet", move(1))]);
		expect(await shownIn(open.id)).toBe(1);
		for (let index = 2; index <= 20; index += 1) await mover.call("updateWallet", move(index));
		const { message } = await mover.refused("updateWallet", "CONFLICT", move(21));
		expect(message).toContain("maximum number of wallets");
		expect((await mover.call("getWallet")).payout_address).toBe(move(20).body.payout_address);
		expect([await shownIn(open.id), await shownIn(declined.id)]).toEqual([20, 0]);
		// It may go back to one that it has shown, and to any other once the deal is over.
		await mover.call("updateWallet", move(3));
		expect(await read(open.id)).toMatchObject({ payout: { address: move(3).body.payout_address } });
		await mover.call("disputeDeal", { params: { id: open.id }, body: { reason: "I want another wallet." } });
		await mover.call("updateWallet", move(21));
	});

	it("does not show in a deal that has ended unpaid: its history has every wallet that it showed", async () => {
		const mover = await registerAgent("Mover");
		const move = (payout_address: string) => mover.call("updateWallet", { body: { payout_method: "onchain_usdc", payout_address } });
		await move(payee);
		const [declined, disputed] = [await recordDeal({ poster, agent: mover }, VALUE_CENTS), await recordDeal({ poster, agent: mover }, 1)];
		await mover.call("declineDeal", { params: { id: declined.id } });
		await mover.call("disputeDeal", { params: { id: disputed.id }, body: { reason: "I was promised more." } });
		await move(optimism.address);
		for (const { id, pay_exactly } of [declined, disputed]) {
			const deal = await read(id);
			expect(deal).toMatchObject({ payout: { method: "onchain_usdc", address: payee, chain: "base" }, pay_exactly });
			expect(deal.history.filter(({ address }) => address !== null)).toMatchObject([{ address: payee }]);
		}
	});

	it("is in the history of every deal that is recorded at the same time", async () => {
		const racer = await registerAgent("Racer");
		const deals = await Promise.all([
			...[0, 1, 2, 3].map(() => recordDeal({ poster, agent: racer }, VALUE_CENTS)),
			racer.call("updateWallet", { body: { payout_method: "onchain_usdc", payout_address: payee } }),
		]);
		for (const deal of deals) {
			if (!("history" in deal)) continue;
			const now = await read(deal.id);
			expect(now.payout?.address).toBe(payee);
			expect(now.history.map(({ address }) => address)).toContain(payee);
			// The response showed what the history says.
			expect(deal.history.some(({ address }) => address === payee)).toBe(deal.payout !== null);
		}
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
		["is one of another chain", answering((method) => (method === "eth_chainId" ? "0x1" : null))],
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
		expect(deal).toMatchObject({ status: "paid", payment_verified: null, payment_note: "The node of base does not respond as expected." });
		expect(JSON.stringify([deal, lines])).not.toContain("SECRET-KEY");
		expect(lines.join()).toContain('"chain":"base"');
	});

	it("shows a block of the far future: the payment is recorded as not verified, and both parties can read the deal", async () => {
		const id = await newDeal();
		const hash = await base.transfer([{ to: payee, units: DUE }]);
		await base.mine(BLOCKS_UNTIL_FINAL);
		const inTheFuture: Fetch = async (url, init) => {
			const text = await (await fetch(url, init)).text();
			return new Response(text.replace(/"timestamp":"0x[0-9a-f]+"/, '"timestamp":"0xffffffffffffffff"'));
		};
		await deployment({ fetch: inTheFuture }, { optimism: null }).poster.send("payDeal", paying(id, hash));
		const unavailable = { payment_verified: null, payment_note: "The node of base does not respond as expected." };
		for (const party of [poster, agent])
			expect(await party.call("getDeal", { params: { id } })).toMatchObject({ status: "paid", ...unavailable });
	});

	it("does not hide a payment on another chain that the deal has shown", async () => {
		const mover = await registerAgent("Mover");
		const wallet = { payout_method: "onchain_usdc", payout_address: payee } as const;
		await mover.call("updateWallet", { body: wallet });
		const { id } = await recordDeal({ poster, agent: mover }, VALUE_CENTS);
		await mover.call("updateWallet", { body: { ...wallet, payout_chain: "optimism" } });
		const { pay_exactly } = await read(id);
		const hash = await optimism.transfer([{ to: payee, units: BigInt(pay_exactly?.amount_atomic ?? 0) }]);
		await optimism.mine(BLOCKS_UNTIL_FINAL);
		const dead: Fetch = (url, init) => (url.startsWith(base.url) ? Promise.reject(new Error("down")) : fetch(url, init));
		const paid = await deployment({ fetch: dead }).poster.call("payDeal", paying(id, hash));
		expect(paid).toMatchObject({ payment_verified: true, seen_on_chain: { chain: "optimism" } });
	});

	it("responds after its agent was erased: nothing of the wallet comes back", async () => {
		const clock = manualClock();
		const gone = await registerAgent("Gone");
		await gone.call("updateWallet", { body: { payout_method: "onchain_usdc", payout_address: payee } });
		const { id } = await recordDeal({ poster, agent: gone }, VALUE_CENTS);
		await deployment({ clock }).poster.call("payDeal", paying(id, await base.transfer([{ to: payee, units: DUE }])));
		await base.mine(BLOCKS_UNTIL_FINAL);
		await env.DB.prepare("update deals set check_due_at = null where id <> ?").bind(id).run();
		let calls = 0;
		const fetchWhileErasing: Fetch = async (url, init) => {
			calls += 1;
			if (calls === 1) await admin.call("eraseAgent", { params: { id: gone.agentId }, body: { reason: "They asked." } });
			return fetch(url, init);
		};
		clock.advance(MINUTE_MS);
		await deployment({ clock, fetch: fetchWhileErasing }).sweep();
		expect(calls).toBeGreaterThan(0);
		const deal = await read(id);
		expect(deal).toMatchObject({ payment_verified: null, seen_on_chain: null, payment_note: null });
		expect(JSON.stringify(deal)).not.toContain(payee);
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
		expect(deal.payment_note).toContain("The platform stopped checking after 24 hours.");
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
		await base.mine(BLOCKS_UNTIL_FINAL);
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

// Tests payments on chains: a real EVM mines the transactions, and the platform looks them up over HTTP.
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import type { Fetch } from "../../../src/ports/deps.ts";
import { recordDeal, seedClosedTask } from "../../support/deals.ts";
import { testDeps } from "../../support/deps.ts";
import { listEvents } from "../../support/directory.ts";
import { BATCH, BLOCKS_UNTIL_FINAL, BRIDGED_USDC, LENDER, startChain } from "../../support/evm-client.ts";
import { manualClock } from "../../support/manual-clock.ts";
import { createPayments, DUE, paying, proveWallet, VALUE_CENTS } from "../../support/payments.ts";
import { registerAgent } from "../../support/scenario.ts";
import { queryAll } from "../../support/storage.ts";
import { MINUTE_MS } from "../../support/times.ts";

const { poster, agent, base, optimism, payee, deployment, newDeal, read } = await createPayments();

describe("a transaction that pays", () => {
	it("is verified at once when its block is final, with an entry in the history", async () => {
		const id = await newDeal();
		const hash = await base.transfer([{ to: payee, units: DUE }]);
		await base.mine(BLOCKS_UNTIL_FINAL - 1);
		const deal = await deployment().poster.call("payDeal", paying(id, hash.toUpperCase().replace("0X", "0x")));
		expect(deal).toMatchObject({ status: "paid", payment_verified: true, payment_on_its_way: false, payment_note: null });
		expect(deal.seen_on_chain).toMatchObject({ amount_atomic: "90000000", address: payee, chain: "base" });
		expect(deal.history.slice(1)).toMatchObject([
			{ actor: "platform", action: "address_shown", note: null, address: payee },
			{ actor: "poster", action: "paid", address: null },
			{ actor: "platform", action: "payment_verified", note: `90.00 USDC to ${payee} on base, in a final block.`, address: null },
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
		await base.mine(BLOCKS_UNTIL_FINAL);
		expect((await deployment().poster.call("payDeal", paying(id, hash))).history.at(-1)?.note).toContain("90.000001 USDC");
		await proveWallet(poster, base);
	});

	it("is on its way until its block is final, and then the sweep verifies it", async () => {
		const clock = manualClock();
		const { poster: payer, sweep } = deployment({ clock });
		const id = await newDeal();
		const hash = await base.transfer([{ to: payee, units: DUE }]);
		const deal = await payer.call("payDeal", paying(id, hash));
		expect(deal).toMatchObject({ payment_verified: null, payment_on_its_way: true, seen_on_chain: null });
		expect(deal.payment_note).toMatch(/^The payment is in block \d+ of base, which is not final yet\.$/);
		await base.mine(BLOCKS_UNTIL_FINAL);
		await sweep();
		expect(await read(id)).toEqual(deal);
		clock.advance(MINUTE_MS);
		await Promise.all([sweep(), sweep(), sweep()]);
		const verified = await read(id);
		expect(verified).toMatchObject({ status: "paid", payment_verified: true, payment_on_its_way: false, payment_note: null });
		expect(verified.history.map(({ action }) => action)).toEqual(["recorded", "address_shown", "paid", "payment_verified"]);
	});

	it("is also verified in a disputed deal", async () => {
		const clock = manualClock();
		const { poster: payer, agent: payeeClient, sweep } = deployment({ clock });
		const id = await newDeal();
		await payer.call("payDeal", paying(id, await base.transfer([{ to: payee, units: DUE }])));
		await payeeClient.call("disputeDeal", { params: { id }, body: { reason: "I see nothing." } });
		await base.mine(BLOCKS_UNTIL_FINAL);
		clock.advance(MINUTE_MS);
		await sweep();
		expect(await read(id)).toMatchObject({ status: "disputed", payment_verified: true });
	});

	it("is verified even if a party takes a step while the node responds", async () => {
		const clock = manualClock();
		const id = await newDeal();
		await deployment({ clock }).poster.call("payDeal", paying(id, await base.transfer([{ to: payee, units: DUE }])));
		await base.mine(BLOCKS_UNTIL_FINAL);
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
		await base.mine(BLOCKS_UNTIL_FINAL);
		const ids = await Promise.all([newDeal(), newDeal(), newDeal()]);
		const { poster: payer } = deployment();
		const answers = await Promise.all(ids.map((id) => payer.send("payDeal", paying(id, hash))));
		expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
		const deals = await Promise.all(ids.map(read));
		expect(deals.map(({ payment_verified }) => payment_verified).toSorted()).toEqual([null, null, true]);
		const unverified = deals.filter(({ payment_verified }) => payment_verified === null);
		const payment_note = "This transaction is the verified payment of another deal. Each transaction pays one deal.";
		for (const deal of unverified)
			expect(deal).toMatchObject({ status: "paid", payment_on_its_way: false, seen_on_chain: null, payment_note });
	});

	it("is recorded with what a review has changed in the deal while the node responds", async () => {
		const id = await newDeal();
		const hash = await base.transfer([{ to: payee, units: DUE }]);
		await base.mine(BLOCKS_UNTIL_FINAL);
		let calls = 0;
		const fetchWhileReviewing: Fetch = async (url, init) => {
			calls += 1;
			if (calls === 1) await queryAll("update deals set score_from = 50, score_to = 66, score_changed_at = 1000 where id = ?", id);
			return fetch(url, init);
		};
		await deployment({ fetch: fetchWhileReviewing }).poster.call("payDeal", paying(id, hash));
		expect(await read(id)).toMatchObject({ payment_verified: true, score_changed: { from: 50, to: 66 } });
	});
});

describe("a transaction that shows otherwise", () => {
	const LOANED = /pays 90\.00 USDC, of which 90\.00 USDC leave the agent's wallet again in the same transaction/;

	async function payOnOptimism() {
		const hash = await optimism.transfer([{ to: payee, units: DUE }]);
		await optimism.mine(BLOCKS_UNTIL_FINAL);
		return hash;
	}

	const FAULTS: readonly (readonly [string, () => Promise<string>, RegExp])[] = [
		["pays too little", () => base.transfer([{ to: payee, units: DUE - 1n }]), /pays 89\.999999 USDC\. The deal needs 90\.00 USDC/],
		["pays somebody else", () => base.transfer([{ to: optimism.address, units: DUE }]), /transfers no USDC/],
		["moves another token", () => base.transfer([{ to: payee, units: DUE }], { token: BRIDGED_USDC }), /transfers no USDC/],
		["has failed", () => base.transfer([{ to: payee, units: 10n ** 15n }]), /failed/],
		["is on another chain", payOnOptimism, /is on optimism\. The agent is paid on base/],
		["gives the loan of its payer back", () => base.lend(DUE, [{ to: BATCH, units: DUE }]), LOANED],
		["hands the money on to somebody else", () => base.lend(DUE, [{ to: optimism.address, units: DUE }]), LOANED],
		["gives a part back", () => base.lend(DUE + 5n, [{ to: BATCH, units: 6n }]), /of which 0\.000006 USDC leave the agent's wallet again/],
		[
			"is older than the deal",
			() => base.transfer([{ to: payee, units: DUE }], { timestamp: Math.floor(Date.now() / 1000) - 3600 }),
			/older than the deal/,
		],
	];

	it.each(FAULTS)("%s: 409, and nothing changes", async (_, makeTransaction, reason) => {
		const { poster: payer } = deployment();
		// The loans go to a contract, which hands them on.
		const wallet = reason.source.includes("wallet again") ? LENDER : payee;
		await agent.call("updateWallet", { body: { payout_method: "onchain_usdc", payout_address: wallet } });
		const id = await newDeal();
		const before = await read(id);
		const hash = await makeTransaction();
		await base.mine(BLOCKS_UNTIL_FINAL);
		const { message } = await payer.refused("payDeal", "CONFLICT", paying(id, hash));
		expect(message).toMatch(reason);
		expect(await read(id)).toEqual(before);
		const good = await base.transfer([{ to: wallet, units: DUE }]);
		await base.mine(BLOCKS_UNTIL_FINAL);
		expect(await payer.call("payDeal", paying(id, good))).toMatchObject({ payment_verified: true });
		await agent.call("updateWallet", { body: { payout_method: "onchain_usdc", payout_address: payee } });
	});

	it("gives the agent nothing if it transfers to itself", async () => {
		const id = await newDeal();
		const own = await startChain("base");
		await agent.call("updateWallet", { body: { payout_method: "onchain_usdc", payout_address: own.address } });
		const hash = await own.transfer([{ to: own.address, units: DUE }]);
		await own.mine(BLOCKS_UNTIL_FINAL);
		const { message } = await deployment({}, { base: own.url }).poster.refused("payDeal", "CONFLICT", paying(id, hash));
		expect(message).toContain("transfers no USDC");
		await agent.call("updateWallet", { body: { payout_method: "onchain_usdc", payout_address: payee } });
	});

	it("and is found out later stays unverified, says why, and blocks no other deal", async () => {
		const clock = manualClock();
		const late = deployment({ clock, fetch: () => Promise.reject(new Error("down")) });
		const [wrong, right] = [await newDeal(), await newDeal()];
		const hash = await base.transfer([{ to: payee, units: DUE - 1n }]);
		const { payment_note } = await late.poster.call("payDeal", paying(wrong, hash));
		expect(payment_note).toBe("The node of base does not respond as expected.");
		clock.advance(MINUTE_MS);
		const back = deployment({ clock });
		await back.sweep();
		expect(await read(wrong)).toMatchObject({
			status: "paid",
			payment_verified: null,
			payment_note: expect.stringContaining("pays 89.999999"),
		});
		await base.mine(BLOCKS_UNTIL_FINAL);
		clock.advance(2 * MINUTE_MS);
		await back.sweep();
		const refuted = await read(wrong);
		expect(refuted).toMatchObject({ status: "paid", payment_verified: false, payment_note: expect.stringContaining("pays 89.999999") });
		expect(refuted.history.map(({ action }) => action)).toEqual(["recorded", "address_shown", "paid"]);
		expect((await back.poster.refused("payDeal", "CONFLICT", paying(right, hash))).message).toContain("pays 89.999999");
	});
});

describe("a payment that is not known to be the poster's", () => {
	const NOT_KNOWN = /does not come from a wallet that the poster has verified, and the amount is not exactly pay_exactly/;

	/** Returns a poster without a proven wallet, and its deal with the same agent. */
	async function strangersDeal() {
		const stranger = await registerAgent("Stranger");
		const payer = deployment().clientOf(stranger);
		const deal = await recordDeal({ poster: stranger, agent }, VALUE_CENTS);
		return { payer, stranger, id: deal.id, deal };
	}

	it("does not block the honest poster whose transaction a thief names first", async () => {
		const honest = await newDeal();
		const thief = await strangersDeal();
		const hash = await base.transfer([{ to: payee, units: DUE }]);
		await base.mine(BLOCKS_UNTIL_FINAL);
		const stolen = await thief.payer.call("payDeal", paying(thief.id, hash));
		expect(stolen).toMatchObject({ status: "paid", payment_verified: null, payment_note: expect.stringMatching(NOT_KNOWN) });
		expect(await deployment().poster.call("payDeal", paying(honest, hash))).toMatchObject({ payment_verified: true });
	});

	it("says that it pays another deal, once that deal is verified, and is looked up no more", async () => {
		const clock = manualClock();
		const honest = await newDeal();
		const thief = await strangersDeal();
		const hash = await base.transfer([{ to: payee, units: DUE }]);
		await deployment({ clock }).clientOf(thief.stranger).call("payDeal", paying(thief.id, hash));
		await base.mine(BLOCKS_UNTIL_FINAL);
		await deployment().poster.call("payDeal", paying(honest, hash));
		clock.advance(MINUTE_MS);
		await deployment({ clock }).sweep();
		const deal = await thief.payer.call("getDeal", { params: { id: thief.id } });
		expect(deal).toMatchObject({ payment_verified: null, payment_note: expect.stringContaining("payment of another deal") });
		expect(await queryAll("select check_due_at from deals where id = ?", thief.id)).toEqual([{ check_due_at: null }]);
	});

	it("is verified by the sweep once the poster has proved the wallet", async () => {
		const clock = manualClock();
		const { payer, stranger, id } = await strangersDeal();
		const hash = await base.transfer([{ to: payee, units: DUE }]);
		await base.mine(BLOCKS_UNTIL_FINAL);
		await deployment({ clock }).clientOf(stranger).call("payDeal", paying(id, hash));
		await proveWallet(stranger, base);
		clock.advance(MINUTE_MS);
		await deployment({ clock }).sweep();
		expect(await payer.call("getDeal", { params: { id } })).toMatchObject({ payment_verified: true });
	});

	it("is verified from any wallet when it carries the deal's own amount, and by no other deal", async () => {
		const [first, second] = [await strangersDeal(), await strangersDeal()];
		expect(first.deal.pay_exactly).toMatchObject({ address: payee, chain: "base" });
		const hash = await base.transfer([{ to: payee, units: BigInt(first.deal.pay_exactly?.amount_atomic ?? 0) }]);
		await base.mine(BLOCKS_UNTIL_FINAL);
		expect(await second.payer.call("payDeal", paying(second.id, hash))).toMatchObject({ payment_verified: null });
		const paid = await first.payer.call("payDeal", paying(first.id, hash));
		expect(paid).toMatchObject({ payment_verified: true, pay_exactly: first.deal.pay_exactly });
	});

	it("verifies only one of two parallel payments that both fit", async () => {
		const hash = await base.transfer([{ to: payee, units: 10n * DUE }]);
		await base.mine(BLOCKS_UNTIL_FINAL);
		const ids = await Promise.all([newDeal(), newDeal()]);
		const { poster: payer } = deployment();
		await Promise.all(ids.map((id) => payer.send("payDeal", paying(id, hash))));
		const deals = await Promise.all(ids.map(read));
		expect(deals.filter(({ payment_verified }) => payment_verified === true)).toHaveLength(1);
		expect(deals.map(({ status }) => status)).toEqual(["paid", "paid"]);
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

	it("and the fee stay when the operator changes the fee, for deals of earlier tasks too", async () => {
		const dearer = deployment({ config: { ...testDeps().config, feeBps: 5_000 } });
		const deal = await recordDeal({ poster, agent }, VALUE_CENTS);
		const { platform_fee_cents, pay_exactly } = await dearer.poster.call("getDeal", { params: { id: deal.id } });
		expect({ platform_fee_cents, pay_exactly }).toEqual({ platform_fee_cents: 1_000, pay_exactly: deal.pay_exactly });
		const taskId = await seedClosedTask({ poster, agent });
		const body = { taskId, agentId: agent.agentId, dealType: "output_purchase", dealValueCents: VALUE_CENTS };
		expect(await dearer.poster.call("createDeal", { body })).toMatchObject({ platform_fee_cents: 1_000 });
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

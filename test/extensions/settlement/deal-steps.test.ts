// Plays a deal from its record to its end, without a chain: who can take which step when, and what the two parties see.
import { beforeAll, describe, expect, it } from "vitest";
import { readProof } from "../../../src/core/competition/results/result.ts";
import type { Client, Operation } from "../../support/client.ts";
import { recordDeal } from "../../support/deals.ts";
import { testDeps } from "../../support/deps.ts";
import { listEvents, setTier } from "../../support/directory.ts";
import { type RegisteredClient, registerAgent } from "../../support/scenario.ts";

const ADDRESS = "0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359";

let poster: RegisteredClient;
let agent: RegisteredClient;

beforeAll(async () => {
	[poster, agent] = await Promise.all([registerAgent("Poster"), registerAgent("Agent")]);
	await agent.call("updateWallet", { body: { payout_method: "coinbase_commerce", payout_address: "account-7" } });
});

interface Step {
	readonly endpoint: Operation;
	readonly body?: unknown;
}

const STEPS = {
	accept: { endpoint: "acceptDeal" },
	decline: { endpoint: "declineDeal", body: { reason: "Too low." } },
	pay: { endpoint: "payDeal", body: { payment_reference: "invoice 7" } },
	confirm: { endpoint: "confirmDeal" },
	dispute: { endpoint: "disputeDeal", body: { reason: "It does not run." } },
} as const satisfies Record<string, Step>;

type StepName = keyof typeof STEPS;

const input = (id: string, name: StepName) => {
	const step: Step = STEPS[name];
	return { params: { id }, ...(step.body === undefined ? {} : { body: step.body }) };
};
const take = (client: Client, id: string, name: StepName) => client.call(STEPS[name].endpoint, input(id, name));
const client = { poster: () => poster, agent: () => agent };

/** In each step, `by` moves a deal from one of `from` to `to`. */
const TABLE: Readonly<Record<StepName, { from: readonly string[]; by: readonly ("poster" | "agent")[]; to: string }>> = {
	accept: { from: ["recorded"], by: ["agent"], to: "accepted" },
	decline: { from: ["recorded"], by: ["agent"], to: "declined" },
	pay: { from: ["recorded", "accepted"], by: ["poster"], to: "paid" },
	confirm: { from: ["paid"], by: ["agent"], to: "received" },
	dispute: { from: ["recorded", "accepted", "paid"], by: ["poster", "agent"], to: "disputed" },
};

const WAYS: Readonly<Record<string, readonly (readonly ["poster" | "agent", StepName])[]>> = {
	recorded: [],
	accepted: [["agent", "accept"]],
	declined: [["agent", "decline"]],
	paid: [["poster", "pay"]],
	received: [
		["poster", "pay"],
		["agent", "confirm"],
	],
	disputed: [["agent", "dispute"]],
};

async function dealIn(status: string): Promise<string> {
	const { id } = await recordDeal({ poster, agent });
	for (const [party, step] of WAYS[status] ?? []) await take(client[party](), id, step);
	return id;
}

const names = ["accept", "decline", "pay", "confirm", "dispute"] as const;

describe("the steps of a deal", () => {
	it("are shown to both parties, with who did what and when", async () => {
		const { id, warnings, ...recorded } = await recordDeal({ poster, agent });
		expect(warnings).toEqual([]);
		const payout = { method: "coinbase_commerce", address: "account-7", chain: null, verified_at: null };
		expect(recorded).toMatchObject({
			status: "recorded",
			payout,
			payment_reference: null,
			payment_verified: null,
			payment_note: null,
			history: [
				{ at: recorded.created_at, actor: "poster", action: "recorded", note: null, address: null },
				{ at: recorded.created_at, actor: "platform", action: "address_shown", note: null, address: "account-7" },
			],
		});
		expect(await take(agent, id, "accept")).toMatchObject({ id, status: "accepted" });
		const paid = await take(poster, id, "pay");
		expect(paid).toMatchObject({ status: "paid", payout, payment_reference: "invoice 7", payment_verified: null });
		expect(paid).toHaveProperty("payment_note", "The platform can only look up USDC payments on a blockchain.");
		const received = await take(agent, id, "confirm");
		expect(received).toMatchObject({
			status: "received",
			history: [
				{ actor: "poster", action: "recorded", note: null },
				{ actor: "platform", action: "address_shown", address: "account-7" },
				{ actor: "agent", action: "accepted", note: null },
				{ actor: "poster", action: "paid", note: null },
				{ actor: "agent", action: "received", note: null },
			],
		});
		for (const [party, role] of [
			[poster, "poster"],
			[agent, "agent"],
		] as const) {
			expect(await party.call("getDeal", { params: { id } })).toEqual(received);
			expect((await party.call("listDeals")).data[0]).toEqual({ ...received, role });
		}
	});

	it("count for the start page when both parties are more than anonymous", async () => {
		const parties = { poster: await registerAgent("Colluder"), agent: await registerAgent("Second colluder") };
		await parties.agent.call("updateWallet", { body: { payout_method: "coinbase_commerce", payout_address: "account-9" } });
		const { id } = await recordDeal(parties, 99_999_900);
		await take(parties.poster, id, "pay");
		await take(parties.agent, id, "confirm");
		const sums = [];
		for (const party of [null, parties.poster, parties.agent]) {
			if (party !== null) await setTier(party.agentId, "verified");
			sums.push((await readProof(testDeps(), 1)).received);
		}
		expect(sums).toEqual([
			{ count: 0, cents: 0, isAll: true },
			{ count: 0, cents: 0, isAll: true },
			{ count: 1, cents: 89_999_910, isAll: true },
		]);
	});

	it("each notify both parties", async () => {
		const id = await dealIn("received");
		const fields = { dealId: id, agentId: agent.agentId, paymentVerified: null };
		expect(await listEvents("deal.updated", id)).toMatchObject([
			{ ...fields, status: "paid" },
			{ ...fields, status: "received" },
		]);
	});

	it("end in a dispute with its reason, by either party", async () => {
		for (const [party, actor] of [
			[poster, "poster"],
			[agent, "agent"],
		] as const) {
			const id = await dealIn("paid");
			const deal = await party.call("disputeDeal", { params: { id }, body: { reason: "No\nmoney came." } });
			expect(deal.status).toBe("disputed");
			expect(deal.history.at(-1)).toMatchObject({ actor, action: "disputed", note: "No\nmoney came." });
		}
	});

	it.each(Object.keys(WAYS))("from %s are those of the table, for the party that it names", async (status) => {
		for (const name of names) {
			for (const party of ["poster", "agent"] as const) await expectTable(status, name, party);
		}
	});

	async function expectTable(status: string, name: StepName, party: "poster" | "agent"): Promise<void> {
		const { from, by, to } = TABLE[name];
		const id = await dealIn(status);
		const before = await poster.call("getDeal", { params: { id } });
		const isParty = by.includes(party);
		if (isParty && from.includes(status)) {
			expect(await take(client[party](), id, name)).toMatchObject({ status: to });
			return;
		}
		const { message } = await client[party]().refused(STEPS[name].endpoint, isParty ? "INVALID_TRANSITION" : "FORBIDDEN", input(id, name));
		expect(message).toContain(isParty ? `The deal is ${status}.` : `You are its ${party}.`);
		expect(await poster.call("getDeal", { params: { id } })).toEqual(before);
	}

	it("name, when one is refused, the reads that help", async () => {
		const id = await dealIn("disputed");
		const { details } = await agent.refused("acceptDeal", "INVALID_TRANSITION", { params: { id } });
		expect(details).toMatchObject({ next_actions: [{ method: "GET", href: expect.stringMatching(new RegExp(`/api/v1/deals/${id}$`)) }] });
	});
});

describe("parallel steps", () => {
	const RACES: readonly (readonly [string, readonly StepName[], number])[] = [
		["recorded", ["accept", "accept", "accept", "accept"], 1],
		["recorded", ["pay", "pay", "pay", "pay"], 1],
		["recorded", ["accept", "decline", "accept", "decline"], 1],
		["accepted", ["pay", "dispute", "pay", "dispute"], 1],
		["paid", ["confirm", "dispute", "confirm", "dispute"], 1],
	];

	it.each(RACES)("from %s: %j lets one through, and both only if the payment comes before the dispute", async (status, race) => {
		const id = await dealIn(status);
		const answers = await Promise.all(
			race.map((name) => {
				const by = TABLE[name].by[0] ?? "poster";
				return client[by]().send(STEPS[name].endpoint, input(id, name));
			}),
		);
		const results = await Promise.all(
			answers.map(async (answer, index) => ({ step: race[index], status: answer.status, body: await answer.text() })),
		);
		const passed = results.filter((result) => result.status === 200).map(({ step }) => step);
		for (const result of results.filter((each) => each.status !== 200)) {
			expect(result.status).toBe(409);
			expect(result.body).toContain("INVALID_TRANSITION");
		}
		// A dispute is still possible after a payment, but not the other way round.
		expect(["accept", "decline", "pay", "confirm", "dispute", "pay,dispute"]).toContain(
			passed.toSorted((a, b) => names.indexOf(a ?? "pay") - names.indexOf(b ?? "pay")).join(),
		);
		const { history } = await poster.call("getDeal", { params: { id } });
		const actionsBefore = { recorded: 2, accepted: 3, paid: 3 }[status] ?? 0;
		expect(history).toHaveLength(actionsBefore + passed.length);
		expect(new Set(history.map(({ action }) => action)).size).toBe(history.length);
	});
});

describe("a deal that its agent declines", () => {
	it("leaves the task free for one other deal, also for several at once, and stays in both lists", async () => {
		const first = await recordDeal({ poster, agent });
		const body = { taskId: first.task_id, agentId: agent.agentId, dealType: "output_purchase", dealValueCents: 40_000 };
		await poster.refused("createDeal", "DEAL_EXISTS", { body });
		const won = async () => (await agent.call("getProfile")).reputation.deals;
		const before = await won();
		const declined = await take(agent, first.id, "decline");
		expect(declined).toMatchObject({
			status: "declined",
			history: [{ action: "recorded" }, { action: "address_shown" }, { actor: "agent", action: "declined", note: "Too low." }],
		});
		expect(await won()).toBe(before - 1);
		const answers = await Promise.all(Array.from({ length: 4 }, () => poster.send("createDeal", { body })));
		expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409]);
		const dealt = async (party: RegisteredClient) =>
			(await party.call("listDeals")).data.flatMap(({ task_id, status }) => (task_id === first.task_id ? [status] : []));
		for (const party of [poster, agent]) expect(await dealt(party)).toEqual(["recorded", "declined"]);
		const { data } = await poster.call("getPublicHistory", { params: { id: first.task_id } });
		const moves = data.flatMap(({ event, facts }) => (event === "deal" ? [facts] : []));
		expect(moves).toMatchObject([{ status: "recorded", value_cents: 40_000 }, { status: "declined" }, { status: "recorded" }]);
	});

	it("needs no reason", async () => {
		const { id } = await recordDeal({ poster, agent });
		expect((await agent.call("declineDeal", { params: { id } })).history.at(-1)).toMatchObject({ action: "declined", note: null });
	});
});

describe("paying", () => {
	it("needs an agent with a payout address, and the error says so", async () => {
		const poor = await registerAgent("No wallet");
		const { id, payout } = await recordDeal({ poster, agent: poor });
		expect(payout).toBeNull();
		const body = { payment_reference: "invoice 7" };
		const { message } = await poster.refused("payDeal", "CONFLICT", { params: { id }, body });
		expect(message).toContain("no wallet");
		await poor.call("updateWallet", { body: { payout_method: "coinbase_commerce", payout_address: null } });
		await poster.refused("payDeal", "CONFLICT", { params: { id }, body });
		await poor.call("updateWallet", { body: { payout_method: "onchain_usdc", payout_address: ADDRESS } });
		const paid = await poster.call("payDeal", { params: { id }, body });
		expect(paid).toMatchObject({
			status: "paid",
			payment_verified: null,
			payout: { method: "onchain_usdc", address: ADDRESS, chain: "base" },
		});
		expect(paid.payment_note).toContain("not the hash of a transaction");
	});

	it("keeps its payee when the agent's wallet changes", async () => {
		const mover = await registerAgent("Mover");
		await mover.call("updateWallet", { body: { payout_method: "onchain_usdc", payout_address: ADDRESS, payout_chain: "optimism" } });
		const { id } = await recordDeal({ poster, agent: mover });
		const transaction = `0x${"AB".repeat(32)}`;
		const paid = await poster.call("payDeal", { params: { id }, body: { payment_reference: transaction } });
		expect(paid).toMatchObject({ payment_reference: transaction, payment_verified: null });
		expect(paid.payment_note).toContain("cannot read the chain optimism");
		await mover.call("updateWallet", { body: { payout_method: "coinbase_commerce", payout_address: "elsewhere" } });
		expect(await mover.call("getDeal", { params: { id } })).toEqual(paid);
	});

	it("lets many deals name an unverified transaction, with digits in any case", async () => {
		const payee = await registerAgent("Payee");
		await payee.call("updateWallet", { body: { payout_method: "onchain_usdc", payout_address: ADDRESS } });
		const deals = await Promise.all(Array.from({ length: 5 }, () => recordDeal({ poster, agent: payee })));
		const spellings = [`0x${"c7".repeat(32)}`, `0x${"C7".repeat(32)}`];
		const answers = await Promise.all(
			deals.map(({ id }, index) => {
				const body = { payment_reference: spellings[index % 2] };
				return poster.send("payDeal", { params: { id }, body });
			}),
		);
		expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
		for (const answer of answers) expect(await answer.json()).toMatchObject({ payment_verified: null });
	});

	it("accepts references of 1 to 200 characters in one line, and reasons of 1 to 2000", async () => {
		const { id } = await recordDeal({ poster, agent });
		for (const payment_reference of ["", "x".repeat(201), "two\nlines", 7, null, undefined]) {
			await poster.refused("payDeal", "INVALID_BODY", { params: { id }, body: { payment_reference } });
		}
		for (const reason of ["", "x".repeat(2001), 7, undefined]) {
			await poster.refused("disputeDeal", "INVALID_BODY", { params: { id }, body: { reason } });
		}
		const payment_reference = "ä".repeat(200);
		expect(await poster.call("payDeal", { params: { id }, body: { payment_reference } })).toMatchObject({ payment_reference });
		expect((await poster.call("disputeDeal", { params: { id }, body: { reason: "é".repeat(2000) } })).status).toBe("disputed");
	});
});

describe("a deal above the budget", () => {
	it("is recorded with a warning", async () => {
		const over = await recordDeal({ poster, agent }, 50_001);
		expect(over.warnings).toEqual([{ code: "BUDGET_HIGH", message: expect.stringContaining("50001 cents") }]);
		expect((await recordDeal({ poster, agent }, 50_000)).warnings).toEqual([]);
	});
});

// Tests public profiles: what anyone may learn about an agent, and what no one may learn before a task has ended.
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { admin } from "../../support/admin.ts";
import { createClient } from "../../support/client.ts";
import { recordDeal, seedClosedTask } from "../../support/deals.ts";
import { createFleet } from "../../support/identities.ts";
import { awaitEvaluation, openTask, type RegisteredClient, registerAgent, submit } from "../../support/scenario.ts";
import { DAY_MS } from "../../support/times.ts";

const nobody = createClient();
const NOTHING_WON = { tasks_entered: 0, evaluated_submissions: 0, average_final_score: null, best_final_score: null, wins: 0 };
const NOTHING_POSTED = {
	...{ tasks_published: 0, deals_recorded: 0, deals_paid: 0, deals_received: 0, deals_disputed: 0 },
	median_days_to_payment: null,
};

const at = (id: string) => ({ params: { id } });
const profileOf = ({ agentId }: RegisteredClient) => nobody.call("getPublicAgent", at(agentId));

let poster: RegisteredClient;

beforeAll(async () => {
	poster = await registerAgent("Northwind");
});

describe("a public profile", () => {
	it("shows the agent's own description, with a key and without", async () => {
		const agent = await registerAgent("Solver");
		await agent.call("updateProfile", { body: { bio: "I parse.", specialization_tags: ["Rust", "parsers"] } });
		const seen = await profileOf(agent);
		expect(seen).toEqual({
			...{ id: agent.agentId, display_name: "Solver", bio: "I parse.", specialization_tags: ["parsers", "rust"] },
			...{ created_at: expect.any(String), tier: "anonymous", as_competitor: NOTHING_WON, as_poster: NOTHING_POSTED },
		});
		expect(await poster.call("getAgent", at(agent.agentId))).toEqual(seen);
	});

	it("is 404 while the agent, or the maker of its operator token, is suspended, and always after an erasure", async () => {
		const agent = await registerAgent("Gone");
		const body = { reason: "spam" };
		await admin.call("suspendAgent", { ...at(agent.agentId), body });
		await nobody.refused("getPublicAgent", "NOT_FOUND", at(agent.agentId));
		await poster.refused("getAgent", "NOT_FOUND", at(agent.agentId));
		await admin.call("restoreAgent", { ...at(agent.agentId), body });
		expect(await profileOf(agent)).toMatchObject({ display_name: "Gone" });
		await admin.call("eraseAgent", { ...at(agent.agentId), body });
		await nobody.refused("getPublicAgent", "NOT_FOUND", at(agent.agentId));
		await poster.refused("getAgent", "NOT_FOUND", at(agent.agentId));

		const fleet = await createFleet();
		const child = await fleet.mint("Child");
		expect(await profileOf(child)).toMatchObject({ tier: "operator_child" });
		await admin.call("suspendAgent", { ...at(fleet.operator.agentId), body });
		await nobody.refused("getPublicAgent", "NOT_FOUND", at(child.agentId));
	});
});

describe("the record of a competitor", () => {
	it("contains nothing of a task before it has ended, and then its scores and the win", async () => {
		const [good, poor] = await Promise.all([registerAgent("Good"), registerAgent("Poor")]);
		const taskId = await openTask(poster);
		const before = await nobody.send("getPublicAgent", at(good.agentId)).then((response) => response.text());
		const { scores } = await awaitEvaluation(good, (await submit(good, taskId)).id);
		await awaitEvaluation(poor, (await submit(poor, taskId, { "SUBMISSION.md": "# What I Built\nNothing\n" })).id);
		const during = await nobody.send("getPublicAgent", at(good.agentId)).then((response) => response.text());
		expect(during).toBe(before);
		await poster.call("closeTask", at(taskId));
		const score = scores?.final_score;
		expect((await profileOf(good)).as_competitor).toEqual({
			...{ tasks_entered: 1, evaluated_submissions: 1, average_final_score: score, best_final_score: score, wins: 1 },
		});
		expect((await profileOf(poor)).as_competitor).toMatchObject({ tasks_entered: 1, evaluated_submissions: 1, wins: 0 });
	});

	it("leaves out work on one's own task and invited tasks, and a win that a final round can still change", async () => {
		const [agent, owner] = await Promise.all([registerAgent("Agent"), registerAgent("Owner")]);
		const own = await openTask(owner);
		await awaitEvaluation(owner, (await submit(owner, own)).id);
		await owner.call("closeTask", at(own));
		expect((await profileOf(owner)).as_competitor).toEqual(NOTHING_WON);

		const taskId = await seedClosedTask({ poster: owner, agent });
		const setCard = (change: string) => env.DB.prepare(`update task_cards set ${change} where id = ?`).bind(taskId).run();
		expect((await profileOf(agent)).as_competitor).toEqual({
			...{ tasks_entered: 1, evaluated_submissions: 1, average_final_score: 90, best_final_score: 90, wins: 1 },
		});
		await setCard("settled_at = null");
		expect((await profileOf(agent)).as_competitor).toMatchObject({ evaluated_submissions: 1, wins: 0 });
		await setCard("settled_at = 1, access = 'invited'");
		expect((await profileOf(agent)).as_competitor).toEqual(NOTHING_WON);
		expect((await profileOf(owner)).as_poster).toMatchObject({ tasks_published: 1 });
	});
});

describe("the record of a poster", () => {
	it("counts deals by their outcome, and the median of the days to payment", async () => {
		const [company, agent] = await Promise.all([registerAgent("Company"), registerAgent("Worker")]);
		await agent.call("updateWallet", { body: { payout_method: "coinbase_commerce", payout_address: "account-7" } });
		const deals = [];
		for (let made = 0; made < 5; made += 1) deals.push(await recordDeal({ poster: company, agent }));
		const [paid, received, disputed, refused] = deals.map(({ id }) => at(id));
		if (paid === undefined || received === undefined || disputed === undefined || refused === undefined) throw new Error("No deals.");
		expect((await profileOf(company)).as_poster).toEqual({ ...NOTHING_POSTED, tasks_published: 5, deals_recorded: 5 });
		const body = { payment_reference: "wire" };
		for (const deal of [paid, received, disputed]) await company.call("payDeal", { ...deal, body });
		await agent.call("confirmDeal", received);
		await agent.call("disputeDeal", { ...disputed, body: { reason: "No money." } });
		await agent.call("acceptDeal", refused);
		await agent.call("disputeDeal", { ...refused, body: { reason: "No." } });
		expect((await profileOf(company)).as_poster).toEqual({
			...{ tasks_published: 5, deals_recorded: 5, deals_paid: 3, deals_received: 1, deals_disputed: 2 },
			median_days_to_payment: expect.closeTo(0, 1),
		});
		const setWait = (deal: typeof paid, days: number) =>
			env.DB.prepare("update deals set paid_at = created_at + ? where id = ?")
				.bind(days * DAY_MS, deal.params.id)
				.run();
		await setWait(paid, 1);
		await setWait(received, 8);
		await setWait(disputed, 2.5);
		expect((await profileOf(company)).as_poster.median_days_to_payment).toBe(2.5);
		await env.DB.prepare("update deals set paid_at = null where id = ?").bind(paid.params.id).run();
		expect((await profileOf(company)).as_poster.median_days_to_payment).toBe(5.25);
		expect((await profileOf(agent)).as_poster).toEqual(NOTHING_POSTED);
	});
});

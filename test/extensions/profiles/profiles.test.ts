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
const NOTHING = { tasks_entered: 0, evaluated_submissions: 0, average_final_score: null, best_final_score: null, wins: 0 };
const NOTHING_WON = { ...NOTHING, own_program: NOTHING };
const NOTHING_POSTED = {
	...{ tasks_published: 0, ended_without_deal: 0, deals_recorded: 0, deals_paid: 0, deals_verified: 0, verified_cents: 0 },
	...{ deals_received: 0, deals_received_anonymous: 0, deals_disputed: 0, median_days_to_payment: null },
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
			own_program: NOTHING,
		});
		expect((await profileOf(poor)).as_competitor).toMatchObject({ tasks_entered: 1, evaluated_submissions: 1, wins: 0 });
	});

	it("leaves out work on one's own task and invite-only tasks, and a win that a final round can still change", async () => {
		const [agent, owner] = await Promise.all([registerAgent("Agent"), registerAgent("Owner")]);
		const own = await openTask(owner);
		await awaitEvaluation(owner, (await submit(owner, own)).id);
		await owner.call("closeTask", at(own));
		expect((await profileOf(owner)).as_competitor).toEqual(NOTHING_WON);

		const taskId = await seedClosedTask({ poster: owner, agent });
		const setCard = (change: string) => env.DB.prepare(`update task_cards set ${change} where id = ?`).bind(taskId).run();
		expect((await profileOf(agent)).as_competitor).toEqual({
			...{ tasks_entered: 1, evaluated_submissions: 1, average_final_score: 90, best_final_score: 90, wins: 1 },
			own_program: NOTHING,
		});
		await setCard("settled_at = null");
		expect((await profileOf(agent)).as_competitor).toMatchObject({ evaluated_submissions: 1, wins: 0 });
		await setCard("settled_at = 1, access = 'invited'");
		expect((await profileOf(agent)).as_competitor).toEqual(NOTHING_WON);
		expect((await profileOf(owner)).as_poster).toMatchObject({ tasks_published: 1 });
	});
});

describe("the record of a poster", () => {
	it("counts deals by their outcome and by who says so, and the median of the days to verified payments", async () => {
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
			...{ ...NOTHING_POSTED, tasks_published: 5, deals_recorded: 5, deals_paid: 3, deals_disputed: 2 },
			...{ deals_received: 1, deals_received_anonymous: 1 },
		});
		const setWait = (deal: typeof paid, days: number) =>
			env.DB.prepare(
				"update deals set payment_verified = 1, seen_units = '111100000', seen_chain = 'base', seen_at = created_at + ? where id = ?",
			)
				.bind(days * DAY_MS, deal.params.id)
				.run();
		await setWait(paid, 1);
		await setWait(received, 8);
		await setWait(disputed, 2.5);
		expect((await profileOf(company)).as_poster).toMatchObject({
			...{ median_days_to_payment: 2.5, deals_verified: 3, verified_cents: 3 * 11_110 },
		});
		await env.DB.prepare("update deals set payment_verified = null where id = ?").bind(paid.params.id).run();
		expect((await profileOf(company)).as_poster.median_days_to_payment).toBe(5.25);
		expect((await profileOf(agent)).as_poster).toEqual(NOTHING_POSTED);
	});

	it("leaves out deals of nothing, deals that were declined, and deals with an agent that has become the poster's own", async () => {
		const [company, free, declined, own] = await Promise.all(["Honest Inc.", "Free", "Declined", "Own"].map((name) => registerAgent(name)));
		if (company === undefined || free === undefined || declined === undefined || own === undefined) throw new Error("No agents.");
		const nothing = await recordDeal({ poster: company, agent: free }, 0);
		await declined.call("declineDeal", at((await recordDeal({ poster: company, agent: declined })).id));
		await recordDeal({ poster: company, agent: own });
		expect((await profileOf(company)).as_poster).toMatchObject({ deals_recorded: 1 });
		const userId = crypto.randomUUID();
		await env.DB.prepare("insert into users (id, issuer, subject, agent_id, created_at) values (?, 'https://issuer.test', 'one', ?, 1)")
			.bind(userId, company.agentId)
			.run();
		for (const { agentId } of [company, own]) {
			await env.DB.prepare("update agents set user_id = ? where id = ?").bind(userId, agentId).run();
		}
		expect((await profileOf(company)).as_poster).toMatchObject({ deals_recorded: 0, deals_paid: 0 });
		expect((await company.call("getDeal", at(nothing.id))).status).toBe("recorded");
	});

	it("counts tasks that ended more than 14 days ago with scored work and without a deal", async () => {
		const [company, agent] = await Promise.all([registerAgent("Silent"), registerAgent("Unpaid")]);
		const end = (taskId: string, days: number) =>
			env.DB.prepare("update task_cards set closed_at = ? where id = ?")
				.bind(Date.now() - days * DAY_MS, taskId)
				.run();
		const [old, recent] = [await seedClosedTask({ poster: company, agent }), await seedClosedTask({ poster: company, agent })];
		await end(old, 15);
		await end(recent, 13);
		const { task_id: dealt } = await recordDeal({ poster: company, agent });
		await end(dealt, 15);
		const empty = await openTask(company);
		await company.call("closeTask", at(empty));
		await end(empty, 15);
		expect((await profileOf(company)).as_poster).toMatchObject({ ended_without_deal: 1, tasks_published: 4 });
		const body = { taskId: old, agentId: agent.agentId, dealType: "output_purchase", dealValueCents: 0 };
		await company.call("createDeal", { body });
		expect((await profileOf(company)).as_poster).toMatchObject({ ended_without_deal: 1 });
	});
});

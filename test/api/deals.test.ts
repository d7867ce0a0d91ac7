import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import type { Client } from "../support/client.ts";
import { linkToHuman, listEvents } from "../support/directory.ts";
import { createFleet, signInHuman } from "../support/identities.ts";
import { awaitEvaluation, createDraft, openTask, type RegisteredClient, registerAgent, submit, taskInput } from "../support/scenario.ts";
import { seedSubmission } from "../support/seed.ts";

let poster: RegisteredClient;
let agent: RegisteredClient;
let rival: RegisteredClient;

beforeAll(async () => {
	[poster, agent, rival] = await Promise.all([registerAgent("Poster"), registerAgent("Agent"), registerAgent("Rival")]);
});

/** Returns a closed task on which these agents have evaluated submissions. */
async function closedTask(...agents: readonly Client[]): Promise<string> {
	const taskId = await openTask(poster);
	await Promise.all(agents.map(async (one) => awaitEvaluation(one, (await submit(one, taskId)).id)));
	await poster.call("closeTask", { params: { id: taskId } });
	return taskId;
}

const dealInput = (taskId: string, change: Readonly<Record<string, unknown>> = {}) => ({
	body: { taskId, agentId: agent.agentId, dealType: "output_purchase", dealValueCents: 12_345, ...change },
});

describe("recording a deal", () => {
	it("subtracts the platform's fee and notifies both sides", async () => {
		const taskId = await closedTask(agent);
		const { warnings, ...deal } = await poster.call("createDeal", dealInput(taskId, { dealType: "agent_hire" }));
		expect(warnings).toEqual([]);
		expect(deal).toMatchObject({
			task_id: taskId,
			task_title: taskInput()["title"],
			company_id: poster.agentId,
			poster_name: "Poster",
			agent_id: agent.agentId,
			agent_display_name: "Agent",
			deal_type: "agent_hire",
			deal_value_cents: 12_345,
			platform_fee_cents: 1_235,
		});
		expect((await poster.call("listDeals")).data[0]).toEqual({ ...deal, role: "poster" });
		expect((await agent.call("listDeals")).data[0]).toEqual({ ...deal, role: "agent" });
		expect((await rival.call("listDeals")).data).toEqual([]);
		const facts = { taskId, dealId: deal.id, agentId: agent.agentId, dealValueCents: 12_345 };
		expect(await listEvents("deal.created", deal.id)).toEqual([facts]);
	});

	it("accepts names in snake_case as well, and uses the camelCase one if both are sent", async () => {
		const body = { task_id: await closedTask(agent), agent_id: agent.agentId, deal_type: "agent_hire", deal_value_cents: 50 };
		await poster.refused("createDeal", "INVALID_BODY", { body: { ...body, deal_value_cents: -1 } });
		await poster.refused("createDeal", "INVALID_BODY", { body: { ...body, dealType: "gift" } });
		expect(await poster.call("createDeal", { body: { ...body, dealValueCents: 70 } })).toMatchObject({
			task_id: body.task_id,
			agent_id: agent.agentId,
			deal_type: "agent_hire",
			deal_value_cents: 70,
		});
		const plain = { ...body, task_id: await closedTask(agent) };
		expect(await poster.call("createDeal", { body: plain })).toMatchObject({ task_id: plain.task_id, deal_value_cents: 50 });
	});

	it("accepts one of many parallel requests, for any agent", async () => {
		const taskId = await closedTask(agent, rival);
		const parties = Array.from({ length: 12 }, (_, index) => (index % 2 === 0 ? agent : rival).agentId);
		const answers = await Promise.all(parties.map((agentId) => poster.send("createDeal", dealInput(taskId, { agentId }))));
		const statuses = answers.map(({ status }) => status).toSorted();
		expect(statuses).toEqual([201, ...Array.from({ length: 11 }, () => 409)]);
		const refusals = await Promise.all(answers.filter(({ status }) => status === 409).map((answer) => answer.json()));
		for (const refusal of refusals) expect(refusal).toMatchObject({ error: { code: "DEAL_EXISTS" } });
		const deals = await Promise.all([agent, rival].map(async (party) => (await party.call("listDeals")).data));
		expect(deals.flat().filter(({ task_id }) => task_id === taskId)).toHaveLength(1);
		expect(await listEvents("deal.created", taskId)).toHaveLength(1);
		await poster.refused("createDeal", "DEAL_EXISTS", dealInput(taskId));
	});

	it("is rejected between an agent and itself, and with an agent of the same human or operator, on either side", async () => {
		const fleet = await createFleet();
		const [first, second] = [await fleet.mint("First"), await fleet.mint("Second")];
		const human = await signInHuman();
		const claimed = await registerAgent("Claimed");
		await linkToHuman(claimed.agentId, human.userId);
		const pairs: readonly (readonly [RegisteredClient, { readonly agentId: string }])[] = [
			[agent, agent],
			[first, second],
			[first, fleet.operator],
			[fleet.operator, second],
			[claimed, human],
		];
		for (const [owner, other] of pairs) {
			const taskId = await openTask(owner);
			await seedSubmission({ taskId, agentId: other.agentId, submissionId: crypto.randomUUID(), score: 90, createdAt: 1 });
			await owner.call("closeTask", { params: { id: taskId } });
			await owner.refused("createDeal", "FORBIDDEN", dealInput(taskId, { agentId: other.agentId, dealValueCents: 1_000_000_000_000 }));
		}
		const taskId = await openTask(first);
		const stranger = await (await createFleet()).mint("Of another operator");
		await awaitEvaluation(stranger, (await submit(stranger, taskId)).id);
		await first.call("closeTask", { params: { id: taskId } });
		expect(await first.call("createDeal", dealInput(taskId, { agentId: stranger.agentId }))).toMatchObject({ agent_id: stranger.agentId });
	});

	it.each([
		{ taskId: "no-uuid" },
		{ agentId: 7 },
		{ dealType: "gift" },
		{ dealValueCents: -1 },
		{ dealValueCents: 10.5 },
		{ dealValueCents: "100" },
		{ dealValueCents: 1e15 },
	])("refuses a body with %j", async (change) => {
		await poster.refused("createDeal", "INVALID_BODY", dealInput(crypto.randomUUID(), change));
	});
});

describe("listing deals", () => {
	it("merges both sides, newest first and in pages, and lists a deal with oneself once", async () => {
		const both = await registerAgent("Both sides");
		const ids = Array.from({ length: 7 }, (_, index) => `00000000-0000-7000-8000-00000000000${index}`);
		const taskIds = await Promise.all(ids.map(async () => (await createDraft(poster)).id));
		const parties = ids.map((_, index) => (index === 3 ? [both, both] : index % 2 === 0 ? [both, agent] : [rival, both]));
		await env.DB.batch(
			ids.map((id, index) =>
				env.DB.prepare(`insert into deals (id, task_id, company_id, agent_id, deal_type, deal_value_cents, platform_fee_cents, created_at)
					values (?, ?, ?, ?, 'output_purchase', 100, 10, 1)`).bind(
					id,
					taskIds[index] ?? "",
					parties[index]?.[0]?.agentId ?? "",
					parties[index]?.[1]?.agentId ?? "",
				),
			),
		);
		const seen: { id: string; role: string }[] = [];
		let cursor: string | null = null;
		do {
			const page: { data: { id: string; role: string }[]; pagination: { next_cursor: string | null } } = await both.call("listDeals", {
				query: { limit: 2, ...(cursor === null ? {} : { cursor }) },
			});
			seen.push(...page.data);
			cursor = page.pagination.next_cursor;
		} while (cursor !== null);
		expect(seen.map(({ id }) => id)).toEqual(ids.toReversed());
		expect(seen.map(({ role }) => role).toReversed()).toEqual(["poster", "agent", "poster", "poster", "poster", "agent", "poster"]);
	});
});

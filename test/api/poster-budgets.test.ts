// What the poster's and the profile's reads cost when there is very much to read from.
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { getProfile, updateProfile } from "../../src/features/agents/contract.ts";
import { addAttachment, deleteAttachment, listAttachments } from "../../src/features/competition/attachments/contract.ts";
import { searchTasks } from "../../src/features/competition/search/contract.ts";
import { listTaskSubmissions } from "../../src/features/competition/submissions/contract.ts";
import { getDashboardStats, listDashboardSubmissions } from "../../src/features/dashboard/contract.ts";
import { acceptDeal, confirmDeal, createDeal, disputeDeal, getDeal, listDeals, payDeal } from "../../src/features/deals/contract.ts";
import { closeTask, publishTask } from "../../src/features/tasks/contract.ts";
import { updateWallet } from "../../src/features/wallet/contract.ts";
import type { EndpointContract } from "../../src/http/endpoint.ts";
import type { CallInput, Client } from "../support/client.ts";
import { recordDeal } from "../support/deals.ts";
import { awaitEvaluation, createDraft, openTask, type RegisteredClient, registerAgent, submit } from "../support/scenario.ts";
import { dropCountersOfAgents, seedSubmissions, seedTasks } from "../support/seed.ts";
import { measure, type RequestUse } from "../support/use.ts";

const MANY = 100_000;
const PAGE_ROWS = 60;

let poster: RegisteredClient;
let agent: RegisteredClient;
const cost = (client: Client, contract: EndpointContract, input?: CallInput): Promise<RequestUse> =>
	measure(() => client.send(contract, input));

beforeAll(async () => {
	[poster, agent] = await Promise.all([registerAgent("Poster"), registerAgent("Agent")]);
});

describe("round trips to D1", () => {
	it("are at most 2 for reads and 3 for writes", async () => {
		const taskId = await openTask(poster);
		await awaitEvaluation(agent, (await submit(agent, taskId)).id);
		const params = { id: taskId };
		const form = new FormData();
		form.set("field", "description");
		form.set("file", new File(["a"], "a.txt"));
		const attachment = await poster.call(addAttachment, { params, rawBody: form });
		const draft = (await createDraft(poster)).id;
		const reads: readonly (readonly [Client, EndpointContract, CallInput?])[] = [
			[agent, searchTasks, { query: { query: "parse csv" } }],
			[agent, getProfile],
			[agent, listAttachments, { params }],
			[poster, listTaskSubmissions, { params, query: { sort: "score" } }],
			[poster, getDashboardStats],
			[poster, listDashboardSubmissions],
			[poster, listDeals],
		];
		const writes: readonly (readonly [Client, EndpointContract, CallInput?])[] = [
			[agent, updateProfile, { body: { bio: "x", specialization_tags: ["general"] } }],
			[poster, publishTask, { params: { id: draft } }],
			[poster, addAttachment, { params, rawBody: form }],
			[poster, deleteAttachment, { params: { id: taskId, attachmentId: attachment.id } }],
			[poster, closeTask, { params }],
			[poster, createDeal, { body: { taskId, agentId: agent.agentId, dealType: "agent_hire", dealValueCents: 1 } }],
		];
		for (const [calls, max] of [
			[reads, 2],
			[writes, 3],
		] as const) {
			for (const [client, contract, input] of calls) {
				const use = await cost(client, contract, input);
				expect({ operation: contract.operationId, isFine: use.status < 300 && use.d1_calls <= max, use }).toMatchObject({ isFine: true });
			}
		}
	});
});

describe("round trips to D1 of deals", () => {
	it("are at most 2 for reads and 3 for writes", async () => {
		const parties = { poster: await registerAgent("Payer"), agent: await registerAgent("Payee") };
		await parties.agent.call(updateWallet, { body: { payout_method: "coinbase_commerce", payout_address: "account-7" } });
		const params = { id: (await recordDeal(parties)).id };
		const disputed = { id: (await recordDeal(parties)).id };
		for (const [client, contract, input, max] of [
			[parties.agent, getDeal, { params }, 2],
			[parties.agent, acceptDeal, { params }, 3],
			[parties.poster, payDeal, { params, body: { payment_reference: "invoice 7" } }, 3],
			[parties.agent, confirmDeal, { params }, 3],
			[parties.poster, disputeDeal, { params: disputed, body: { reason: "Nothing came." } }, 3],
		] as const) {
			const use = await cost(client, contract, input);
			expect({ operation: contract.operationId, isFine: use.status < 300 && use.d1_calls <= max, use }).toMatchObject({ isFine: true });
			expect({ operation: contract.operationId, rows: use.d1_rows_read <= 20 || use.d1_rows_read }).toMatchObject({ rows: true });
		}
	});
});

describe("rows read", () => {
	let busyTask: string;

	beforeAll(async () => {
		busyTask = await openTask(poster);
		await dropCountersOfAgents();
		const start = Date.now();
		await seedTasks({ posterId: poster.agentId, from: 1, to: MANY, start });
		await seedSubmissions({ taskId: busyTask, agentId: agent.agentId, total: MANY, start });
		const { agentId } = agent;
		await env.DB.batch([
			env.DB.prepare(
				`with recursive n (i) as (select 1 union all select i + 1 from n where i < 100)
				insert into leaderboard_entries (task_id, agent_id, submission_id, agent_name, final_score, achieved_at, rank_key)
				select t.id, iif(n.i = 50, ?1, 'agent-' || n.i), 'submission-' || n.i, 'Agent', 50, 1, printf('%051d', n.i)
				from (select id from tasks limit 40) as t join n`,
			).bind(agentId),
		]);
		await poster.call(updateProfile, { body: { specialization_tags: Array.from({ length: 20 }, (_, index) => `tag ${index}`) } });
	}, 300_000);

	it("are those of the page, whatever is filtered and sorted", async () => {
		const params = { id: busyTask };
		for (const query of [{}, { sort: "score" }, { status: "completed" }, { status: "completed", sort: "score" }, { status: "failed" }]) {
			const first = await cost(poster, listTaskSubmissions, { params, query });
			const page = await poster.call(listTaskSubmissions, { params, query });
			const cursor = page.pagination.next_cursor;
			const second = cursor === null ? first : await cost(poster, listTaskSubmissions, { params, query: { ...query, cursor } });
			for (const { d1_rows_read: rows } of [first, second])
				expect({ query, rows: rows <= PAGE_ROWS || rows }).toEqual({ query, rows: true });
		}
	});

	it("are few for a profile and a dashboard", async () => {
		expect((await cost(poster, getProfile)).d1_rows_read).toBeLessThanOrEqual(30);
		expect((await cost(agent, getProfile)).d1_rows_read).toBeLessThanOrEqual(10);
		// Ten entries ahead on each of twenty tasks.
		expect((await cost(agent, getDashboardStats)).d1_rows_read).toBeLessThanOrEqual(20 * 12 + 20);
		expect((await agent.call(getDashboardStats)).agent.rank_distribution).toMatchObject({ tasks: 20, first: 1, lower: 19 });
		expect((await cost(poster, getDashboardStats)).d1_rows_read).toBeLessThanOrEqual(10);
	});
});

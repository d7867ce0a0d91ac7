// Tests the budgets of the poster's and the profile's reads with very many rows.
import { beforeAll, describe, expect, it } from "vitest";
import { addAttachment } from "../../src/features/competition/attachments/add-attachment.ts";
import { deleteAttachment } from "../../src/features/competition/attachments/delete-attachment.ts";
import { listAttachments } from "../../src/features/competition/attachments/list-attachments.ts";
import { getDashboardStats } from "../../src/features/competition/dashboard/get-stats.ts";
import { listDashboardSubmissions } from "../../src/features/competition/dashboard/list-submissions.ts";
import { acceptDeal } from "../../src/features/competition/deals/accept-deal.ts";
import { confirmDeal } from "../../src/features/competition/deals/confirm-deal.ts";
import { createDeal } from "../../src/features/competition/deals/create-deal.ts";
import { disputeDeal } from "../../src/features/competition/deals/dispute-deal.ts";
import { getDeal } from "../../src/features/competition/deals/get-deal.ts";
import { listDeals } from "../../src/features/competition/deals/list-deals.ts";
import { payDeal } from "../../src/features/competition/deals/pay-deal.ts";
import { closeTask } from "../../src/features/competition/lifecycle/close-task.ts";
import { publishTask } from "../../src/features/competition/lifecycle/publish-task.ts";
import { searchTasks } from "../../src/features/competition/search/search-tasks.ts";
import { listTaskSubmissions } from "../../src/features/competition/submissions/list-task-submissions.ts";
import { getProfile } from "../../src/features/identity/agents/get-profile.ts";
import { updateProfile } from "../../src/features/identity/agents/update-profile.ts";
import { updateWallet } from "../../src/features/identity/wallet/update-wallet.ts";
import type { EndpointContract } from "../../src/http/endpoint.ts";
import type { CallInput, Client } from "../support/client.ts";
import { recordDeal } from "../support/deals.ts";
import { watchObject } from "../support/object-use.ts";
import { awaitEvaluation, createDraft, openTask, type RegisteredClient, registerAgent, submit } from "../support/scenario.ts";
import { seedSubmission, seedSubmissions, seedTasks } from "../support/seed.ts";
import { measure, type RequestUse } from "../support/use.ts";

const TASKS = 2_000;
const SUBMISSIONS = 5_000;
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
		const start = Date.now();
		await seedTasks({ posterId: poster.agentId, from: 1, to: TASKS, start });
		await seedSubmissions({ taskId: busyTask, posterId: poster.agentId, agentId: agent.agentId, total: SUBMISSIONS, start });
		await poster.call(updateProfile, { body: { specialization_tags: Array.from({ length: 20 }, (_, index) => `tag ${index}`) } });
	}, 300_000);

	it("are only those of the page, for any filter and order", async () => {
		const params = { id: busyTask };
		const takeObject = await watchObject(busyTask);
		for (const query of [{}, { sort: "score" }, { status: "completed" }, { status: "completed", sort: "score" }, { status: "failed" }]) {
			const { cursor } = await poster
				.call(listTaskSubmissions, { params, query })
				.then(({ pagination }) => ({ cursor: pagination.next_cursor }));
			for (const page of [query, ...(cursor === null ? [] : [{ ...query, cursor }])]) {
				await takeObject();
				const { d1_rows_read: ofD1 } = await cost(poster, listTaskSubmissions, { params, query: page });
				const { read: ofObject } = await takeObject();
				expect({ query, rows: Math.max(ofD1, ofObject) <= PAGE_ROWS || { ofD1, ofObject } }).toEqual({ query, rows: true });
			}
		}
	});

	it("are those that a profile and a dashboard count", async () => {
		expect((await cost(poster, getProfile)).d1_rows_read).toBeLessThanOrEqual(40);
		expect((await cost(agent, getProfile)).d1_rows_read).toBeLessThanOrEqual(2 * SUBMISSIONS + 40);
		expect((await cost(agent, getDashboardStats)).d1_rows_read).toBeLessThanOrEqual(4 * SUBMISSIONS + 40);
		expect((await cost(poster, getDashboardStats)).d1_rows_read).toBeLessThanOrEqual(2 * TASKS + 40);
	});

	it("for a dashboard's ranks are those of twenty boards", async () => {
		const other = await registerAgent();
		for (let number = 0; number < 22; number += 1) {
			const taskId = await openTask(poster);
			const submissionId = crypto.randomUUID();
			const rivals = [90, 80, 70].map((score) => ({
				submissionId: crypto.randomUUID(),
				agentId: crypto.randomUUID(),
				score,
				createdAt: 1,
			}));
			const own = { submissionId, agentId: other.agentId, score: number === 21 ? 99 : 75, createdAt: number + 1 };
			for (const entry of [...rivals, own]) await seedSubmission({ taskId, ...entry });
		}
		const use = await cost(other, getDashboardStats);
		expect(use.object_calls).toBe(20);
		expect((await other.call(getDashboardStats)).agent.rank_distribution).toMatchObject({ tasks: 20, first: 1, second_or_third: 19 });
	}, 60_000);
});

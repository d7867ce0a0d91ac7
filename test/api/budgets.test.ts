// Requests have budgets in D1: calls for every endpoint, and rows for lists that grow.
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { COLD_QUICK_SUBMIT } from "../../scripts/costs/costs.ts";
import { createApp } from "../support/app.ts";
import { watchBucket } from "../support/buckets.ts";
import { type CallInput, type Client, createClient, type Operation } from "../support/client.ts";
import { recordDeal, seedClosedTask } from "../support/deals.ts";
import { testDeps } from "../support/deps.ts";
import { watchObject } from "../support/object-use.ts";
import {
	attachmentForm,
	awaitEvaluation,
	createDraft,
	GOOD_FILES,
	hoursFromNow,
	openTask,
	registerAgent,
	submit,
	taskInput,
	testSuiteForm,
} from "../support/scenario.ts";
import { seedLeaderboard } from "../support/seed.ts";
import { inTask, queryTask } from "../support/task-object.ts";
import { measure, type RequestUse } from "../support/use.ts";

const [poster, agent] = [await registerAgent("Poster"), await registerAgent("Builder")];
const nobody = createClient();
const at = (id: string, query: Readonly<Record<string, string | number>> = {}): CallInput => ({ params: { id }, query });
/** Uses a key that no isolate remembers yet, so that its lookup is part of the cost. */
async function cost(client: Client, operation: Operation, input?: CallInput): Promise<RequestUse> {
	const caller = client.key === null ? client : createClient({ key: (await client.call("createApiKey")).api_key });
	return measure(() => caller.send(operation, input));
}

describe("round trips to D1", () => {
	it("are at most 2 for a read or a list, key lookup included", async () => {
		const taskId = await openTask(poster);
		const { id } = await submit(agent, taskId);
		await awaitEvaluation(agent, id);
		const { id: dealId } = await recordDeal({ poster, agent });
		const { id: dryRunId } = await poster.call("startDryRun", { ...at(taskId), body: { files: GOOD_FILES } });
		const reads: readonly (readonly [Client, Operation, CallInput?])[] = [
			[agent, "whoAmI"],
			[agent, "listApiKeys"],
			[agent, "getProfile"],
			[agent, "getTask", at(taskId)],
			[agent, "listAttachments", at(taskId)],
			[agent, "listTasks"],
			[nobody, "listPublicTasks"],
			[agent, "getSubmission", at(id)],
			[agent, "getSubmissionDetails", at(id)],
			[agent, "listEvaluations", at(id)],
			[nobody, "getReceiptKeys"],
			[nobody, "getSubmissionStatus", at(id)],
			[agent, "listSubmissions"],
			[poster, "listTaskSubmissions", at(taskId)],
			[poster, "listTaskSubmissions", at(taskId, { sort: "score" })],
			[poster, "listDashboardSubmissions"],
			[agent, "getLeaderboard", at(taskId)],
			[poster, "getDryRun", at(dryRunId)],
			[poster, "listDryRuns", at(taskId)],
			[nobody, "getPublicTask", at(taskId)],
			[nobody, "getPublicLeaderboard", at(taskId)],
			[nobody, "getPublicHistory", at(taskId)],
			[nobody, "getRssFeed"],
			[nobody, "getRssFeed"],
			[poster, "lintTask", at(taskId)],
			[poster, "exportTask", at(taskId)],
			[poster, "exportTask", at(taskId, { format: "jsonl" })],
			[poster, "listSubmissionFiles", at(id)],
			[poster, "readSubmissionFile", { params: { id, path: "SUBMISSION.md" } }],
			[agent, "getDeal", at(dealId)],
			[poster, "listDeals"],
			[agent, "checkSubmission", { ...at(taskId), body: { files: GOOD_FILES } }],
		];
		for (const [client, operation, input] of reads) {
			const use = await cost(client, operation, input);
			expect({ operation: operation, status: use.status }).toEqual({ operation: operation, status: 200 });
			expect({ operation: operation, calls: use.d1_calls <= 2 || use.d1_calls }).toEqual({
				operation: operation,
				calls: true,
			});
			expect({ operation: operation, written: use.d1_rows_written }).toEqual({ operation: operation, written: 0 });
		}
	});

	it("are at most 2 to open a stream", async () => {
		const taskId = await openTask(poster);
		const { id } = await submit(agent, taskId);
		const streams: readonly (readonly [Client, Operation, CallInput?])[] = [
			[agent, "streamBounties"],
			[agent, "streamSubmission", at(id)],
			[agent, "streamLeaderboard", at(taskId)],
			[poster, "streamTask", at(taskId)],
			[nobody, "streamPublicTask", at(taskId)],
		];
		for (const [client, operation, input] of streams) {
			const caller = client.key === null ? client : createClient({ key: (await client.call("createApiKey")).api_key });
			const use = await measure(async () => {
				const { body, status, headers } = await caller.send(operation, input);
				await body?.cancel();
				return new Response(null, { status, headers });
			});
			expect({ operation: operation, status: use.status }).toEqual({ operation: operation, status: 200 });
			expect({ operation: operation, calls: use.d1_calls <= 2 || use.d1_calls }).toEqual({
				operation: operation,
				calls: true,
			});
		}
	});

	it("need no call to the bucket, once a report has been read", async () => {
		const { id } = await submit(agent, await openTask(poster));
		const { dimensions } = await awaitEvaluation(agent, id);
		const { bucket, use } = watchBucket();
		const app = createApp(() => testDeps({ bucket }));
		const client = createClient({ key: agent.key, fetch: (request) => app.fetch(request) });
		await client.call("getSubmission", at(id));
		const gets = use.gets;
		expect((await client.call("getSubmission", at(id))).dimensions).toEqual(dimensions);
		expect((await client.call("getSubmissionDetails", at(id))).dimensions).toMatchObject(dimensions);
		expect(use.gets).toBe(gets);
	});

	it("are zero for the health check and the OpenAPI document", async () => {
		for (const operation of ["getHealth", "getOpenApi"] as const)
			expect(await cost(nobody, operation)).toMatchObject({ status: 200, d1_calls: 0 });
	});

	it("are at most 3 for a deal and for each of its steps", async () => {
		await agent.call("updateWallet", { body: { payout_method: "onchain_usdc", payout_address: `0x${"1".repeat(40)}` } });
		const taskId = await seedClosedTask({ poster, agent });
		const created = await cost(poster, "createDeal", {
			body: { taskId, agentId: agent.agentId, dealType: "output_purchase", dealValueCents: 100 },
		});
		const [way, disputed] = [await recordDeal({ poster, agent }), await recordDeal({ poster, agent })];
		const uses = [
			created,
			await cost(agent, "acceptDeal", at(way.id)),
			await cost(poster, "payDeal", { ...at(way.id), body: { payment_reference: "invoice 5" } }),
			await cost(agent, "confirmDeal", at(way.id)),
			await cost(poster, "disputeDeal", { ...at(disputed.id), body: { reason: "Nothing arrived." } }),
		];
		expect(uses.map(({ status }) => status)).toEqual([201, 200, 200, 200, 200]);
		expect(Math.max(...uses.map(({ d1_calls }) => d1_calls))).toBeLessThanOrEqual(3);
		expect(Math.max(...uses.map(({ d1_rows_read }) => d1_rows_read))).toBeLessThanOrEqual(22);
	});

	it("are at most 3 for a search, one of them to the index, and for the figures of a dashboard", async () => {
		await openTask(poster, { title: "Dik-dik" });
		const found = await cost(agent, "searchTasks", { query: { query: "dik dik" } });
		expect(found).toMatchObject({ status: 200, d1_calls: 3, d1_rows_written: 0 });
		expect(await cost(poster, "getDashboardStats")).toMatchObject({ status: 200, d1_calls: 3, d1_rows_written: 0 });
	});

	it("are at most 3 for a write, and one more to the index of searches", async () => {
		const indexed: readonly unknown[] = ["publishTask", "closeTask"] as const;
		const { id } = await createDraft(poster);
		const { id: keyId } = await agent.call("createApiKey");
		const { id: attachmentId } = await poster.call("addAttachment", { ...at(id), rawBody: attachmentForm() });
		const criteria = [{ name: "One", weight: 100 }];
		const createCopy = async () => (await poster.call("cloneTask", at(id))).id;
		const writes: readonly (readonly [Client, Operation, CallInput?])[] = [
			[nobody, "registerAnonymous"],
			[agent, "createApiKey"],
			[agent, "revokeApiKey", { query: { id: keyId } }],
			[agent, "updateProfile", { body: { bio: "x", specialization_tags: ["general"] } }],
			[poster, "createTask", { body: taskInput() }],
			[poster, "updateTask", { ...at(id), body: { title: "New" } }],
			[poster, "replaceRubric", { ...at(id), body: { criteria } }],
			[poster, "uploadTestSuite", { ...at(id), rawBody: testSuiteForm() }],
			[poster, "addAttachment", { ...at(id), rawBody: attachmentForm() }],
			[poster, "deleteAttachment", { params: { id, attachmentId } }],
			[poster, "startDryRun", { ...at(id), body: { files: GOOD_FILES } }],
			[poster, "cloneTask", at(id)],
			[poster, "deleteTask", at(await createCopy())],
			[poster, "publishTask", at(id)],
			[poster, "extendTask", { ...at(id), body: { deadline: hoursFromNow(200) } }],
			[agent, "quickSubmit", { ...at(id), body: { files: GOOD_FILES } }],
			[agent, "quickSubmit", { ...at(id), body: { files: GOOD_FILES }, headers: { "Idempotency-Key": "once" } }],
			[agent, "quickSubmit", { ...at(id), body: { files: GOOD_FILES }, headers: { "Idempotency-Key": "once" } }],
			[poster, "closeTask", at(id)],
		];
		for (const [client, operation, input] of writes) {
			const use = await cost(client, operation, input);
			const most = indexed.includes(operation) ? 4 : 3;
			const isFew = use.status < 300 && use.d1_rows_read <= 60;
			expect({ operation: operation, isFew: isFew || use }).toEqual({ operation: operation, isFew: true });
			expect({ operation: operation, calls: use.d1_calls <= most || use.d1_calls }).toEqual({
				operation: operation,
				calls: true,
			});
		}
	});
});

describe("a cold quick-submit", () => {
	it("makes two trips in sequence: the key, and the object of the task", async () => {
		const taskId = await openTask(poster);
		const submitOnce = (headers = {}) => cost(agent, "quickSubmit", { ...at(taskId), body: { files: GOOD_FILES }, headers });
		expect(await submitOnce()).toMatchObject({ status: 201, ...COLD_QUICK_SUBMIT });
		expect(await submitOnce({ "Idempotency-Key": "cold" })).toMatchObject({ status: 201, ...COLD_QUICK_SUBMIT });
	});
});

describe("rows read", () => {
	it.each([false, true])(
		"by a page of 100 of a leaderboard are at most its entries, on any page and for any caller (all equal: %s)",
		async (isTie) => {
			const total = 10_000;
			const taskId = await openTask(poster);
			await seedLeaderboard({ taskId, total, start: Date.now() - 1_800_000_000, family: isTie ? 1 : 2, isTie });
			const { agent_id: lastId, submission_id: lastSubmission } = await entryAt(taskId, total);
			const last = await actAs(lastId);
			expect((await last.call("getLeaderboard", at(taskId))).me?.rank).toBe(total);
			const takeObject = await watchObject(taskId);
			for (const rank of [0, 100, 3_333, 7_777, 9_900]) {
				const query = { limit: 100, ...(rank === 0 ? {} : { cursor: await cursorAfter(taskId, rank) }) };
				for (const client of [last, agent]) {
					await takeObject();
					const use = await cost(client, "getLeaderboard", at(taskId, query));
					expect({ status: use.status, isOneCall: use.object_calls === 1, isFew: use.d1_rows_read <= 10 || use }).toEqual({
						...{ status: 200, isOneCall: true, isFew: true },
					});
					expect((await takeObject()).read).toBeLessThanOrEqual(total + 300);
				}
				expect((await agent.call("getLeaderboard", at(taskId, query))).entries[0]?.rank).toBe(rank + 1);
			}
			await inTask(taskId, (task) => task.markSubmission(lastSubmission));
			await takeObject();
			expect((await cost(nobody, "getSubmissionStatus", at(lastSubmission))).d1_rows_read).toBeLessThanOrEqual(10);
			expect((await takeObject()).read).toBeLessThanOrEqual(total + 100);
		},
		120_000,
	);
});

/** Returns a client with a new key of a seeded agent. */
async function actAs(agentId: string): Promise<Client> {
	const donor = await registerAgent();
	await env.DB.prepare("update api_keys set agent_id = ? where agent_id = ?").bind(agentId, donor.agentId).run();
	return createClient({ key: donor.key });
}

async function cursorAfter(taskId: string, rank: number): Promise<string> {
	const { rank_key } = await entryAt(taskId, rank);
	return btoa(JSON.stringify([rank_key]))
		.replaceAll("+", "-")
		.replaceAll("/", "_")
		.replace(/=+$/, "");
}

interface BoardRow {
	readonly [column: string]: string;
	readonly agent_id: string;
	readonly submission_id: string;
	readonly rank_key: string;
}

async function entryAt(taskId: string, rank: number): Promise<BoardRow> {
	const text = "select agent_id, submission_id, rank_key from board order by rank_key limit 1 offset ?";
	const [row] = await queryTask<BoardRow>(taskId, text, rank - 1);
	if (row === undefined) throw new Error(`The board has no rank ${rank}.`);
	return row;
}

// Tests the list of what waits for an agent, the submissions of each day, and the operators' history and search.
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { runSweep } from "../../../src/queues/sweeps.ts";
import { admin } from "../../support/admin.ts";
import type { Client } from "../../support/client.ts";
import { recordDeal } from "../../support/deals.ts";
import { testDeps } from "../../support/deps.ts";
import { awaitEvaluation, createDraft, openTask, registerAgent, submit } from "../../support/scenario.ts";
import { queryTask } from "../../support/task-object.ts";
import { DAY_MS, HOUR_MS } from "../../support/times.ts";

const at = (id: string) => ({ params: { id } });
const kindsOf = async (client: Client) => (await client.call("listWaiting")).data.map(({ kind, count }) => `${kind} ${count}`);

const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);

describe("the list of what waits", () => {
	it("is empty for a new agent, and has an agent's draft", async () => {
		const agent = await registerAgent();
		expect(await kindsOf(agent)).toEqual([]);
		const { id } = await createDraft(agent, { title: "Unfinished" });
		expect((await agent.call("listWaiting")).data).toEqual([
			{ kind: "finish_draft", task_id: id, title: "Unfinished", deal_id: null, count: 1, value_cents: null },
		]);
	});

	it("has what the owner has not answered, decided or chosen, until it has", async () => {
		const [poster, agent] = [await registerAgent(), await registerAgent()];
		const taskId = await openTask(poster);
		const { id } = await submit(agent, taskId);
		await awaitEvaluation(agent, id);
		const question = await agent.call("askQuestion", { ...at(taskId), body: { text: "Why?" } });
		await agent.call("askQuestion", { ...at(taskId), body: { text: "How?" } });
		await agent.call("createAppeal", { ...at(id), body: { reason: "It does that." } });
		expect(await kindsOf(poster)).toEqual(["decide_reviews 1", "answer_questions 2"]);
		expect(await kindsOf(agent)).toEqual([]);

		await poster.call("answerQuestion", { params: { id: taskId, questionId: question.id }, body: { text: "So." } });
		await poster.call("reviewSubmission", { ...at(id), body: { decision: "upheld", reason: "It does not." } });
		expect(await kindsOf(poster)).toEqual(["answer_questions 1"]);
		await poster.call("closeTask", at(taskId));
		await expect.poll(() => kindsOf(poster)).toEqual(["answer_questions 1", "choose_winner 1"]);
	});

	it("has a deal for the party whose turn it is", async () => {
		const [poster, agent] = [await registerAgent(), await registerAgent()];
		const { id } = await recordDeal({ poster, agent }, 5_000);
		expect(await kindsOf(poster)).toEqual([]);
		expect((await agent.call("listWaiting")).data).toMatchObject([{ kind: "accept_deal", deal_id: id, value_cents: 5_000 }]);
		await agent.call("acceptDeal", at(id));
		expect(await kindsOf(poster)).toEqual(["pay_deal 1"]);
		expect(await kindsOf(agent)).toEqual([]);
	});

	it("has no choice between works without a score", async () => {
		const [poster, agent] = [await registerAgent(), await registerAgent()];
		const taskId = await openTask(poster);
		await agent.call("createSubmission", at(taskId));
		await poster.call("closeTask", at(taskId));
		await expect
			.poll(async () => (await poster.call("listTasks", { query: { owner: "me" } })).data)
			.toMatchObject([{ status: "closed", submission_count: 1 }]);
		expect(await kindsOf(poster)).toEqual([]);
	});

	it("has no choice if the only work with a score is the poster's own, because a deal needs another party", async () => {
		const [poster, agent] = [await registerAgent(), await registerAgent()];
		const taskId = await openTask(poster);
		const { id } = await submit(poster, taskId);
		await awaitEvaluation(poster, id);
		await agent.call("createSubmission", at(taskId));
		await poster.call("closeTask", at(taskId));
		await expect
			.poll(async () => (await poster.call("listTasks", { query: { owner: "me" } })).data)
			.toMatchObject([{ status: "closed", submission_count: 2 }]);
		expect(await kindsOf(poster)).toEqual([]);
	});

	it("has an appeal that comes after the deal", async () => {
		const [poster, agent] = [await registerAgent(), await registerAgent()];
		const taskId = await openTask(poster);
		const { id } = await submit(agent, taskId);
		await awaitEvaluation(agent, id);
		await poster.call("closeTask", at(taskId));
		const deal = { taskId, agentId: agent.agentId, dealType: "output_purchase", dealValueCents: 5_000 };
		await expect.poll(async () => (await poster.send("createDeal", { body: deal })).status).toBe(201);
		expect(await kindsOf(poster)).toEqual([]);
		await agent.call("createAppeal", { ...at(id), body: { reason: "It does that." } });
		expect(await kindsOf(poster)).toEqual(["decide_reviews 1"]);
	});

	it("leaves out a task that has just been deleted", async () => {
		const poster = await registerAgent();
		const taskId = await openTask(poster);
		expect(await kindsOf(poster)).toEqual([]);
		await queryTask(taskId, "delete from tasks");
		expect(await kindsOf(poster)).toEqual([]);
	});

	it("has a pick between two scored submissions for a final round", async () => {
		const [poster, agent] = [await registerAgent(), await registerAgent()];
		const taskId = await openTask(poster, { final_round: true });
		const { id } = await submit(agent, taskId);
		await awaitEvaluation(agent, id);
		expect(await kindsOf(agent)).toEqual([]);
		await awaitEvaluation(agent, (await submit(agent, taskId, { "parser.js": "export const parser = 1;\n" })).id);
		await expect.poll(() => kindsOf(agent)).toEqual(["pick_submission 1"]);
		await agent.call("pickSubmission", { ...at(taskId), body: { submission_id: id } });
		expect(await kindsOf(agent)).toEqual([]);
	});
});

describe("the owner's figures", () => {
	it("count submissions by day and task, and lists have the scores of criteria", async () => {
		const [poster, agent] = [await registerAgent(), await registerAgent()];
		const taskId = await openTask(poster);
		const { id } = await submit(agent, taskId);
		const running = (await poster.call("listTaskSubmissions", at(taskId))).data;
		expect(running.every(({ evaluated, criteria }) => evaluated || criteria.length === 0)).toBe(true);
		const { dimensions } = await awaitEvaluation(agent, id);
		const [listed] = (await poster.call("listTaskSubmissions", at(taskId))).data;
		expect(listed?.criteria).toEqual(dimensions.map(({ criterion_name, score }) => ({ criterion_name, score })));
		expect(listed?.criteria.length).toBeGreaterThan(0);
		await submit(agent, taskId);
		const day = dayOf(Date.now());
		await expect
			.poll(async () => (await poster.call("getDashboardStats")).company.submissions_by_day)
			.toEqual([{ day, task_id: taskId, submissions: 2 }]);
		expect((await agent.call("getDashboardStats")).company.submissions_by_day).toEqual([]);
	});
});

describe("the history", () => {
	it("has the worst minute of each hour for a week, and the evaluations of 30 days", async () => {
		const [poster, agent] = [await registerAgent(), await registerAgent()];
		await awaitEvaluation(agent, (await submit(agent, await openTask(poster))).id);
		const hour = Math.floor(Date.now() / HOUR_MS);
		const add = env.DB.prepare("insert into queue_hours (hour, waiting, age_ms) values (?, ?, ?)");
		await env.DB.batch([add.bind(hour - 1, 7, 90_000), add.bind(hour - 24 * 8, 9, 1)]);
		const deps = testDeps();
		await runSweep(deps, "report");
		const { hours, days } = await admin.call("getHistory");
		expect(hours).toContainEqual({ at: new Date((hour - 1) * HOUR_MS).toISOString(), waiting: 7, queue_age_seconds: 90 });
		expect(hours.some(({ waiting }) => waiting === 9)).toBe(false);
		expect(days).toHaveLength(30);
		expect(days.at(-1)?.evaluations).toBeGreaterThan(0);
		expect(days[0]?.day).toBe(dayOf(Date.now() - 29 * DAY_MS));
		const forgotten = await env.DB.prepare("select count(*) as rows from queue_hours where hour < ?")
			.bind(hour - 24 * 7)
			.first("rows");
		expect(forgotten).toBe(0);
	});
});

describe("the directory of operators", () => {
	it("finds agents and tasks by a part of their name, with any characters", async () => {
		const poster = await registerAgent("100% Zanzibar_Works");
		const { id } = await createDraft(poster, { title: "Zanzibar 50% off" });
		const found = await admin.call("searchDirectory", { query: { q: "zanzibar" } });
		expect(found.agents).toMatchObject([{ id: poster.agentId, display_name: "100% Zanzibar_Works", suspended: false }]);
		expect(found.tasks).toMatchObject([
			{ id, status: "draft", taken_down: false, owner_id: poster.agentId, owner_name: "100% Zanzibar_Works" },
		]);
		const [latest] = (await admin.call("listAuditEntries", { query: { limit: 1 } })).data;
		expect(latest).toMatchObject({ action: "directory.search", target: "directory" });
		expect(JSON.stringify(latest)).not.toContain("anzibar");
		expect((await admin.call("searchDirectory", { query: { q: "0% zan" } })).agents).toHaveLength(1);
		for (const q of ["zanz%bar", "zanzibar works", "Zanzibar\\_Works", "x".repeat(100), "' or 1=1 --"]) {
			expect(await admin.call("searchDirectory", { query: { q } })).toEqual({ agents: [], tasks: [] });
		}
		await admin.call("suspendAgent", { ...at(poster.agentId), body: { reason: "It is spam." } });
		expect((await admin.call("searchDirectory", { query: { q: "Zanzibar_" } })).agents).toMatchObject([{ suspended: true }]);
		await poster.refused("searchDirectory", "UNAUTHORIZED", { query: { q: "zanzibar" } });
	});
});

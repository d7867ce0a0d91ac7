import { describe, expect, it } from "vitest";
import { createClient } from "../support/client.ts";
import { awaitEvaluation, GOOD_FILES, openTask, registerAgent, submit } from "../support/scenario.ts";

const [poster, agent, stranger] = [await registerAgent("Poster"), await registerAgent("Builder"), await registerAgent("Stranger")];
const nobody = createClient();
const at = (id: string) => ({ params: { id } });

describe("reading a submission", () => {
	it("shows scores, dimensions, position and quota to its agent", async () => {
		const taskId = await openTask(poster);
		const { id } = await submit(agent, taskId);
		const judged = await awaitEvaluation(agent, id);
		expect(judged).toMatchObject({
			id,
			task_id: taskId,
			agent_id: agent.agentId,
			status: "completed",
			evaluated: true,
			position: 1,
			quota: { used: 1, limit: 15, remaining: 14 },
			iteration: 1,
			scores: { test_score: null, container_score: null, eval_mode: "llm", breakdown: { judge: "offline" } },
		});
		expect(judged).not.toHaveProperty("error_message");
		expect(judged.dimensions.map(({ criterion_name }) => criterion_name)).toEqual(["Parser", "Tests"]);
		const [parser, tests] = judged.dimensions.map(({ score }) => score);
		const expected = (60 * (parser ?? 0) + 40 * (tests ?? 0)) / 100;
		expect(judged.scores?.final_score).toBeCloseTo(expected, 1);
		expect(judged.scores?.final_score).toBe(judged.scores?.llm_score);
		expect(Date.parse(judged.scores?.evaluated_at ?? "")).toBeGreaterThanOrEqual(Date.parse(judged.created_at));
		for (const { reasoning } of judged.dimensions) expect(reasoning).toContain("Offline judge");
	});

	it("shows weights and reasoning in the details", async () => {
		const taskId = await openTask(poster);
		const { id } = await submit(agent, taskId);
		const before = await agent.call("getSubmissionDetails", at(id));
		expect(before).toMatchObject({ id, eval_mode: "llm", missing_sections: [] });
		await awaitEvaluation(agent, id);
		const details = await agent.call("getSubmissionDetails", at(id));
		expect(details).toMatchObject({ evaluated: true, container_score: null, breakdown: { judge: "offline", evaluations: 1 } });
		expect(details.dimensions.map(({ weight }) => weight)).toEqual([60, 40]);
		expect(details.reasoning).not.toBe("");
		expect(await poster.call("getSubmissionDetails", at(id))).toEqual({
			...details,
			artifact: { ...details.artifact, url: expect.any(String) },
		});
	});

	it("shows the status to anyone who has the id, without the agent", async () => {
		const taskId = await openTask(poster);
		const { id } = await submit(agent, taskId);
		const running = await nobody.call("getSubmissionStatus", at(id));
		expect(running).toMatchObject({ id });
		const judged = await awaitEvaluation(agent, id);
		const status = await nobody.call("getSubmissionStatus", at(id));
		expect(status).toEqual({
			id,
			status: "completed",
			evaluated: true,
			scores: { ...judged.scores, breakdown: null },
			position: 1,
			waiting_for: null,
		});
		expect(JSON.stringify(status)).not.toContain(agent.agentId);
		expect(JSON.stringify(status)).not.toContain("Builder");
	});

	it("gives the agent's current rank to each of its submissions", async () => {
		const taskId = await openTask(poster);
		const weak = await submit(agent, taskId, { "a.js": "nothing" });
		await awaitEvaluation(agent, weak.id);
		const rival = await submit(stranger, taskId);
		await awaitEvaluation(stranger, rival.id);
		expect(await agent.call("getSubmission", at(weak.id))).toMatchObject({ position: 2 });
		const strong = await submit(agent, taskId, { ...GOOD_FILES, "more.js": "parser quotes delimiter newline tests assert" });
		await awaitEvaluation(agent, strong.id);
		const positions = await Promise.all([weak, strong, rival].map(({ id }) => nobody.call("getSubmissionStatus", at(id))));
		const [first, second, third] = positions.map(({ position }) => position);
		expect(first).toBe(second);
		expect(new Set([first, third])).toEqual(new Set([1, 2]));
	});
});

describe("an agent's own list", () => {
	it("is newest first, of all tasks or of one, in pages", async () => {
		const own = await registerAgent();
		const [one, two] = [await openTask(poster), await openTask(poster)];
		const ids: string[] = [];
		for (const taskId of [one, two, one, one, two]) ids.unshift((await submit(own, taskId)).id);
		for (const id of ids) await awaitEvaluation(own, id);
		const all = await own.call("listSubmissions");
		expect(all.data.map(({ id }) => id)).toEqual(ids);
		expect(all.pagination).toEqual({ has_more: false, next_cursor: null });
		expect(all.data[0]).toMatchObject({ task_id: two, evaluated: true, scores: { breakdown: null, eval_mode: "llm" } });
		const ofOne = await own.call("listSubmissions", { query: { task_id: one } });
		expect(ofOne.data.map(({ id }) => id)).toEqual([ids[1], ids[2], ids[4]]);
		expect((await agent.call("listSubmissions", { query: { task_id: one } })).data).toEqual([]);
		const paged: string[] = [];
		for (let cursor: string | null = null; ; ) {
			const page: Awaited<typeof all> = await own.call("listSubmissions", { query: { limit: 2, ...(cursor === null ? {} : { cursor }) } });
			paged.push(...page.data.map(({ id }) => id));
			cursor = page.pagination.next_cursor;
			expect(page.pagination.has_more).toBe(cursor !== null);
			if (cursor === null) break;
		}
		expect(paged).toEqual(ids);
	});

	it("is empty for others, and refuses a malformed task id", async () => {
		expect((await (await registerAgent()).call("listSubmissions")).data).toEqual([]);
		await agent.refused("listSubmissions", "VALIDATION_ERROR", { query: { task_id: "task" } });
		expect((await agent.call("listSubmissions", { query: { task_id: "01900000-0000-7000-8000-000000000000" } })).data).toEqual([]);
	});
});

describe("what a task has received", () => {
	it("is listed for its owner, newest first, with the agents and the scores", async () => {
		const taskId = await openTask(poster);
		const first = await submit(agent, taskId);
		const second = await stranger.call("quickSubmit", {
			params: { id: taskId },
			body: { files: GOOD_FILES, agent_display_name: "Masked" },
		});
		await awaitEvaluation(agent, first.id);
		const judged = await awaitEvaluation(stranger, second.id);
		const { data, pagination } = await poster.call("listTaskSubmissions", at(taskId));
		expect(data.map(({ id, agent_id, agent_display_name }) => ({ id, agent_id, agent_display_name }))).toEqual([
			{ id: second.id, agent_id: stranger.agentId, agent_display_name: "Masked" },
			{ id: first.id, agent_id: agent.agentId, agent_display_name: "Builder" },
		]);
		expect(data[0]?.evaluation_results.final_score).toBe(judged.scores?.final_score);
		expect(data[0]?.evaluation_results.evaluated_at).toBe(judged.scores?.evaluated_at);
		expect(data[0]?.task_id).toBe(judged.task_id);
		expect(pagination).toEqual({ has_more: false, next_cursor: null });
		const page = await poster.call("listTaskSubmissions", { ...at(taskId), query: { limit: 1 } });
		expect(page.data.map(({ id }) => id)).toEqual([second.id]);
		const rest = await poster.call("listTaskSubmissions", { ...at(taskId), query: { cursor: page.pagination.next_cursor ?? "" } });
		expect(rest.data.map(({ id }) => id)).toEqual([first.id]);
	});
});

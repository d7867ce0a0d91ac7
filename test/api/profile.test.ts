import { describe, expect, it } from "vitest";
import { changeSubmissions } from "../support/house.ts";
import { createFleet } from "../support/identities.ts";
import { awaitEvaluation, createDraft, openTask, registerAgent, submit } from "../support/scenario.ts";

const NOTHING_DONE = { tasks_entered: 0, evaluated_submissions: 0, average_score: null, best_score: null, wins: 0, deals: 0 };
const POOR_FILES = { "SUBMISSION.md": "# What I Built\nNothing much\n" };

describe("a profile", () => {
	it("starts empty and stores what is put", async () => {
		const agent = await registerAgent("Solver");
		expect(await agent.call("getProfile")).toMatchObject({
			agent_id: agent.agentId,
			display_name: "Solver",
			bio: null,
			specialization_tags: [],
			reputation: NOTHING_DONE,
		});
		const changed = await agent.call("updateProfile", {
			body: { display_name: "Better solver", bio: "I parse.", specialization_tags: ["Rust", "parsers", "RUST", "c++"] },
		});
		expect(changed).toMatchObject({ display_name: "Better solver", bio: "I parse.", specialization_tags: ["c++", "parsers", "rust"] });
		expect(await agent.call("getProfile")).toEqual(changed);
	});

	it("keeps omitted fields, and clears fields that are null or empty", async () => {
		const agent = await registerAgent("Solver");
		await agent.call("updateProfile", { body: { bio: "x", specialization_tags: ["a", "b"] } });
		expect(await agent.call("updateProfile", { body: {} })).toMatchObject({
			display_name: "Solver",
			bio: "x",
			specialization_tags: ["a", "b"],
		});
		expect(await agent.call("updateProfile", { body: { specialization_tags: ["b", "c"] } })).toMatchObject({
			bio: "x",
			specialization_tags: ["b", "c"],
		});
		expect(await agent.call("updateProfile", { body: { bio: null, specialization_tags: [] } })).toMatchObject({
			bio: null,
			specialization_tags: [],
		});
	});

	it.each([
		{ display_name: "" },
		{ display_name: "x".repeat(61) },
		{ display_name: null },
		{ bio: "x".repeat(2001) },
		{ specialization_tags: "rust" },
		{ specialization_tags: [""] },
		{ specialization_tags: ["x".repeat(65)] },
		{ specialization_tags: Array.from({ length: 21 }, (_, index) => `tag ${index}`) },
	])("refuses a value that is out of bounds (%#)", async (body) => {
		const agent = await registerAgent();
		await agent.refused("updateProfile", "INVALID_BODY", { body });
	});

	it("ends with one whole list of tags after parallel updates", async () => {
		const agent = await registerAgent();
		const lists = Array.from({ length: 8 }, (_, list) => Array.from({ length: 20 }, (_, index) => `tag ${list}.${index}`).toSorted());
		await Promise.all(lists.map((specialization_tags) => agent.call("updateProfile", { body: { specialization_tags } })));
		expect(lists).toContainEqual((await agent.call("getProfile")).specialization_tags);
	});
});

describe("reputation", () => {
	it("is correct after every evaluation, close and deal", async () => {
		const poster = await registerAgent("Poster");
		const [good, poor] = await Promise.all([registerAgent("Good"), registerAgent("Poor")]);
		const reputation = async (agent: typeof good) => (await agent.call("getProfile")).reputation;
		const taskId = await openTask(poster);
		const first = await awaitEvaluation(good, (await submit(good, taskId)).id);
		const firstScore = first.scores?.final_score ?? Number.NaN;
		expect(await reputation(good)).toEqual({
			...NOTHING_DONE,
			tasks_entered: 1,
			evaluated_submissions: 1,
			average_score: firstScore,
			best_score: firstScore,
		});
		const second = await awaitEvaluation(good, (await submit(good, taskId, POOR_FILES)).id);
		const secondScore = second.scores?.final_score ?? Number.NaN;
		expect(secondScore).toBeLessThan(firstScore);
		await awaitEvaluation(poor, (await submit(poor, taskId, POOR_FILES)).id);
		expect(await reputation(good)).toMatchObject({ tasks_entered: 1, evaluated_submissions: 2, best_score: firstScore, wins: 0 });
		expect((await reputation(good)).average_score).toBeCloseTo((firstScore + secondScore) / 2, 1);
		await poster.call("closeTask", { params: { id: taskId } });
		expect([(await reputation(good)).wins, (await reputation(poor)).wins]).toEqual([1, 0]);
		await poster.call("createDeal", {
			body: { taskId, agentId: poor.agentId, dealType: "output_purchase", dealValueCents: 1000 },
		});
		expect([(await reputation(good)).deals, (await reputation(poor)).deals]).toEqual([0, 1]);
		expect(await reputation(poster)).toEqual(NOTHING_DONE);
	});

	it("does not count work on one's own task, nor on a task of the same operator", async () => {
		const poster = await registerAgent("Poster");
		const rival = await registerAgent("Rival");
		const fleet = await createFleet();
		const [owner, sibling] = [await fleet.mint("Owner"), await fleet.mint("Sibling")];
		const [ownTask, fleetTask] = [await openTask(poster), await openTask(owner)];
		const own = await awaitEvaluation(poster, (await submit(poster, ownTask)).id);
		expect(own.position).toBe(1);
		await awaitEvaluation(sibling, (await submit(sibling, fleetTask)).id);
		await poster.call("closeTask", { params: { id: ownTask } });
		await owner.call("closeTask", { params: { id: fleetTask } });
		for (const agent of [poster, sibling, owner]) {
			expect((await agent.call("getProfile")).reputation).toEqual(NOTHING_DONE);
			expect((await agent.call("getDashboardStats")).agent).toMatchObject(NOTHING_DONE);
		}

		// The first place passes from the owner to a rival, whose evaluation ends after the close.
		const raced = await openTask(poster);
		await awaitEvaluation(poster, (await submit(poster, raced, POOR_FILES)).id);
		const running = await submit(rival, raced);
		await poster.call("closeTask", { params: { id: raced } });
		await awaitEvaluation(rival, running.id);
		expect((await poster.call("getProfile")).reputation).toEqual(NOTHING_DONE);
		expect((await rival.call("getProfile")).reputation).toMatchObject({ tasks_entered: 1, evaluated_submissions: 1, wins: 1 });
	});
});

describe("the dashboard", () => {
	it("counts both sides of the platform", async () => {
		const poster = await registerAgent("Poster");
		const [winner, second] = await Promise.all([registerAgent("Winner"), registerAgent("Second")]);
		await createDraft(poster);
		const open = await openTask(poster, { budget_cents: 20_000 });
		const closed = await openTask(poster, { budget_cents: 30_000 });
		await awaitEvaluation(winner, (await submit(winner, closed)).id);
		await awaitEvaluation(second, (await submit(second, closed, POOR_FILES)).id);
		await awaitEvaluation(second, (await submit(second, open)).id);
		await poster.call("closeTask", { params: { id: closed } });
		await poster.call("createDeal", {
			body: { taskId: closed, agentId: winner.agentId, dealType: "agent_hire", dealValueCents: 5_000 },
		});
		const stats = await poster.call("getDashboardStats");
		expect(stats.company).toEqual({
			tasks_posted: 3,
			tasks_by_status: { draft: 1, open: 1, evaluating: 0, closed: 1 },
			submissions_received: 3,
			evaluations_pending: 0,
			running_budget_cents: 20_000,
			deals: 1,
			spend_committed_cents: 5_000,
			judge_usage_by_day: [],
			submissions_by_day: expect.arrayContaining([
				{ task_id: open, day: expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/), submissions: 1 },
				{ task_id: closed, day: expect.any(String), submissions: 2 },
			]),
			submissions_by_hour: expect.arrayContaining([
				{ task_id: open, hour: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:00:00\.000Z$/), submissions: 1 },
				{ task_id: closed, hour: expect.any(String), submissions: 2 },
			]),
		});
		expect(stats.agent).toMatchObject({ tasks_entered: 0, average_score: null, rank_distribution: { tasks: 0, first: 0 } });
		expect((await winner.call("getDashboardStats")).agent).toMatchObject({
			tasks_entered: 1,
			evaluated_submissions: 1,
			wins: 1,
			deals: 1,
			rank_distribution: { tasks: 1, first: 1, second_or_third: 0, fourth_to_tenth: 0, lower: 0 },
		});
		expect((await second.call("getDashboardStats")).agent).toMatchObject({
			tasks_entered: 2,
			evaluated_submissions: 2,
			wins: 0,
			rank_distribution: { tasks: 2, first: 1, second_or_third: 1, fourth_to_tenth: 0, lower: 0 },
		});
	});

	it("counts an evaluation as pending while it runs", async () => {
		const poster = await registerAgent();
		const agent = await registerAgent();
		const taskId = await openTask(poster);
		const { id } = await awaitEvaluation(agent, (await submit(agent, taskId)).id);
		const pending = async () => (await poster.call("getDashboardStats")).company.evaluations_pending;
		await changeSubmissions(taskId, "status = 'running', evaluated = 0", `id = '${id}'`);
		expect(await pending()).toBe(1);
		await changeSubmissions(taskId, "status = 'evaluation_failed'", `id = '${id}'`);
		expect(await pending()).toBe(0);
	});

	it("lists what all tasks of the poster have received, newest first, only for posters", async () => {
		const poster = await registerAgent("Poster");
		const other = await registerAgent("Other poster");
		const agent = await registerAgent("Agent");
		await agent.refused("listDashboardSubmissions", "FORBIDDEN");
		await createDraft(other);
		expect((await other.call("listDashboardSubmissions")).data).toEqual([]);
		const taskIds = [await openTask(poster, { title: "One" }), await openTask(poster, { title: "Two" })];
		const received = [];
		for (const taskId of [...taskIds, ...taskIds]) received.push(await awaitEvaluation(agent, (await submit(agent, taskId)).id));
		const first = await poster.call("listDashboardSubmissions", { query: { limit: 3 } });
		const rest = await poster.call("listDashboardSubmissions", { query: { limit: 3, cursor: first.pagination.next_cursor ?? "" } });
		const all = [...first.data, ...rest.data];
		expect(all.map(({ id }) => id)).toEqual(received.map(({ id }) => id).toReversed());
		expect(all[0]).toMatchObject({
			task_id: taskIds[1],
			task_title: "Two",
			agent_id: agent.agentId,
			evaluation_results: { final_score: received[3]?.scores?.final_score },
		});
		expect(rest.pagination).toEqual({ has_more: false, next_cursor: null });
		expect((await other.call("listDashboardSubmissions")).data).toEqual([]);
		await agent.refused("listDashboardSubmissions", "FORBIDDEN");
		await poster.refused("listDashboardSubmissions", "VALIDATION_ERROR", { query: { cursor: "x" } });
	});
});

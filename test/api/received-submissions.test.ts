import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { submissions } from "../../src/db/task/schema/submissions.ts";
import type { SubmissionStatus } from "../../src/domain/submission-status.ts";
import { changeTask } from "../support/house.ts";
import { createDraft, openTask, type RegisteredClient, registerAgent } from "../support/scenario.ts";
import { inTask } from "../support/task-object.ts";

let poster: RegisteredClient;
let agent: RegisteredClient;

beforeAll(async () => {
	[poster, agent] = await Promise.all([registerAgent("Poster"), registerAgent("Agent")]);
});

interface Seeded {
	readonly status?: SubmissionStatus;
	readonly score?: number | null;
	readonly name?: string;
}

const idOf = (index: number, taskId: string) => `${taskId.slice(0, 24)}${index.toString(16).padStart(12, "0")}`;

/** Returns a task that has received these submissions in this order, and their ids. */
async function taskWith(received: readonly Seeded[]): Promise<{ id: string; ids: string[] }> {
	const id = await openTask(poster);
	const ids = received.map((_, index) => idOf(index, id));
	await inTask(id, ({ db }) => {
		for (const [index, { status = "completed", score = null, name = "Agent" }] of received.entries()) {
			const at = 1000 + index;
			const evaluated = status === "completed";
			const who = { id: ids[index] ?? "", agentId: agent.agentId, agentDisplayName: name };
			db.insert(submissions)
				.values({ ...who, status, evaluated, finalScore: score, llmScore: score, evaluatedAt: at, createdAt: at, updatedAt: at })
				.run();
		}
	});
	return { id, ids };
}

type Query = Readonly<Record<string, string | number | readonly string[]>>;

/** Returns the ids of all pages. */
async function allOf(id: string, query: Query): Promise<string[]> {
	const seen: string[] = [];
	let cursor: string | null = null;
	do {
		const page: { data: { id: string }[]; pagination: { has_more: boolean; next_cursor: string | null } } = await poster.call(
			"listTaskSubmissions",
			{ params: { id }, query: { ...query, ...(cursor === null ? {} : { cursor }) } },
		);
		seen.push(...page.data.map((row) => row.id));
		expect(page.pagination.has_more).toBe(page.pagination.next_cursor !== null);
		cursor = page.pagination.next_cursor;
	} while (cursor !== null);
	return seen;
}

const MIXED: readonly Seeded[] = [
	{ score: 50 },
	{ status: "registered" },
	{ score: 80.25 },
	{ status: "running", score: 99 },
	{ score: 50 },
	{ score: 0 },
	{ status: "failed" },
	{ score: 50 },
	{ status: "registered" },
];

describe("the owner's list", () => {
	it("is ordered by time or by score, with every page size, and never skips or repeats", async () => {
		const { id, ids } = await taskWith(MIXED);
		const best = [2, 7, 4, 0, 5, 8, 6, 3, 1].map((index) => ids[index]);
		for (const limit of [1, 2, 3, 4, 20]) {
			expect(await allOf(id, { limit })).toEqual(ids.toReversed());
			expect(await allOf(id, { limit, sort: "score" })).toEqual(best);
		}
	});

	it("shows only one status if asked, in either order", async () => {
		const { id, ids } = await taskWith(MIXED);
		const of = (...indexes: number[]) => indexes.map((index) => ids[index]);
		for (const limit of [1, 20]) {
			expect(await allOf(id, { limit, status: "registered" })).toEqual(of(8, 1));
			expect(await allOf(id, { limit, status: "completed", sort: "score" })).toEqual(of(2, 7, 4, 0, 5));
			expect(await allOf(id, { limit, status: "completed", sort: "time" })).toEqual(of(7, 5, 4, 2, 0));
			expect(await allOf(id, { limit, status: "evaluation_failed" })).toEqual([]);
		}
	});

	it("shows only named submissions or those of one agent, in either order and every page size", async () => {
		const { id, ids } = await taskWith(MIXED);
		const of = (...indexes: number[]) => indexes.map((index) => ids[index] ?? "");
		const submission_id = of(0, 2, 3, 7);
		for (const limit of [1, 3, 20]) {
			expect(await allOf(id, { limit, submission_id })).toEqual(of(7, 3, 2, 0));
			expect(await allOf(id, { limit, submission_id, sort: "score" })).toEqual(of(2, 7, 0, 3));
			expect(await allOf(id, { limit, sort: "score", agent_id: agent.agentId })).toEqual(of(2, 7, 4, 0, 5, 8, 6, 3, 1));
			expect(await allOf(id, { limit, status: "registered", agent_id: agent.agentId })).toEqual(of(8, 1));
			expect(await allOf(id, { limit, agent_id: poster.agentId })).toEqual([]);
		}
	});

	it("shows no score of a submission that is being evaluated again", async () => {
		const { id } = await taskWith([{ status: "running", score: 99 }]);
		const { data } = await poster.call("listTaskSubmissions", { params: { id } });
		expect(data[0]).toMatchObject({ status: "running", evaluation_results: { final_score: null, llm_score: null, evaluated_at: null } });
	});

	it("refuses unknown parameters, and a cursor of the other order", async () => {
		const { id } = await taskWith(MIXED);
		const params = { id };
		const byTime = await poster.call("listTaskSubmissions", { params, query: { limit: 1 } });
		const cursor = byTime.pagination.next_cursor ?? "";
		for (const query of [{ sort: "name" }, { status: "done" }, { limit: 101 }, { cursor: "x" }, { cursor, sort: "score" }]) {
			await poster.refused("listTaskSubmissions", "VALIDATION_ERROR", { params, query });
		}
	});
});

describe("the export", () => {
	const exportOf = (id: string, query: Query = {}) =>
		poster.send("listTaskSubmissions", { params: { id }, query, headers: { Accept: "text/csv" } });

	it("works in every state of the task, and has a draft's header line", async () => {
		const { id, ids } = await taskWith([{ score: 50 }, { status: "running" }]);
		const idsIn = async (taskId: string) => (await (await exportOf(taskId)).text()).split("\r\n").map((line) => line.split(",")[0]);
		const expected = ["submission_id", ids[1], ids[0], ""];
		expect(await idsIn(id)).toEqual(expected);
		await changeTask(id, { status: "evaluating" });
		expect(await idsIn(id)).toEqual(expected);
		await poster.call("closeTask", { params: { id } });
		expect(await idsIn(id)).toEqual(expected);
		const draft = await createDraft(poster);
		expect(await idsIn(draft.id)).toEqual(["submission_id", ""]);
	});

	it("has all results of a task", async () => {
		const { id, ids } = await taskWith([{ score: 50, name: '=HYPERLINK("x")' }, { status: "failed" }, { score: 80.25, name: "Ünal, B." }]);
		const response = await exportOf(id, { sort: "score", limit: 1 });
		expect(response.status).toBe(200);
		expect(Object.fromEntries(response.headers)).toMatchObject({
			"content-type": "text/csv; charset=utf-8; header=present",
			"content-disposition": `attachment; filename="task-${id}-submissions.csv"`,
			"x-content-type-options": "nosniff",
			vary: "Accept",
		});
		const time = (index: number) => new Date(1000 + index).toISOString();
		expect((await response.text()).split("\r\n")).toEqual([
			"submission_id,agent_id,agent_display_name,status,evaluated,final_score,test_score,llm_score,container_score,created_at",
			`${ids[2]},${agent.agentId},"Ünal, B.",completed,true,80.25,,80.25,,${time(2)}`,
			`${ids[0]},${agent.agentId},"'=HYPERLINK(""x"")",completed,true,50,,50,,${time(0)}`,
			`${ids[1]},${agent.agentId},Agent,failed,false,,,,,${time(1)}`,
			"",
		]);
		const failed = await (await exportOf(id, { status: "failed" })).text();
		expect(failed.trim().split("\r\n").slice(1)).toHaveLength(1);
	});

	it("reads as many pages as there are", async () => {
		const id = await openTask(poster);
		await inTask(id, ({ db }) =>
			db.run(sql`
				with recursive n(i) as (select 0 union all select i + 1 from n where i < 2499)
				insert into submissions (id, agent_id, status, evaluated, agent_display_name, final_score, evaluated_at, created_at, updated_at)
				select ${id.slice(0, 24)} || printf('%012x', i), ${agent.agentId}, 'completed', 1, 'Agent', i % 7, 1, 1, 1 from n`),
		);
		await poster.call("closeTask", { params: { id } });
		for (const sort of ["time", "score"]) {
			const lines = (await (await exportOf(id, { sort })).text()).trim().split("\r\n").slice(1);
			expect(new Set(lines.map((line) => line.split(",")[0])).size).toBe(2500);
			expect(lines).toHaveLength(2500);
		}
	});
});

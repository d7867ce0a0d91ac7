// Tests the export of a task: its contents, its cost, and what happens when a read fails.
import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { writeReport } from "../../src/core/competition/judgements/report.ts";
import type { Deps } from "../../src/ports/deps.ts";
import { createApp } from "../support/app.ts";
import { createClient } from "../support/client.ts";
import { testDeps } from "../support/deps.ts";
import { changeTask } from "../support/house.ts";
import { awaitEvaluation, createDraft, openTask, type RegisteredClient, registerAgent, submit } from "../support/scenario.ts";
import { inTask, queryTask } from "../support/task-object.ts";

let poster: RegisteredClient;
let agent: RegisteredClient;
beforeAll(async () => {
	[poster, agent] = await Promise.all([registerAgent("Poster"), registerAgent('=HYPERLINK("x")')]);
});

const exported = (id: string, format?: string) =>
	poster.send("exportTask", { params: { id }, ...(format === undefined ? {} : { query: { format } }) });

const FACTS =
	"submission_id,agent_id,agent_display_name,status,created_at,evaluated_at,final_score,test_score,llm_score,container_score,artifact_sha256";

interface Line {
	readonly submission_id: string;
	readonly status: string;
	readonly final_score: number | null;
	readonly dimensions: readonly object[];
}

const parseLines = (text: string): Line[] =>
	text
		.split("\n")
		.filter((line) => line !== "")
		.map((line) => JSON.parse(line));

/** Splits lines without line breaks in cells into their cells. */
const cellsOf = (line: string) => [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,"]*))/g)].map(([, quoted, plain]) => quoted ?? plain);

describe("the export of a task", () => {
	it("has every submission with its scores and their reasons, as CSV or JSON Lines", async () => {
		const criteria = [
			{ name: "=Parser", description: "quotes, delimiter, newline", weight: 60 },
			{ name: "Tests", description: "assert", weight: 40 },
		];
		const id = await openTask(poster, { criteria });
		const { id: scored } = await submit(agent, id);
		const submission = await awaitEvaluation(agent, scored);
		const { id: registered } = await agent.call("createSubmission", { params: { id } });
		const { dimensions } = await poster.call("getSubmissionDetails", { params: { id: scored } });
		const csv = await exported(id);
		expect(Object.fromEntries(csv.headers)).toMatchObject({
			"content-type": "text/csv; charset=utf-8; header=present",
			"content-disposition": `attachment; filename="task-${id}-submissions.csv"`,
			"x-content-type-options": "nosniff",
		});
		const [heading, first, second, end] = (await csv.text()).split("\r\n");
		expect(heading).toBe(`${FACTS},'=Parser score,'=Parser reasoning,Tests score,Tests reasoning`);
		const cells = cellsOf(second ?? "");
		expect(cells).toHaveLength(15);
		expect(cells.slice(0, 4)).toEqual([scored, agent.agentId, `'=HYPERLINK(""x"")`, "completed"]);
		expect(cells.slice(4, 10)).toEqual([
			submission.created_at,
			submission.scores?.evaluated_at,
			String(submission.scores?.final_score),
			"",
			String(submission.scores?.llm_score),
			"",
		]);
		expect(cells[10]).toMatch(/^[0-9a-f]{64}$/);
		expect([cells[11], cells[13]]).toEqual(dimensions.map(({ score }) => String(score)));
		expect([cells[12], cells[14]].every((reasoning) => reasoning !== "")).toBe(true);
		expect(cellsOf(first ?? "").slice(0, 4)).toEqual([registered, agent.agentId, `'=HYPERLINK(""x"")`, "registered"]);
		expect(end).toBe("");

		const jsonl = await exported(id, "jsonl");
		expect(Object.fromEntries(jsonl.headers)).toMatchObject({
			"content-type": "application/x-ndjson",
			"content-disposition": `attachment; filename="task-${id}-submissions.jsonl"`,
		});
		const lines = parseLines(await jsonl.text());
		expect(lines.map((line) => line.submission_id)).toEqual([registered, scored]);
		expect(lines[1]).toMatchObject({
			agent_display_name: '=HYPERLINK("x")',
			artifact_sha256: cells[10],
			dimensions: submission.dimensions,
		});
		expect(lines[0]).toMatchObject({ final_score: null, evaluated_at: null, artifact_sha256: null, dimensions: [] });
	});

	it("works in every state of the task, and has only the header line for a draft", async () => {
		const draft = await createDraft(poster);
		const heading = `${FACTS},Parser score,Parser reasoning,Tests score,Tests reasoning\r\n`;
		expect(await (await exported(draft.id)).text()).toBe(heading);
		expect(await (await exported(draft.id, "jsonl")).text()).toBe("");
		const id = await openTask(poster);
		const { id: submissionId } = await agent.call("createSubmission", { params: { id } });
		const idsIn = async () => parseLines(await (await exported(id, "jsonl")).text()).map((line) => line.submission_id);
		expect(await idsIn()).toEqual([submissionId]);
		await changeTask(id, { status: "evaluating" });
		expect(await idsIn()).toEqual([submissionId]);
		await poster.call("closeTask", { params: { id } });
		expect(await idsIn()).toEqual([submissionId]);
	});

	it("has two formats", async () => {
		const id = await openTask(poster);
		for (const format of ["xlsx", "", ["csv", "jsonl"]]) {
			await poster.refused("exportTask", "VALIDATION_ERROR", { params: { id }, query: { format } });
		}
	});
});

const TOTAL = 2000;

/** Adds scored submissions to a task, each with an evaluation whose report has this reasoning for both criteria. */
async function addScored(id: string, { total, reasoning, quote }: { total: number; reasoning: string; quote?: string }): Promise<void> {
	const evaluationOf = (index: number) => `evaluation-${index}`;
	await inTask(id, (task) => {
		task.db.run(sql`
			with recursive n(i) as (select 0 union all select i + 1 from n where i < ${total - 1})
			insert into submissions (id, agent_id, status, evaluated, agent_display_name, final_score, evaluated_at, shown_evaluation_id, created_at, updated_at)
			select substr(${id}, 1, 24) || printf('%012x', i), ${agent.agentId}, 'completed', 1, 'Agent', i % 101, 1, 'evaluation-' || i, 1, 1 from n`);
		const checks =
			quote === undefined ? [] : [{ check: "It works", found: "yes" as const, evidence: [{ path: "a.js", start: 1, end: 1, quote }] }];
		const dimensions = ["Parser", "Tests"].map((criterion_name) => ({
			criterion_name,
			score: 50,
			weight: 50,
			reasoning,
			checks,
			gaps: [],
		}));
		for (let index = 0; index < total; index += 1) {
			writeReport(task, evaluationOf(index), { reasoning: "", breakdown: null, ownerBreakdown: null, dimensions });
		}
	});
}

describe("the export of thousands of submissions", () => {
	let id: string;
	beforeAll(async () => {
		id = await openTask(poster);
		const { id: scored } = await submit(agent, id);
		await awaitEvaluation(agent, scored);
		await addScored(id, { total: TOTAL, reasoning: "It is good." });
	});

	/** Exports with a watched object. `before` is called before each page with its number from 1; if it throws, the read fails. */
	function watched(before: (page: number) => void = () => undefined) {
		const state = { pages: 0, rows: [] as number[] };
		const deps = testDeps({ log: { info: () => {}, error: () => {} } });
		const hubs: Deps["hubs"] = {
			...deps.hubs,
			async callTask(taskId, verb, call) {
				if (verb.name !== "readExportPage") return deps.hubs.callTask(taskId, verb, call);
				state.pages += 1;
				before(state.pages);
				return deps.hubs.callTask(taskId, verb, call);
			},
		};
		const server = { ...deps, hubs };
		const client = createClient({ key: poster.key, fetch: (request) => createApp(() => server).fetch(request) });
		return { state, deps: server, client };
	}

	it("is read 200 submissions at a time, and only as fast as the client reads", async () => {
		const { state, deps, client } = watched();
		const response = await client.send("exportTask", { params: { id }, query: { format: "jsonl" } });
		const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
		let text = (await reader?.read())?.value ?? "";
		await new Promise((resolve) => setTimeout(resolve, 200));
		expect(state.pages).toBeLessThanOrEqual(4);
		for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) text += part.value;
		const lines = parseLines(text);
		expect(new Set(lines.map((line) => line.submission_id)).size).toBe(TOTAL + 1);
		expect(lines.every(({ dimensions }) => dimensions.length === 2)).toBe(true);
		expect(state.pages).toBe(Math.ceil((TOTAL + 1) / 200));
		expect(deps.db.use.calls).toBeLessThanOrEqual(2);
	});

	it("is complete and in order", async () => {
		const text = await (await exported(id)).text();
		const rows = text.split("\r\n").slice(0, -1);
		expect(rows).toHaveLength(TOTAL + 2);
		const ids = rows.slice(1).map((row) => row.slice(0, 36));
		expect(ids).toEqual([...new Set(ids)].sort().reverse());
		expect(rows.slice(1).every((row) => cellsOf(row).length === 15)).toBe(true);
	});

	it("has fewer submissions on a page if their reasons are long", async () => {
		const long = await openTask(poster);
		await addScored(long, { total: 30, reasoning: "r".repeat(300_000) });
		const { state, client } = watched();
		const text = await (await client.send("exportTask", { params: { id: long }, query: { format: "jsonl" } })).text();
		expect(new Set(parseLines(text).map((line) => line.submission_id)).size).toBe(30);
		expect(text.length).toBeGreaterThan(30 * 600_000);
		expect(state.pages).toBeGreaterThanOrEqual(8);
	});

	it("has fewer submissions on a page if the judge's quotes are long", async () => {
		const quoting = await openTask(poster);
		await addScored(quoting, { total: 60, reasoning: "It is good.", quote: "q".repeat(300_000) });
		const { state, client } = watched();
		const text = await (await client.send("exportTask", { params: { id: quoting }, query: { format: "jsonl" } })).text();
		expect(new Set(parseLines(text).map((line) => line.submission_id)).size).toBe(60);
		expect(state.pages).toBeGreaterThanOrEqual(15);
	});

	it("is cut off if the task cannot be reached any more, and does not look complete", async () => {
		for (const format of ["csv", "jsonl"]) {
			const { client } = watched((page) => {
				if (page === 3) throw new Error("The object is away.");
			});
			const response = await client.send("exportTask", { params: { id }, query: { format } });
			expect(response.status).toBe(200);
			await expect(response.text()).rejects.toThrow();
		}
	});

	it("is cut off if a report is missing, and does not leave its reasons out", async () => {
		const broken = await openTask(poster);
		await addScored(broken, { total: 500, reasoning: "It is good." });
		await queryTask(broken, "delete from reports where subject_id = 'evaluation-10'");
		for (const format of ["csv", "jsonl"]) {
			const { client } = watched();
			const response = await client.send("exportTask", { params: { id: broken }, query: { format } });
			expect(response.status).toBe(200);
			await expect(response.text()).rejects.toThrow();
		}
	});

	it("has what was there when it began, each once, and nothing that is added later", async () => {
		const { client } = watched();
		const response = await client.send("exportTask", { params: { id }, query: { format: "jsonl" } });
		const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
		let text = (await reader?.read())?.value ?? "";
		const { id: added } = await (await registerAgent()).call("createSubmission", { params: { id } });
		for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) text += part.value;
		const ids = parseLines(text).map((line) => line.submission_id);
		expect(ids).toHaveLength(TOTAL + 1);
		expect(new Set(ids).size).toBe(TOTAL + 1);
		expect(ids).not.toContain(added);
	});

	it("stops reading when the client disconnects", async () => {
		const { state, client } = watched();
		const response = await client.send("exportTask", { params: { id } });
		const reader = response.body?.getReader();
		await reader?.read();
		await reader?.read();
		await reader?.cancel();
		const { pages } = state;
		expect(pages).toBeLessThan(10);
		await new Promise((resolve) => setTimeout(resolve, 200));
		expect(state.pages).toBe(pages);
	});
});

// The export of a task: what is in it, what it costs, and what becomes of it when a read fails.
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { createApp } from "../../src/app.ts";
import { createSubmission, exportTask, getSubmissionDetails } from "../../src/features/submissions/contract.ts";
import { writeExportPart } from "../../src/features/submissions/export-part.ts";
import { closeTask } from "../../src/features/tasks/contract.ts";
import type { Deps } from "../../src/ports/deps.ts";
import { createClient } from "../support/client.ts";
import { testDeps } from "../support/deps.ts";
import { awaitEvaluation, createDraft, openTask, type RegisteredClient, registerAgent, submit } from "../support/scenario.ts";
import { queryOne } from "../support/storage.ts";

let poster: RegisteredClient;
let agent: RegisteredClient;
beforeAll(async () => {
	[poster, agent] = await Promise.all([registerAgent("Poster"), registerAgent('=HYPERLINK("x")')]);
});

const exported = (id: string, format?: string) =>
	poster.send(exportTask, { params: { id }, ...(format === undefined ? {} : { query: { format } }) });

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

/** Cells of lines without line breaks in cells. */
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
		const { id: registered } = await agent.call(createSubmission, { params: { id } });
		const { dimensions } = await poster.call(getSubmissionDetails, { params: { id: scored } });
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
		const { id: submissionId } = await agent.call(createSubmission, { params: { id } });
		const idsIn = async () => parseLines(await (await exported(id, "jsonl")).text()).map((line) => line.submission_id);
		expect(await idsIn()).toEqual([submissionId]);
		await env.DB.prepare("update tasks set status = 'evaluating' where id = ?").bind(id).run();
		expect(await idsIn()).toEqual([submissionId]);
		await poster.call(closeTask, { params: { id } });
		expect(await idsIn()).toEqual([submissionId]);
	});

	it("is for the owner only, and has two formats", async () => {
		const id = await openTask(poster);
		const draft = await createDraft(poster);
		await agent.refused(exportTask, "FORBIDDEN", { params: { id } });
		await agent.refused(exportTask, "NOT_FOUND", { params: { id: draft.id } });
		for (const format of ["xlsx", "", ["csv", "jsonl"]]) {
			await poster.refused(exportTask, "VALIDATION_ERROR", { params: { id }, query: { format } });
		}
	});
});

const TOTAL = 2000;

/** An export reads from the bucket and does nothing else with it. */
function asBucket(calls: object): R2Bucket {
	return calls as unknown as R2Bucket;
}

/** A task with thousands of scored submissions, each with a report of its own key. */
async function largeTask(): Promise<string> {
	const id = await openTask(poster);
	const { id: scored } = await submit(agent, id);
	await awaitEvaluation(agent, scored);
	const row = await queryOne<{ report_key: string }>("select report_key from submissions where id = ?", scored);
	const report = await (await env.BUCKET.get(row?.report_key ?? ""))?.text();
	const keys = Array.from({ length: TOTAL }, (_, index) => `reports/${id}/${index}.json`);
	for (let start = 0; start < TOTAL; start += 50) {
		await Promise.all(keys.slice(start, start + 50).map((key) => env.BUCKET.put(key, report ?? "")));
	}
	await env.DB.prepare(
		`with recursive n(i) as (select 0 union all select i + 1 from n where i < ?4 - 1)
		insert into submissions (id, task_id, agent_id, status, evaluated, agent_display_name, final_score, evaluated_at, report_key, created_at, updated_at)
		select substr(?1, 1, 24) || printf('%012x', i), ?1, ?2, 'completed', 1, ?3, i % 101, 1, 'reports/' || ?1 || '/' || i || '.json', 1, 1 from n`,
	)
		.bind(id, agent.agentId, "Agent", TOTAL)
		.run();
	return id;
}

describe("the export of thousands of submissions", () => {
	let id: string;
	beforeAll(async () => {
		id = await largeTask();
	}, 120_000);

	/** Exports with a watched bucket. Each part is written here instead of in an object of its own, with a database of its own. */
	function watched(before: (key: string) => void | Promise<void> = () => undefined) {
		const state = { gets: 0, inFlight: 0, mostInFlight: 0, ofRequest: 0 };
		const parts: { readonly gets: () => number; readonly db: Deps["db"] }[] = [];
		const real = testDeps();
		const log = { info: () => {}, error: () => {} };
		const openPart = (): Deps => {
			let gets = 0;
			const bucket = asBucket({
				async get(key: string) {
					gets += 1;
					state.gets += 1;
					state.inFlight += 1;
					state.mostInFlight = Math.max(state.mostInFlight, state.inFlight);
					try {
						await before(key);
						return await real.bucket.get(key);
					} finally {
						state.inFlight -= 1;
					}
				},
			});
			const deps = { ...testDeps({ bucket }), log };
			parts.push({ gets: () => gets, db: deps.db });
			return deps;
		};
		const deps: Deps = {
			...real,
			bucket: asBucket({
				get() {
					state.ofRequest += 1;
					return null;
				},
			}),
			hubs: { ...real.hubs, writeExportPart: (part) => writeExportPart(openPart(), part) },
			log,
		};
		const client = createClient({ key: poster.key, fetch: (request) => createApp(() => deps).fetch(request) });
		return { state, parts, deps, client };
	}

	// Workers allow an invocation 1,000 requests to D1 and R2 on the Free plan: 100,000 submissions are 200 parts.
	it("reads at most 501 times for each part, a few reports at a time, and only as fast as the client reads", async () => {
		const { state, parts, deps, client } = watched();
		const response = await client.send(exportTask, { params: { id }, query: { format: "jsonl" } });
		const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
		let text = (await reader?.read())?.value ?? "";
		await new Promise((resolve) => setTimeout(resolve, 200));
		expect(state.gets).toBeLessThan(30);
		for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) {
			expect(part.value.length).toBeLessThan(100_000);
			text += part.value;
		}
		const lines = parseLines(text);
		expect(new Set(lines.map((line) => line.submission_id)).size).toBe(TOTAL + 1);
		expect(lines.every(({ dimensions }) => dimensions.length === 2)).toBe(true);
		expect(state.mostInFlight).toBeLessThanOrEqual(4);
		expect(parts).toHaveLength(Math.ceil((TOTAL + 1) / 500));
		expect(Math.max(...parts.map((part) => part.gets() + part.db.use.calls))).toBeLessThanOrEqual(501);
		expect(state.ofRequest).toBe(0);
		expect(deps.db.use.calls).toBeLessThanOrEqual(2);
	}, 60_000);

	it("is whole and in order through the objects that write the parts", async () => {
		const text = await (await exported(id)).text();
		const rows = text.split("\r\n").slice(0, -1);
		expect(rows).toHaveLength(TOTAL + 2);
		const ids = rows.slice(1).map((row) => row.slice(0, 36));
		expect(ids).toEqual([...new Set(ids)].sort().reverse());
		expect(rows.slice(1).every((row) => cellsOf(row).length === 15)).toBe(true);
	}, 60_000);

	it("breaks off when an object cannot read a report", async () => {
		const key = `reports/${id}/1000.json`;
		const move = (from: string, to: string) =>
			env.DB.prepare("update submissions set report_key = ?2 where task_id = ?3 and report_key = ?1").bind(from, to, id).run();
		await move(key, `${key}.gone`);
		const response = await exported(id);
		expect(response.status).toBe(200);
		await expect(response.text()).rejects.toThrow();
		await move(`${key}.gone`, key);
	}, 60_000);

	it("breaks off when a read fails in the middle, instead of ending as if it were whole", async () => {
		for (const [fault, read] of [
			["refuses", () => Promise.reject(new Error("R2 is away"))],
			["is gone", null],
		] as const) {
			const task = await openTask(poster);
			const keys = Array.from({ length: 40 }, (_, index) => `reports/${task}/${index}.json`);
			await env.DB.prepare(
				`insert into submissions (id, task_id, agent_id, status, evaluated, agent_display_name, final_score, evaluated_at, report_key, created_at, updated_at)
				select substr(?1, 1, 24) || printf('%012x', key), ?1, ?2, 'completed', 1, 'Agent', 1, 1, value, 1, 1 from json_each(?3)`,
			)
				.bind(task, agent.agentId, JSON.stringify(keys))
				.run();
			const report = JSON.stringify({ reasoning: "", dimensions: [], breakdown: null });
			await Promise.all(keys.slice(read === null ? 11 : 0).map((key) => env.BUCKET.put(key, report)));
			const { client } = watched((key) => (key === keys[10] && read !== null ? read() : undefined));
			for (const format of ["csv", "jsonl"]) {
				const response = await client.send(exportTask, { params: { id: task }, query: { format } });
				expect({ fault, status: response.status }).toEqual({ fault, status: 200 });
				await expect(response.text()).rejects.toThrow();
			}
		}
	});

	it("has what was there when it began, each once, and nothing that is added meanwhile", async () => {
		const { client } = watched();
		const response = await client.send(exportTask, { params: { id }, query: { format: "jsonl" } });
		const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
		let text = (await reader?.read())?.value ?? "";
		const { id: added } = await (await registerAgent()).call(createSubmission, { params: { id } });
		for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) text += part.value;
		const ids = parseLines(text).map((line) => line.submission_id);
		expect(ids).toHaveLength(TOTAL + 1);
		expect(new Set(ids).size).toBe(TOTAL + 1);
		expect(ids).not.toContain(added);
	}, 60_000);

	it("stops reading when the client goes away", async () => {
		const { state, client } = watched();
		const response = await client.send(exportTask, { params: { id } });
		const reader = response.body?.getReader();
		await reader?.read();
		await reader?.read();
		await reader?.cancel();
		const { gets } = state;
		await new Promise((resolve) => setTimeout(resolve, 200));
		expect(state.gets).toBe(gets);
	});
});

// Operators write all cards anew, look into the object of a task, and put one back.
import { env } from "cloudflare:workers";
import { eq, sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { Task } from "../../durable-objects/task.ts";
import { createHubs } from "../../src/compose/hubs.ts";
import { submissionCards } from "../../src/db/schema/cards.ts";
import { getDashboardStats } from "../../src/features/competition/dashboard/get-stats.ts";
import { listDashboardSubmissions } from "../../src/features/competition/dashboard/list-submissions.ts";
import { listWaiting } from "../../src/features/competition/dashboard/list-waiting.ts";
import { getDryRun } from "../../src/features/competition/dry-runs/get-dry-run.ts";
import { startDryRun } from "../../src/features/competition/dry-runs/start-dry-run.ts";
import { closeTask } from "../../src/features/competition/lifecycle/close-task.ts";
import { getPublicAgent } from "../../src/features/competition/profiles/get-public-agent.ts";
import { getJsonFeed } from "../../src/features/competition/public-reading/get-json-feed.ts";
import { getSubmission } from "../../src/features/competition/submissions/get-submission.ts";
import { listOwnSubmissions } from "../../src/features/competition/submissions/list-submissions.ts";
import { listTaskSubmissions } from "../../src/features/competition/submissions/list-task-submissions.ts";
import { getTask } from "../../src/features/competition/tasks/get-task.ts";
import { listPublicTasks } from "../../src/features/competition/tasks/list-public-tasks.ts";
import { listTasks } from "../../src/features/competition/tasks/list-tasks.ts";
import { getAgentPage } from "../../src/features/doors/pages/get-agent-page.ts";
import { getHome } from "../../src/features/doors/pages/get-home.ts";
import { getResultsPage } from "../../src/features/doors/pages/get-results-page.ts";
import { getSitemap } from "../../src/features/doors/pages/get-sitemap.ts";
import { getTasksPage } from "../../src/features/doors/pages/get-tasks-page.ts";
import { getProfile } from "../../src/features/identity/agents/get-profile.ts";
import { createReport } from "../../src/features/operating/admin/create-report.ts";
import { inspectTask } from "../../src/features/operating/admin/inspect-task.ts";
import { listAuditEntries } from "../../src/features/operating/admin/list-audit-entries.ts";
import { listReports } from "../../src/features/operating/admin/list-reports.ts";
import { rebuildDirectory } from "../../src/features/operating/admin/rebuild-directory.ts";
import { restoreTask as restoreTaskToView } from "../../src/features/operating/admin/restore-task.ts";
import { rewindTask } from "../../src/features/operating/admin/rewind-task.ts";
import { suspendAgent } from "../../src/features/operating/admin/suspend-agent.ts";
import { takeDownTask } from "../../src/features/operating/admin/take-down-task.ts";
import { voidSubmission } from "../../src/features/operating/admin/void-submission.ts";
import type { EndpointContract } from "../../src/http/endpoint.ts";
import { ADMIN_TOKEN, admin } from "../support/admin.ts";
import { createApp } from "../support/app.ts";
import { type CallInput, createClient } from "../support/client.ts";
import { testDeps } from "../support/deps.ts";
import { awaitEvaluation, createDraft, GOOD_FILES, openTask, registerAgent, submit } from "../support/scenario.ts";
import { queryAll, queryOne } from "../support/storage.ts";
import { inTask, queryTask } from "../support/task-object.ts";

const at = (id: string) => ({ params: { id } });
const reason = "A test.";

async function readPage(contract: EndpointContract, input?: CallInput): Promise<string> {
	const response = await createClient().send(contract, input);
	expect({ path: contract.path, status: response.status }).toEqual({ path: contract.path, status: 200 });
	return response.text();
}

/** Does all steps; what the last one says. */
async function rebuildAll() {
	let step = await admin.call(rebuildDirectory, { body: { reason } });
	while (step.last !== null) step = await admin.call(rebuildDirectory, { body: { reason, after: step.last } });
	return step;
}

describe("rebuilding the directory", () => {
	it("writes every card again, so that every list is as it was", async () => {
		const [poster, agent] = [await registerAgent("Poster"), await registerAgent("Builder")];
		const category = `cards-${crypto.randomUUID().slice(0, 8)}`;
		await createDraft(poster, { category });
		const [first, second] = [await openTask(poster, { category }), await openTask(poster, { category })];
		const judged = await submit(agent, first);
		await submit(agent, first);
		const other = await submit(agent, second);
		const { id: dryRunId } = await poster.call(startDryRun, { ...at(first), body: { files: GOOD_FILES } });
		for (const { id } of [judged, other]) await awaitEvaluation(agent, id);
		await expect.poll(async () => (await poster.call(getDryRun, at(dryRunId))).status, { timeout: 10_000 }).toBe("completed");
		const { data: before } = await agent.call(listOwnSubmissions);
		for (const { id } of before) await awaitEvaluation(agent, id);
		await poster.call(closeTask, at(second));
		await agent.call(createReport, { body: { submission_id: judged.id, reason: "It is a copy." } });
		const readLists = async () => ({
			feed: await createClient().call(getJsonFeed, { query: { category } }),
			results: await createClient().call(listPublicTasks, { query: { category, status: "closed" } }),
			pages: await Promise.all([
				...[getHome, getTasksPage, getResultsPage, getSitemap].map((page) => readPage(page)),
				...[poster, agent].map(({ agentId }) => readPage(getAgentPage, at(agentId))),
			]),
			histories: [
				await createClient().call(getPublicAgent, at(agent.agentId)),
				await createClient().call(getPublicAgent, at(poster.agentId)),
			],
			waiting: [await poster.call(listWaiting), await agent.call(listWaiting)],
			reports: await admin.call(listReports),
			public: await createClient().call(listPublicTasks, { query: { category } }),
			listed: await agent.call(listTasks, { query: { category } }),
			own: await poster.call(listTasks, { query: { owner: "me" } }),
			submissions: await agent.call(listOwnSubmissions),
			received: await poster.call(listDashboardSubmissions),
			ofTask: await poster.call(listTaskSubmissions, at(first)),
			profile: await agent.call(getProfile),
			dashboards: [await poster.call(getDashboardStats), await agent.call(getDashboardStats)],
			cards: await queryAll("select * from task_cards where company_id = ? order by id", poster.agentId),
			submissionCards: await queryAll(
				"select * from submission_cards where company_id = unhex(replace(?, '-', '')) order by id",
				poster.agentId,
			),
			dryRuns: await queryAll("select * from dry_run_cards where task_id = ?", first),
		});
		const lists = await readLists();
		expect(lists.own.data).toHaveLength(3);
		expect(lists.submissions.data).toHaveLength(3);
		expect(lists.results.data).toMatchObject([{ id: second, winner: { display_name: expect.any(String) } }]);
		await env.DB.batch(
			["task_cards", "submission_cards", "dry_run_cards", "member_cards", "asker_cards"].map((table) =>
				env.DB.prepare(`delete from ${table}`),
			),
		);
		const lost = crypto.randomUUID();
		await env.DB.prepare(
			`insert into task_cards select ${await columnsOf("task_cards", { id: `'${lost}'`, company_id: `'${poster.agentId}'`, number: "1" })}`,
		).run();
		const { tasks, submissions } = await rebuildAll();
		expect(tasks).toBeGreaterThanOrEqual(3);
		expect(submissions).toBeGreaterThanOrEqual(3);
		expect(await readLists()).toEqual(lists);
		expect(await queryOne("select id from task_cards where id = ?", lost)).toBeNull();
		// Reading the reports left the newest entry.
		const { data } = await admin.call(listAuditEntries, { query: { limit: 2 } });
		expect(data[1]).toMatchObject({ action: "directory.rebuild", target: "directory", reason });
	});
});

async function cardsOf(taskId: string): Promise<string[]> {
	const rows = await testDeps().db.query.select({ id: submissionCards.id }).from(submissionCards).where(eq(submissionCards.taskId, taskId));
	return rows.map(({ id }) => id);
}

/** Returns values for all columns of a table: those given, else the smallest that the column takes. */
async function columnsOf(table: string, given: Readonly<Record<string, string>>): Promise<string> {
	const columns = await queryAll<{ name: string; type: string; notnull: number }>(`select * from pragma_table_info('${table}')`);
	const known: Readonly<Record<string, string>> = { status: "'draft'", eval_mode: "'llm'", ...given };
	return columns.map(({ name, type, notnull }) => known[name] ?? (notnull === 0 ? "null" : type === "TEXT" ? "''" : "1")).join();
}

describe("looking into a task", () => {
	it("shows the rows of its tables, without credentials", async () => {
		const [poster, agent] = [await registerAgent(), await registerAgent()];
		const taskId = await openTask(poster, { description: "x".repeat(5_000) });
		const { id } = await submit(agent, taskId);
		await awaitEvaluation(agent, id);
		const { tables } = await admin.call(inspectTask, at(taskId));
		const rowsOf = (name: string) => tables.find(({ table }) => table === name)?.rows;
		expect(rowsOf("submissions")).toMatchObject([{ id, agent_id: agent.agentId }]);
		expect(String(rowsOf("tasks")?.[0]?.["description"])).toContain("(5000 characters)");
		expect(Object.keys(rowsOf("tasks")?.[0] ?? {}).filter((column) => /sealed|hash$/.test(column))).toEqual([]);
		expect(await admin.call(inspectTask, { ...at(taskId), query: { table: "entries", offset: "1" } })).toEqual({
			id: taskId,
			tables: [{ table: "entries", count: 1, rows: [] }],
		});
		await admin.refused(inspectTask, "NOT_FOUND", { ...at(taskId), query: { table: "_cf_METADATA" } });
		await admin.refused(inspectTask, "NOT_FOUND", at(crypto.randomUUID()));
	});
});

const earlier = () => new Date(Date.now() - 1).toISOString();

describe("putting a task back", () => {
	it("is refused where no history is kept, and for moments that have none", async () => {
		const taskId = await openTask(await registerAgent());
		const to = (moment: string) => ({ ...at(taskId), body: { reason, to: moment } });
		const before = await queryTask(taskId, "select * from tasks");
		const { message } = await admin.refused(rewindTask, "CONFLICT", to(earlier()));
		expect(message).toContain("keeps no history");
		await admin.refused(rewindTask, "INVALID_BODY", to("2020-01-01T00:00:00Z"));
		await admin.refused(rewindTask, "INVALID_BODY", to(new Date(Date.now() + 60_000).toISOString()));
		await admin.refused(rewindTask, "INVALID_BODY", to("yesterday"));
		await admin.refused(rewindTask, "NOT_FOUND", { ...at(crypto.randomUUID()), body: { reason, to: earlier() } });
		expect(await queryTask(taskId, "select * from tasks")).toEqual(before);
	});

	it("applies again what operators have done to it since, from the audit log", async () => {
		const [poster, agent] = [await registerAgent(), await registerAgent()];
		const taskId = await openTask(poster);
		const { id: voided } = await submit(agent, taskId);
		await awaitEvaluation(agent, voided);
		const body = { reason };
		await admin.call(takeDownTask, { ...at(taskId), body: { reason: "Before the moment." } });
		await admin.call(restoreTaskToView, { ...at(taskId), body });
		const to = new Date().toISOString();
		await new Promise((done) => setTimeout(done, 2));
		await admin.call(takeDownTask, { ...at(taskId), body: { reason: "It asks for malware." } });
		await admin.call(voidSubmission, { ...at(voided), body: { reason: "It is spam." } });
		const deps = testDeps();
		/** Plays the platform: neither has happened. */
		const restoreTask = (id: string) =>
			inTask(id, ({ db }) => {
				db.run(sql`update submissions set voided_at = null, void_reason = null, void_act = null, slot_returned = 0`);
				db.run(sql`update tasks set taken_down_at = null, taken_down_reason = null, hidden = 0`);
				db.run(sql`update entries set quota_used = 1`);
			});
		const hubs = { ...deps.hubs, findTaskBookmark: async () => "then", restoreTask };
		const app = createApp(() => testDeps({ hubs }));
		const operator = createClient({ key: ADMIN_TOKEN, fetch: (request) => app.fetch(request) });
		for (let time = 0; time < 2; time += 1) {
			await operator.call(rewindTask, { ...at(taskId), body: { reason, to } });
			expect(await queryTask(taskId, "select hidden, taken_down_reason from tasks")).toEqual([
				{ hidden: 1, taken_down_reason: "It asks for malware." },
			]);
			expect(await queryTask(taskId, "select void_reason, slot_returned from submissions")).toEqual([
				{ void_reason: "It is spam.", slot_returned: 1 },
			]);
			expect(await queryTask(taskId, "select quota_used from entries")).toEqual([{ quota_used: 0 }]);
		}
	});

	it("makes the lists follow: what was made later is gone, and later suspensions hold", async () => {
		const [poster, agent] = [await registerAgent("Poster"), await registerAgent("Builder")];
		const taskId = await openTask(poster, { title: "As it was" });
		const { id: kept } = await submit(agent, taskId);
		await awaitEvaluation(agent, kept);
		const { id: later } = await submit(agent, taskId);
		await awaitEvaluation(agent, later);
		const numberOf = async () => (await queryOne<{ number: number }>("select number from task_cards where id = ?", taskId))?.number ?? 0;
		const number = await numberOf();
		await admin.call(suspendAgent, { ...at(poster.agentId), body: { reason } });
		const deps = testDeps();
		/** Plays the platform: everything in the object is as it was, the numbers too. */
		const restoreTask = (id: string, bookmark: string) =>
			inTask(id, ({ db }) => {
				expect(bookmark).toBe("then");
				for (const table of ["evaluations", "signatures"]) db.run(sql.raw(`delete from ${table} where submission_id = '${later}'`));
				db.run(sql`delete from submissions where id = ${later}`);
				db.run(sql`update tasks set revision = 2, hidden = 0, submission_count = 1`);
			});
		const hubs = { ...deps.hubs, findTaskBookmark: async () => "then", restoreTask };
		const app = createApp(() => testDeps({ hubs }));
		const operator = createClient({ key: ADMIN_TOKEN, fetch: (request) => app.fetch(request) });
		const to = earlier();
		const rewound = await operator.call(rewindTask, { ...at(taskId), body: { reason, to } });
		expect(rewound).toMatchObject({ id: taskId, rewound_to: to, submissions: 1, removed: 1 });
		expect(await cardsOf(taskId)).toEqual([kept]);
		expect(await queryOne("select submission_count, hidden from task_cards where id = ?", taskId)).toEqual({
			submission_count: 1,
			hidden: 1,
		});
		expect(await numberOf()).toBeGreaterThan(number);
		expect((await agent.call(listOwnSubmissions)).data.map(({ id }) => id)).toEqual([kept]);
		await agent.refused(getSubmission, "NOT_FOUND", at(later));
		expect(await agent.call(getTask, at(taskId))).toMatchObject({ id: taskId });
		const { data } = await admin.call(listAuditEntries, { query: { limit: 1 } });
		expect(data).toMatchObject([{ action: "task.rewind", target: taskId, after: { at: to } }]);
	});

	it("asks the platform for the bookmark of the moment, and restarts the object at it", async () => {
		const asked: string[] = [];
		const fake = {
			ctx: {
				storage: {
					getBookmarkForTime: async (time: number) => `bookmark of ${time}`,
					onNextSessionRestoreBookmark: async (bookmark: string) => asked.push(`go to ${bookmark}`),
				},
				abort: (reason: string) => {
					asked.push("restart");
					throw new Error(reason);
				},
			},
		};
		const { findBookmark, restoreAtRestart, restart } = Task.prototype;
		const stub = {
			findBookmark: (time: number) => findBookmark.call(fake, time),
			restoreAtRestart: (bookmark: string) => restoreAtRestart.call(fake, bookmark),
			restart: async () => restart.call(fake),
		};
		const hubs = createHubs(Object.assign({ ...env }, { TASK: { getByName: () => stub } }));
		await hubs.restoreTask("task", (await hubs.findTaskBookmark("task", 5)) ?? "");
		expect(asked).toEqual(["go to bookmark of 5", "restart"]);
	});
});

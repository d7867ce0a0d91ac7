// Operators read the object of a task, and rewind one.
import { env } from "cloudflare:workers";
import { eq, sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { createHubs } from "../../../../src/compose/hubs.ts";
import { submissionCards } from "../../../../src/db/schema/cards.ts";
import { Task } from "../../../../src/durable-objects/task.ts";
import { ADMIN_TOKEN, admin } from "../../../support/admin.ts";
import { createApp } from "../../../support/app.ts";
import { createClient } from "../../../support/client.ts";
import { testDeps } from "../../../support/deps.ts";
import { awaitEvaluation, createDraft, openTask, registerAgent, submit } from "../../../support/scenario.ts";
import { queryOne } from "../../../support/storage.ts";
import { inTask, queryTask } from "../../../support/task-object.ts";

const at = (id: string) => ({ params: { id } });
const reason = "A test.";

async function cardsOf(taskId: string): Promise<string[]> {
	const rows = await testDeps().db.query.select({ id: submissionCards.id }).from(submissionCards).where(eq(submissionCards.taskId, taskId));
	return rows.map(({ id }) => id);
}

describe("looking into a task", () => {
	it("shows the rows of its tables, without credentials", async () => {
		const [poster, agent] = [await registerAgent(), await registerAgent()];
		const taskId = await openTask(poster, { description: `${"x".repeat(999)}${"👾".repeat(2_000)}x` });
		const { id } = await submit(agent, taskId);
		await awaitEvaluation(agent, id);
		const { tables } = await admin.call("inspectTask", at(taskId));
		const rowsOf = (name: string) => tables.find(({ table }) => table === name)?.rows;
		expect(rowsOf("submissions")).toMatchObject([{ id, agent_id: agent.agentId }]);
		const description = String(rowsOf("tasks")?.[0]?.["description"]);
		expect(description).toContain("(5000 characters)");
		expect(description.isWellFormed()).toBe(true);
		expect(Object.keys(rowsOf("tasks")?.[0] ?? {}).filter((column) => /encrypted|hash$/.test(column))).toEqual([]);
		expect(await admin.call("inspectTask", { ...at(taskId), query: { table: "entries", offset: "1" } })).toEqual({
			id: taskId,
			tables: [{ table: "entries", count: 1, rows: [] }],
		});
		await admin.refused("inspectTask", "NOT_FOUND", { ...at(taskId), query: { table: "_cf_METADATA" } });
		await admin.refused("inspectTask", "NOT_FOUND", at(crypto.randomUUID()));
	});
});

describe("looking into a submission", () => {
	it("shows its rows, its deliveries, and what operators did to it, and nothing of another one", async () => {
		const [poster, agent, other] = [await registerAgent(), await registerAgent(), await registerAgent()];
		const webhook = { url: "https://receiver.example.com/", events: ["evaluation.completed"] };
		const { id: webhookId } = await poster.call("createWebhook", { body: webhook });
		const taskId = await openTask(poster);
		const { id } = await submit(agent, taskId);
		const another = await submit(other, taskId);
		await Promise.all([awaitEvaluation(agent, id), awaitEvaluation(other, another.id)]);
		await admin.call("voidSubmission", { ...at(id), body: { reason: "It is spam." } });
		const read = () => admin.call("inspectSubmission", at(id));
		await expect.poll(async () => (await read()).deliveries).toMatchObject([{ webhook_id: webhookId, event_type: "evaluation.completed" }]);
		const history = await read();
		expect(history).toMatchObject({ id, task_id: taskId, agent_id: agent.agentId });
		const rows = new Map(history.tables.map(({ table, rows }) => [table, rows]));
		expect(rows.get("submissions")).toMatchObject([{ id, void_reason: "It is spam." }]);
		expect(rows.get("evaluations")).toMatchObject([{ submission_id: id, round: "submission" }]);
		expect(rows.get("entries")).toMatchObject([{ agent_id: agent.agentId }]);
		expect(history.audit).toMatchObject([{ action: "submission.void", target: id, reason: "It is spam." }]);
		expect(JSON.stringify(history)).not.toContain(another.id);
		expect(JSON.stringify(history)).not.toContain(other.agentId);
		await admin.refused("inspectSubmission", "NOT_FOUND", at(crypto.randomUUID()));
	});
});

const earlier = () => new Date(Date.now() - 1).toISOString();

describe("rewinding a task", () => {
	it("is refused without a history, and for moments outside of it", async () => {
		const taskId = await openTask(await registerAgent());
		const to = (moment: string) => ({ ...at(taskId), body: { reason, to: moment } });
		const before = await queryTask(taskId, "select * from tasks");
		const { message } = await admin.refused("rewindTask", "CONFLICT", to(earlier()));
		expect(message).toContain("keeps no history");
		await admin.refused("rewindTask", "INVALID_BODY", to("2020-01-01T00:00:00Z"));
		await admin.refused("rewindTask", "INVALID_BODY", to(new Date(Date.now() + 60_000).toISOString()));
		await admin.refused("rewindTask", "INVALID_BODY", to("yesterday"));
		await admin.refused("rewindTask", "NOT_FOUND", { ...at(crypto.randomUUID()), body: { reason, to: earlier() } });
		expect(await queryTask(taskId, "select * from tasks")).toEqual(before);
	});

	it("applies again what operators have done to it since, from the audit log", async () => {
		const [poster, agent] = [await registerAgent(), await registerAgent()];
		const taskId = await openTask(poster);
		const { id: voided } = await submit(agent, taskId);
		await awaitEvaluation(agent, voided);
		const body = { reason };
		await admin.call("takeDownTask", { ...at(taskId), body: { reason: "Before the moment." } });
		await admin.call("restoreTask", { ...at(taskId), body });
		const to = new Date().toISOString();
		await new Promise((done) => setTimeout(done, 2));
		await admin.call("takeDownTask", { ...at(taskId), body: { reason: "It asks for malware." } });
		await admin.call("voidSubmission", { ...at(voided), body: { reason: "It is spam." } });
		const deps = testDeps();
		/** Plays the platform: neither act has happened. */
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
			await operator.call("rewindTask", { ...at(taskId), body: { reason, to } });
			expect(await queryTask(taskId, "select hidden, taken_down_reason from tasks")).toEqual([
				{ hidden: 1, taken_down_reason: "It asks for malware." },
			]);
			expect(await queryTask(taskId, "select void_reason, slot_returned from submissions")).toEqual([
				{ void_reason: "It is spam.", slot_returned: 1 },
			]);
			expect(await queryTask(taskId, "select quota_used from entries")).toEqual([{ quota_used: 0 }]);
		}
	});

	it("updates the lists: what was made later is gone, and later suspensions apply", async () => {
		const [poster, agent] = [await registerAgent("Poster"), await registerAgent("Builder")];
		const taskId = await openTask(poster, { title: "As it was" });
		const { id: kept } = await submit(agent, taskId);
		await awaitEvaluation(agent, kept);
		const { id: later } = await submit(agent, taskId);
		await awaitEvaluation(agent, later);
		const numberOf = async () => (await queryOne<{ number: number }>("select number from task_cards where id = ?", taskId))?.number ?? 0;
		const number = await numberOf();
		await admin.call("suspendAgent", { ...at(poster.agentId), body: { reason } });
		const deps = testDeps();
		/** Plays the platform: everything in the object is as it was, also the numbers of changes. */
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
		const rewound = await operator.call("rewindTask", { ...at(taskId), body: { reason, to } });
		expect(rewound).toMatchObject({ id: taskId, rewound_to: to, submissions: 1, removed: 1 });
		expect(await cardsOf(taskId)).toEqual([kept]);
		expect(await queryOne("select submission_count, hidden from task_cards where id = ?", taskId)).toEqual({
			submission_count: 1,
			hidden: 1,
		});
		expect(await numberOf()).toBeGreaterThan(number);
		expect((await agent.call("listSubmissions")).data.map(({ id }) => id)).toEqual([kept]);
		await agent.refused("getSubmission", "NOT_FOUND", at(later));
		expect(await agent.call("getTask", at(taskId))).toMatchObject({ id: taskId });
		const { data } = await admin.call("listAuditEntries", { query: { limit: 1 } });
		expect(data).toMatchObject([{ action: "task.rewind", target: taskId, after: { at: to } }]);
	});

	it("takes an invited task from the lists of agents that joined later", async () => {
		const [poster, early, late] = [await registerAgent(), await registerAgent(), await registerAgent()];
		const { id: taskId, invite_code } = await createDraft(poster, { access: "invited" });
		await poster.call("publishTask", at(taskId));
		for (const agent of [early, late]) await agent.call("joinTask", { ...at(taskId), body: { invite_code } });
		const readers = async () => {
			const lists = await Promise.all([early, late].map((agent) => agent.call("listTasks", { query: { limit: 100 } })));
			return lists.map(({ data }) => data.some(({ id }) => id === taskId));
		};
		await expect.poll(readers).toEqual([true, true]);
		const deps = testDeps();
		const restoreTask = (id: string) =>
			inTask(id, ({ db }) => {
				db.run(sql`delete from members where agent_id = ${late.agentId}`);
				db.run(sql`update tasks set revision = 2, members_revision = 1`);
			});
		const hubs = { ...deps.hubs, findTaskBookmark: async () => "then", restoreTask };
		const app = createApp(() => testDeps({ hubs }));
		const operator = createClient({ key: ADMIN_TOKEN, fetch: (request) => app.fetch(request) });
		await operator.call("rewindTask", { ...at(taskId), body: { reason, to: earlier() } });
		await expect.poll(readers).toEqual([true, false]);
	});

	it("gets the moment's bookmark from the platform, and restarts the object with it", async () => {
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

// Operators of the deployment watch its work and switch parts off, and everyone else notices only the switch.
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it } from "vitest";
import * as z from "zod";
import { runSweep } from "../../../src/queues/sweeps.ts";
import { admin } from "../../support/admin.ts";
import { createApp } from "../../support/app.ts";
import { createClient } from "../../support/client.ts";
import { configWith, countingDatabase, newIsolate, testDeps } from "../../support/deps.ts";
import { createExternalTask, receiver } from "../../support/external-judging.ts";
import { createStage } from "../../support/fault-stage.ts";
import { interceptD1 } from "../../support/intercepted-d1.ts";
import { manualClock } from "../../support/manual-clock.ts";
import { type ToolResult, tool } from "../../support/mcp.ts";
import { awaitEvaluation, GOOD_FILES, openTask, registerAgent, submit, taskInput } from "../../support/scenario.ts";
import { queryTask } from "../../support/task-object.ts";
import { createWorld, failingJudge, PLATFORM_FAULT } from "../../support/world.ts";

const anyone = createClient();
const at = (id: string) => ({ params: { id } });
const files = { body: { files: GOOD_FILES } };
const set = (name: string, on: boolean, message = "") => admin.call("setSwitches", { body: { [name]: { on, message } } });

afterEach(async () => {
	const on = { on: true };
	await admin.call("setSwitches", { body: { registration: on, submissions: on, judging: on, writes: on, reason: "Reset." } });
});

const messageOf = ({ content }: ToolResult) => content.map(({ text }) => text ?? "").join("\n");

describe("the switches", () => {
	it("pause only what they name, with their message", async () => {
		const [poster, agent] = [await registerAgent(), await registerAgent()];
		const taskId = await openTask(poster);
		expect(await set("registration", false, "Closed for a while.")).toMatchObject({
			registration: { on: false, message: "Closed for a while." },
		});
		const refusal = await anyone.refused("registerAnonymous", "SERVICE_PAUSED");
		expect(refusal.message).toBe("Closed for a while.");
		expect(Number(refusal.headers.get("Retry-After"))).toBeGreaterThan(0);
		await submit(agent, taskId);

		await set("registration", true);
		await set("submissions", false);
		await agent.refused("quickSubmit", "SERVICE_PAUSED", { ...at(taskId), ...files });
		await agent.refused("createSubmission", "SERVICE_PAUSED", at(taskId));
		await poster.call("createTask", { body: taskInput() });
		await registerAgent();
	});

	it("pause every write but those of operators", async () => {
		const agent = await registerAgent();
		await set("writes", false, "Read only.");
		await agent.refused("createApiKey", "SERVICE_PAUSED");
		await agent.refused("createTask", "SERVICE_PAUSED", { body: taskInput() });
		await anyone.refused("registerAnonymous", "SERVICE_PAUSED");
		expect((await agent.call("whoAmI")).agent_id).toBe(agent.agentId);
		await set("writes", true);
		await agent.call("createApiKey");
	});

	it("pause the tools of MCP like their endpoints", async () => {
		const [poster, agent] = [await registerAgent(), await registerAgent()];
		const taskId = await openTask(poster);
		const submitFiles = async () => tool("submit_files", { task_id: taskId, files: GOOD_FILES }, { key: agent.key });
		await set("submissions", false, "No submissions tonight.");
		const refused = await submitFiles();
		expect([refused.isError, messageOf(refused)]).toEqual([true, expect.stringContaining("No submissions tonight.")]);
		await set("submissions", true);
		await set("writes", false, "Read only.");
		expect(messageOf(await tool("register", {}))).toMatch(/^SERVICE_PAUSED: Read only\./);
		expect((await tool("read_task", { task_id: taskId })).isError).not.toBe(true);
		await set("writes", true);
		expect((await submitFiles()).isError).not.toBe(true);
	});

	it("take effect within 10 seconds if another isolate changed them, for endpoints and tools of MCP", async () => {
		const clock = manualClock();
		const fetch = (request: Request) => createApp(() => testDeps({ clock })).fetch(request);
		const { key } = await registerAgent();
		const write = () => createClient({ key, fetch }).send("createApiKey");
		const put = { name: "notes", arguments: { action: "put", key: "a", value: "1" } };
		const note = async () => (await tool(put.name, put.arguments, { key, fetch })).isError;
		expect([(await write()).status, await note()]).toEqual([201, undefined]);
		await env.DB.prepare(
			"INSERT INTO switches (name, is_on, message, revision) VALUES ('writes', 0, '', 99) ON CONFLICT (name) DO UPDATE SET is_on = 0, revision = 99",
		).run();
		clock.advance(10_000);
		expect([(await write()).status, await note()]).toEqual([503, true]);
		await set("writes", true);
	});

	it("are read with the lookup of a key, in the same statement", async () => {
		const stage = createStage();
		const { key, agentId } = await stage.join();
		const { status, calls } = await stage.play("createApiKey", { key }, { replaced: newIsolate(agentId) });
		expect({ status, calls: calls.filter(({ isAfterResponse }) => !isAfterResponse).length }).toEqual({ status: 201, calls: 3 });
		expect(calls.filter(({ sql }) => sql.includes("switches"))).toEqual([expect.objectContaining({ sql: calls[0]?.sql })]);
		expect(calls[0]?.sql).toContain("api_keys");
	});

	it("are read at most once in 7 seconds for requests without a credential", async () => {
		const [stage, clock, { switchboard }] = [createStage(), manualClock(), newIsolate()];
		const reads = async () => {
			const { calls } = await stage.play("registerAnonymous", { key: null }, { replaced: { switchboard, clock } });
			return calls.filter(({ sql }) => sql.includes("switches")).length;
		};
		expect([await reads(), await reads()]).toEqual([1, 0]);
		clock.advance(7_000);
		expect([await reads(), await reads()]).toEqual([1, 0]);
	});

	it("are read and set by operators, with an entry in the audit log, also in parallel", async () => {
		await Promise.all(["registration", "submissions", "judging", "writes"].map((name) => set(name, false, name)));
		const switches = await admin.call("getSwitches");
		for (const [name, state] of Object.entries(switches)) expect(state).toEqual({ on: false, message: name });
		const { data } = await admin.call("listAuditEntries", { query: { limit: 4 } });
		expect(data.map(({ action }) => action)).toEqual(Array.from({ length: 4 }, () => "switches.set"));
		await admin.refused("setSwitches", "INVALID_BODY", { body: {} });
		await admin.refused("setSwitches", "INVALID_BODY", { body: { everything: { on: false } } });
		await admin.call("setSwitches", { body: { writes: { on: true, since: "noon" }, everything: { on: false } } });
		const ceiling = { task_usd: 2.5, task_eur: 2, reason: "A test." };
		await admin.call("setCeilings", { body: ceiling });
		await admin.call("setCeilings", { body: { as_configured: ["task_usd"], reason: "A test." } });
	});

	it("lose none of many submissions that they interrupt", async () => {
		const [poster, ...agents] = await Promise.all(Array.from({ length: 13 }, () => registerAgent()));
		if (poster === undefined) throw new Error("No poster.");
		const taskId = await openTask(poster);
		const flood = agents.map(async (agent, index) => {
			await new Promise((resolve) => setTimeout(resolve, index * 40));
			const response = await agent.send("quickSubmit", { ...at(taskId), ...files });
			return { agent, status: response.status, id: response.ok ? z.object({ id: z.string() }).parse(await response.json()).id : null };
		});
		await set("submissions", false);
		const answers = await Promise.all(flood);
		for (const { status } of answers) expect([201, 503]).toContain(status);
		await set("submissions", true);
		for (const { agent, id } of answers) {
			const accepted = id ?? (await submit(agent, taskId)).id;
			expect((await awaitEvaluation(agent, accepted)).status).toBe("completed");
			expect((await agent.call("getSubmission", at(accepted))).quota.used).toBe(1);
		}
	});

	it("do not shorten the time of a submission, however long judging is off", async () => {
		const world = createWorld();
		const agent = await registerAgent();
		const deadline = new Date(world.clock.now() + 90 * 86_400_000).toISOString();
		const taskId = await world.openTask(await registerAgent(), { deadline });
		await set("judging", false);
		const { id } = await world.submit(agent, taskId);
		for (let day = 0; day < 10; day += 1) {
			await world.ring(taskId);
			await world.visitTask(taskId);
			world.clock.advance(86_400_000);
		}
		await world.ring(taskId);
		expect((await agent.call("getSubmission", at(id))).status).toBe("running");
		await set("judging", true);
		world.tasks.sent.length = 0;
		world.clock.advance(60_000);
		await world.ring(taskId);
		expect(world.tasks.sent).toEqual([]);
		await runSweep(world.deps(), "settle");
		expect((await agent.call("getSubmission", at(id))).status).toBe("running");
		expect(world.tasks.sent.map(({ message }) => message)).toContainEqual({ taskId });
		await world.visitTask(taskId);
		await world.workOff(id);
		expect((await agent.call("getSubmission", at(id))).status).toBe("completed");
	});
});

describe("load shedding", () => {
	const config = { ...testDeps().config, maxQueueAgeMs: 900_000 };

	it("refuses new submissions while one has waited for too long, and accepts them again afterwards", async () => {
		const [poster, agent, other] = [await registerAgent(), await registerAgent(), await registerAgent()];
		const world = createWorld({ config });
		const taskId = await world.openTask(poster);
		const { id: registered } = await world.enter(other).call("createSubmission", at(taskId));
		const { id } = await world.submit(agent, taskId);
		world.clock.advance(901_000);
		const { headers } = await world.enter(other).refused("quickSubmit", "SERVICE_PAUSED", { ...at(taskId), ...files });
		expect(Number(headers.get("Retry-After"))).toBeGreaterThan(0);
		expect((await other.call("getSubmission", at(registered))).status).toBe("registered");
		await world.workOff(id);
		await world.enter(other).call("quickSubmit", { ...at(taskId), ...files });
	});

	it("notices a submission that no consumer has looked at behind hundreds of retries", async () => {
		const [poster, agent, other] = [await registerAgent(), await registerAgent(), await registerAgent()];
		const world = createWorld({ config });
		const taskId = await world.openTask(poster);
		await queryTask(
			taskId,
			`with recursive n(i) as (select 1 union all select i + 1 from n where i < 300)
			insert into jobs (id, kind, subject_id, party, turn, state, attempts, due_at, give_up_at, created_at)
			select 'job ' || i, 'evaluation', 'submission ' || i, 'party', 0, 'ready', 1, 1, 9e15, 1 from n`,
		);
		await world.submit(agent, taskId);
		world.clock.advance(901_000);
		await world.enter(other).refused("quickSubmit", "SERVICE_PAUSED", { ...at(taskId), ...files });
		await queryTask(taskId, "delete from jobs where id like 'job %'");
	});
});

describe("jobs", () => {
	it("show what runs, waits, is stuck and has failed, and can be retried", async () => {
		const [poster, agent] = [await registerAgent(), await registerAgent()];
		const world = createWorld();
		const operator = world.enter(admin);
		const taskId = await world.openTask(poster);
		const { id: failed } = await world.submit(agent, taskId);
		await world.waitOut(failed, { judge: failingJudge(PLATFORM_FAULT) });
		const { id: stuck } = await world.submit(agent, taskId);
		world.clock.advance(60_000);
		const { id: running } = await world.submit(agent, taskId);
		await queryTask(
			taskId,
			"update jobs set state = 'claimed', claim_token = 'held', turn = 0, wake_at = ? where subject_id = ?",
			world.clock.now() + 60_000,
			running,
		);
		const { id: waiting } = await world.submit(agent, taskId);
		const states = { failed, stuck, running, waiting } as const;
		const { data } = await operator.call("listJobs", { query: { limit: 100 } });
		const jobOf = (id: string) => data.find(({ submission_id }) => submission_id === id);
		for (const [state, id] of Object.entries(states)) expect(jobOf(id)).toMatchObject({ state, kind: "evaluation", task_id: taskId });
		expect(jobOf(failed)?.last_error).toContain("The judge cannot be reached.");
		for (const [state, id] of Object.entries(states)) {
			const page = await operator.call("listJobs", { query: { state, limit: 100 } });
			expect(new Set(page.data.map((job) => job.state))).toEqual(new Set([state]));
			expect(page.data.map(({ submission_id }) => submission_id)).toContain(id);
		}
		const because = { body: { reason: "Try again." } };
		await operator.refused("retryJob", "CONFLICT", { ...at(jobOf(running)?.id ?? ""), ...because });
		await operator.call("retryJob", { ...at(jobOf(stuck)?.id ?? ""), ...because });
		const again = await operator.call("retryJob", { ...at(jobOf(failed)?.id ?? ""), ...because });
		for (const id of [failed, stuck]) {
			await world.workOff(id);
			expect((await agent.call("getSubmission", at(id))).status).toBe("completed");
		}
		await operator.refused("retryJob", "CONFLICT", { ...at(again.job_id), ...because });
		await operator.refused("retryJob", "NOT_FOUND", { ...at("nothing"), ...because });
		const { data: left } = await operator.call("listJobs", { query: { state: "failed", limit: 100 } });
		expect(left.map(({ submission_id }) => submission_id)).not.toContain(failed);
	});
});

describe("a submission that waits for its external judge", () => {
	it("is running in jobs and metrics, and is done with its score", async () => {
		const task = await createExternalTask();
		const operator = task.world.enter(admin);
		const count = async () => {
			const { running, waiting } = await operator.call("getMetrics");
			const { data } = await operator.call("listJobs", { query: { limit: 100 } });
			return { running, waiting, states: data.filter((job) => job.task_id === task.taskId).map(({ state }) => state) };
		};
		const before = await count();
		const id = await task.submit();
		const { fetch, received } = receiver();
		await task.work(fetch);
		expect(received).toHaveLength(1);
		expect(await count()).toEqual({ running: before.running + 1, waiting: before.waiting, states: ["running"] });
		await task.post(id);
		expect(await count()).toEqual({ ...before, states: [] });
	});
});

describe("spend and metrics", () => {
	it("accept new ceilings, which apply to evaluations at once, also when set in parallel", async () => {
		const because = { reason: "The budget is used up." };
		const set = (body: object) => admin.call("setCeilings", { body: { ...because, ...body } });
		const { ceilings: configured } = await admin.call("getSpend");
		await Promise.all([
			set({ task_usd: 2.5 }),
			set({ poster_day_usd: 1000 }),
			set({ task_budget_percent: null }),
			set({ deployment_day_usd: 5000 }),
		]);
		const { ceilings } = await admin.call("getSpend");
		expect(ceilings).toEqual({ task_usd: 2.5, task_budget_percent: null, poster_day_usd: 1000, deployment_day_usd: 5000 });
		const { data } = await admin.call("listAuditEntries", { query: { limit: 4 } });
		expect(data.map(({ action, target }) => [action, target])).toEqual(Array.from({ length: 4 }, () => ["ceilings.set", "ceilings"]));

		const restored = await set({ task_usd: 1, as_configured: Object.keys(configured) });
		expect(restored.ceilings).toEqual(configured);
		for (const wrong of [
			{},
			{ task_usd: 0 },
			{ task_usd: "configured" },
			{ as_configured: [] },
			{ week_usd: 1 },
			{ task_budget_percent: 101 },
		]) {
			await admin.refused("setCeilings", "INVALID_BODY", { body: { ...because, ...wrong } });
		}
		await admin.refused("setCeilings", "INVALID_BODY", { body: { task_usd: 1 } });
	});

	it("count the open streams of their isolate", async () => {
		const watchers = async () => (await admin.call("getMetrics")).watchers;
		const before = await watchers();
		const agent = await registerAgent();
		const streams = [await agent.send("streamBounties"), await anyone.send("streamPublicTask", at(await openTask(agent)))];
		expect(await watchers()).toBe(before + 2);
		for (const { body } of streams) await body?.cancel();
		expect(await watchers()).toBe(before);
	});

	it("have a JSON form and one for Prometheus", async () => {
		const metrics = await admin.call("getMetrics");
		expect(metrics.d1_size_bytes).toBeGreaterThan(100_000);
		const response = await admin.send("getMetrics", { headers: { Accept: "text/plain" } });
		expect(response.headers.get("Content-Type")).toContain("text/plain");
		const text = await response.text();
		for (const name of ["queue_age_seconds", "running", "delivery_backlog", "d1_size_bytes", "watchers"]) {
			expect(text).toMatch(new RegExp(`^bounty_platform_${name} \\d`, "m"));
		}
		expect(text).not.toContain("undefined");
	});
});

describe("readiness", () => {
	it("checks database, bucket, queue and migrations", async () => {
		expect(await anyone.call("getReadiness")).toEqual({
			status: "ready",
			checks: { d1: "ok", d1_reads: "primary", r2: "ok", objects: "ok", queue: "ok", migrations: "ok", grader: "none" },
			judge: { state: "offline", last_success_at: null, last_fault: null, suppliers: [] },
			settings: [],
		});
	});

	it("is decided by database, bucket and objects only for a monitor of uptime", async () => {
		await env.DB.prepare("insert or replace into queue_age (id, age_ms) values (1, 1e15)").run();
		const { details } = await anyone.refused("getReadiness", "NOT_READY");
		expect(details).toMatchObject({ checks: { queue: "failed" } });
		const uptime = { query: { for: "uptime" } } as const;
		expect(await anyone.call("getReadiness", uptime)).toMatchObject({ status: "ready", checks: { queue: "failed", objects: "ok" } });
		await env.DB.prepare("delete from queue_age").run();
		await anyone.refused("getReadiness", "VALIDATION_ERROR", { query: { for: "fun" } });
		const deaf = { ...testDeps().hubs, callWatch: () => Promise.reject(new Error("The object does not answer.")) };
		const visitor = createClient({ fetch: (request) => createApp(() => ({ ...testDeps(), hubs: deaf })).fetch(request) });
		for (const input of [{}, uptime]) {
			expect((await visitor.refused("getReadiness", "NOT_READY", input)).details).toMatchObject({
				checks: { d1: "ok", objects: "failed" },
			});
		}
	});

	it("accepts a newer schema, as during a deploy and after a rollback, and refuses an older one", async () => {
		const { results: applied } = await env.DB.prepare("SELECT id, name FROM d1_migrations ORDER BY id").all<{ id: number; name: string }>();
		await env.DB.exec("INSERT INTO d1_migrations (name) VALUES ('9999_later.sql')");
		const { checks } = await anyone.call("getReadiness");
		await env.DB.exec("DELETE FROM d1_migrations");
		const { details } = await anyone.refused("getReadiness", "NOT_READY");
		const restore = env.DB.prepare("INSERT INTO d1_migrations (id, name) VALUES (?, ?)");
		await env.DB.batch(applied.map(({ id, name }) => restore.bind(id, name)));
		expect(checks.migrations).toBe("ok");
		expect(details).toMatchObject({ checks: { migrations: "failed" } });
	});

	it("says if a read replica has served it", async () => {
		const replica = interceptD1(async (run) => {
			const results = await run();
			for (const { meta } of [results].flat()) meta.served_by_primary = false;
			return results;
		});
		const deps = () => ({ ...testDeps(), db: countingDatabase(replica, "first-unconstrained") });
		const visitor = createClient({ fetch: (request) => createApp(deps).fetch(request) });
		expect((await visitor.call("getReadiness")).checks.d1_reads).toBe("replica");
	});

	it("names what fails", async () => {
		const deps = testDeps();
		const without = <Target extends object>(target: Target, method: keyof Target): Target =>
			new Proxy(target, {
				get: (object, name) => (name === method ? () => Promise.reject(new Error("away")) : Reflect.get(object, name)),
			});
		const bucket = without(deps.bucket, "head");
		const db = { ...deps.db, query: without(deps.db.query, "all") };
		const cases = [
			{ broken: { bucket }, checks: { d1: "ok", r2: "failed", queue: "ok", migrations: "ok" } },
			{ broken: { db }, checks: { d1: "failed", r2: "ok", migrations: "failed" } },
			{ broken: { config: { ...deps.config, maxQueueAgeMs: -1 } }, checks: { d1: "ok", r2: "ok", queue: "failed", migrations: "ok" } },
		];
		for (const { broken, checks } of cases) {
			const app = createApp(() => ({ ...deps, ...broken }));
			const { details } = await createClient({ fetch: (request) => app.fetch(request) }).refused("getReadiness", "NOT_READY");
			expect(details).toMatchObject({ checks });
		}
	});

	it("shows the result of the last test of the grader, without counting it", async () => {
		const asked: string[] = [];
		let answer = (): Response => Response.json({ state: "ok", message: "It has run." });
		const grader = { kind: "url", url: "https://grader.example", token: "a-token-of-the-grader" } as const;
		const change = {
			config: { ...testDeps().config, grader },
			fetch: async (url: string, init?: RequestInit) => {
				asked.push(`${init?.method} ${url} ${init?.body}`);
				return answer();
			},
		};
		const operator = createWorld().enter(admin, change);
		const shown = async () => (await operator.call("getReadiness")).checks.grader;
		const body = { reason: "It was switched on." };
		expect(await shown()).toBe("untested");
		expect(await operator.call("testGrader", { body })).toMatchObject({ state: "ok", message: "It has run." });
		expect(await shown()).toBe("ok");
		answer = () => new Response("", { status: 500 });
		expect(await operator.call("testGrader", { body })).toMatchObject({ state: "failed", message: expect.stringContaining("status 500") });
		expect(await shown()).toBe("failed");
		const image = '{"image":"docker.io/library/hello-world:latest"}';
		expect(asked).toEqual(Array.from({ length: 2 }, () => `POST https://grader.example/self-test ${image}`));
		const { data } = await admin.call("listAuditEntries", { query: { limit: "2" } });
		expect(data.map(({ action, after }) => [action, after])).toEqual([
			["grader.test", { state: "failed" }],
			["grader.test", { state: "ok" }],
		]);
		expect(await admin.call("testGrader", { body })).toMatchObject({ state: "none" });
	});

	it("fails while an evaluation has waited for too long", async () => {
		// Other tests leave evaluations that wait.
		await env.DB.exec("DELETE FROM submission_cards WHERE status = 'running'");
		const world = createWorld({ config: { ...testDeps().config, maxQueueAgeMs: 900_000 } });
		const { id } = await world.submit(await registerAgent(), await world.openTask(await registerAgent()));
		const visitor = world.enter(anyone);
		world.clock.advance(901_000);
		await runSweep(world.deps(), "report");
		const { details } = await visitor.refused("getReadiness", "NOT_READY");
		expect(details).toMatchObject({ checks: { queue: "failed" } });
		await world.workOff(id);
		await runSweep(world.deps(), "report");
		expect((await visitor.call("getReadiness")).checks.queue).toBe("ok");
	});

	it("shows where to report vulnerabilities, if that is configured", async () => {
		await anyone.refused("getSecurityContact", "NOT_FOUND");
		const deps = testDeps();
		const app = createApp(() => ({ ...deps, config: { ...deps.config, securityContact: "mailto:security@example.com" } }));
		const text = await (await createClient({ fetch: (request) => app.fetch(request) }).send("getSecurityContact")).text();
		expect(text).toMatch(/^Contact: mailto:security@example\.com\nExpires: \d{4}-/);
		const parse = (value: string) => configWith({ SECURITY_CONTACT: value });
		expect(parse("https://example.com/security").securityContact).toBe("https://example.com/security");
		for (const wrong of ["", "security@example.com", "javascript:alert(1)"]) expect(() => parse(wrong)).toThrow(/SECURITY_CONTACT/);
	});
});

// The run of every minute tells operators of each cause once an hour, and once when it is over.
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import * as z from "zod";
import { createModelJudge } from "../../../../src/core/judging/engine/model-judge.ts";
import { openDatabase } from "../../../../src/db/client.ts";
import { isReadOnly } from "../../../../src/db/transient.ts";
import { D1_MAX_BYTES } from "../../../../src/extensions/operating/alerts/rules.ts";
import { reportState } from "../../../../src/extensions/operating/alerts/send-alerts.ts";
import { endpoint } from "../../../../src/http/endpoint.ts";
import { HOUR_MS, MINUTE_MS, utcDayOf } from "../../../../src/platform/clock.ts";
import type { Deps } from "../../../../src/ports/deps.ts";
import type { SweepMessage } from "../../../../src/ports/queues.ts";
import { runCron, runSweep } from "../../../../src/queues/sweeps.ts";
import { admin } from "../../../support/admin.ts";
import { buildApp } from "../../../support/app.ts";
import { recordingQueue, testDeps } from "../../../support/deps.ts";
import { interceptD1 } from "../../../support/intercepted-d1.ts";
import { judgeSettings } from "../../../support/judging.ts";
import { type ManualClock, manualClock } from "../../../support/manual-clock.ts";
import { registerAgent } from "../../../support/scenario.ts";
import { queryTask } from "../../../support/task-object.ts";
import { createWorld, failingJudge, PLATFORM_FAULT } from "../../../support/world.ts";

const sent: { cause: string; event: string }[] = [];
const texts: string[] = [];
let isDown = false;
const SILENT = { info: () => {}, error: () => {} };
const receiver = { url: "https://alerts.example/hook", form: "standard" } as const;

/** Each test has an object of its own, which knows nothing of earlier alerts. */
let watch = env.WATCH.getByName("");

function depsAt(clock: ManualClock) {
	const deps = testDeps({
		hubs: { ...testDeps().hubs, callWatch: (call) => call(watch) },
		clock,
		fetch: async (url, init) => {
			expect(url).toBe(receiver.url);
			if (isDown) return new Response("down", { status: 500 });
			const message = JSON.parse(String(init.body));
			sent.push(message);
			texts.push(message.text);
			return new Response("ok");
		},
	});
	return { ...deps, config: { ...deps.config, alertReceiver: receiver } };
}

const messages = () => sent.splice(0).map(({ event, cause }) => `${event} ${cause}`);
const addErrors = (clock: ManualClock, errors: number) => watch.addServerErrors({ minute: Math.floor(clock.now() / MINUTE_MS), errors });

beforeEach(() => {
	isDown = false;
	sent.length = 0;
	texts.length = 0;
	watch = env.WATCH.getByName(crypto.randomUUID());
});

describe("alerts", () => {
	it("are sent once an hour for a cause, and once when it is over", async () => {
		const clock = manualClock();
		await reportState(depsAt(clock));
		expect(messages()).toEqual([]);
		await addErrors(clock, 20);
		for (let minute = 0; minute < 3; minute += 1) await reportState(depsAt(clock));
		expect(messages()).toEqual(["alert.raised server_errors"]);
		clock.advance(HOUR_MS);
		await addErrors(clock, 20);
		await reportState(depsAt(clock));
		expect(messages()).toEqual(["alert.raised server_errors"]);
		clock.advance(10 * MINUTE_MS);
		for (let minute = 0; minute < 3; minute += 1) await reportState(depsAt(clock));
		expect(messages()).toEqual(["alert.ended server_errors"]);
		clock.advance(HOUR_MS);
		await addErrors(clock, 1);
		expect(await watch.sumServerErrors(0)).toBe(1);
	});

	it("are sent once by parallel runs", async () => {
		const clock = manualClock();
		await addErrors(clock, 20);
		await Promise.all(Array.from({ length: 5 }, () => reportState(depsAt(clock))));
		expect(messages()).toEqual(["alert.raised server_errors"]);
		clock.advance(10 * MINUTE_MS);
		await Promise.all(Array.from({ length: 5 }, () => reportState(depsAt(clock))));
		expect(messages()).toEqual(["alert.ended server_errors"]);
	});

	it("are sent later if the receiver is down, and not if the cause is over by then", async () => {
		const clock = manualClock();
		await addErrors(clock, 20);
		isDown = true;
		await reportState(depsAt(clock));
		isDown = false;
		clock.advance(MINUTE_MS);
		await reportState(depsAt(clock));
		expect(messages()).toEqual(["alert.raised server_errors"]);
		clock.advance(10 * MINUTE_MS);
		isDown = true;
		await reportState(depsAt(clock));
		isDown = false;
		await reportState(depsAt(clock));
		expect(messages()).toEqual(["alert.ended server_errors"]);
		await addErrors(clock, 20);
		isDown = true;
		await reportState(depsAt(clock));
		isDown = false;
		clock.advance(10 * MINUTE_MS);
		await reportState(depsAt(clock));
		expect(messages()).toEqual([]);
	});

	it("report a full database, which cannot store it, once an hour and when it is over", async () => {
		const clock = manualClock();
		let isFull = true;
		const full = interceptD1(async (run, statements) => {
			if (isFull && statements.some((text) => !isReadOnly(text))) throw new Error("D1_ERROR: Exceeded maximum DB size");
			return run();
		});
		const run = () => reportState({ ...depsAt(clock), db: openDatabase(full, "first-primary") });
		for (let minute = 0; minute < 3; minute += 1) await run();
		expect(messages()).toEqual(["alert.raised database_full"]);
		clock.advance(HOUR_MS);
		await run();
		expect(messages()).toEqual(["alert.raised database_full"]);
		isFull = false;
		for (let minute = 0; minute < 3; minute += 1) await run();
		expect(messages()).toEqual(["alert.ended database_full"]);
	});

	it("report a database that does not answer, and leave the other causes as they are", async () => {
		const clock = manualClock();
		await addErrors(clock, 20);
		await reportState(depsAt(clock));
		expect(messages()).toEqual(["alert.raised server_errors"]);
		let isLost = true;
		const lost = interceptD1(async (run) => {
			if (isLost) throw new Error("D1_ERROR: D1 DB is overloaded. Too many requests queued.");
			return run();
		});
		const sweep = () => runSweep({ ...depsAt(clock), db: openDatabase(lost, "first-primary"), log: SILENT }, "report");
		for (let minute = 0; minute < 3; minute += 1) await sweep();
		expect(messages()).toEqual(["alert.raised database_down"]);
		clock.advance(10 * MINUTE_MS);
		await sweep();
		expect(messages()).toEqual(["alert.ended server_errors"]);
		isLost = false;
		for (let minute = 0; minute < 3; minute += 1) await sweep();
		expect(messages()).toEqual(["alert.ended database_down"]);
	});

	it("report a supplier that is not called", async () => {
		const clock = manualClock();
		const judge = createModelJudge(testDeps(), judgeSettings({ JUDGE_MODELS: "openai:m" }), null);
		const sweep = () => reportState({ ...depsAt(clock), judge });
		for (const subjectId of ["a", "b", "c", "a", "b"]) {
			for (const supplier of ["openai", "anthropic"])
				await watch.noteFault({ supplier, subjectId, words: null, at: clock.now(), answeredAt: null });
		}
		await sweep();
		expect(messages()).toEqual(["alert.raised supplier_open"]);
		expect(texts.at(-1)).toContain(`openai since ${new Date(clock.now()).toISOString()}.`);
		await watch.noteAnswer({ supplier: "openai", sentAt: clock.now() });
		await sweep();
		expect(messages()).toEqual(["alert.ended supplier_open"]);
	});

	it("report submissions that no consumer judges, and evaluations that fail through the platform", async () => {
		const world = createWorld();
		const poster = await registerAgent("Poster");
		const taskId = await world.openTask(poster);
		const agents = await Promise.all(Array.from({ length: 5 }, () => registerAgent()));
		const works = [];
		for (const agent of agents) works.push(await world.submit(agent, taskId));
		const report = () => reportState(depsAt(world.clock));
		await report();
		expect(messages()).toEqual([]);
		world.clock.advance(11 * MINUTE_MS);
		await report();
		expect(messages()).toContain("alert.raised queue_age");
		const judge = failingJudge(PLATFORM_FAULT);
		for (let waiting = works; waiting.length > 0; world.clock.advance(6 * HOUR_MS)) {
			const delays = await Promise.all(waiting.map(({ id }) => world.look({ id, taskId }, { judge })));
			waiting = waiting.filter((_, index) => delays[index] !== null);
			if (waiting.length === 0) break;
			await report();
		}
		await report();
		expect(texts.find((text) => text.includes("Evaluations are waiting for a model or a grader"))).toContain(
			"The judge cannot be reached.",
		);
		expect(texts.find((text) => text.includes("evaluations failed in the last hour"))).toMatch(/^5 evaluations .* by class: .*platform 5/);
		const last = messages();
		expect(last).toContain("alert.raised failures");
		expect(last).toContain("alert.ended queue_age");
		expect(last).toContain("alert.ended judging_waits");
	});

	it("report a job without a worker, judging near its ceiling, and a growing database", async () => {
		const world = createWorld();
		const taskId = await world.openTask(await registerAgent("Poster"));
		const work = await world.submit(await registerAgent(), taskId);
		const lose = (wakeAt: number) =>
			queryTask(taskId, "update jobs set state = 'claimed', claim_token = 'lost', turn = 0, wake_at = ? where id = ?", wakeAt, work.jobId);
		const report = async (change: Partial<Deps> = {}) => {
			await reportState({ ...depsAt(world.clock), ...change });
			return messages();
		};
		// Evaluations of other tests have failed.
		await report();
		await lose(world.clock.now() + 1);
		expect(await report()).toEqual([]);
		await lose(world.clock.now());
		expect(await report()).toEqual(["alert.raised stuck_jobs"]);
		await lose(world.clock.now() + HOUR_MS);
		expect(await report()).toEqual(["alert.ended stuck_jobs"]);

		const limit = (body: object) => admin.call("setCeilings", { body: { ...body, reason: "A test." } });
		const spend = (usd: number) =>
			env.DB.prepare("insert or replace into judge_days values ('deployment', ?, ?, 0, 1, 1, 1)")
				.bind(utcDayOf(world.clock.now()), usd * 1_000_000)
				.run();
		await limit({ deployment_day_usd: 1_000 });
		await spend(799);
		expect(await report()).toEqual([]);
		await spend(800);
		expect(await report()).toEqual(["alert.raised spend_80"]);
		await spend(1_000);
		expect(await report()).toEqual(["alert.raised spend_100"]);
		expect(texts.at(-1)).toContain("or until midnight UTC if a full day's ceiling is enough");
		await limit({ as_configured: ["deployment_day_usd"] });
		expect(await report()).toEqual(["alert.ended spend_100"]);

		const grown = (percent: number) => {
			const bytes = Math.ceil((D1_MAX_BYTES * percent) / 100);
			return openDatabase(
				interceptD1(async (run) => {
					const results = await run();
					for (const { meta } of [results].flat()) meta.size_after = bytes;
					return results;
				}),
				"first-primary",
			);
		};
		const told = [];
		for (const percent of [49, 50, 75, 90, 1]) told.push(await report({ db: grown(percent) }));
		expect(told).toEqual([
			[],
			["alert.raised d1_size_50"],
			["alert.raised d1_size_75"],
			["alert.raised d1_size_90"],
			["alert.ended d1_size_90"],
		]);
	});

	it("are not sent without a receiver", async () => {
		const clock = manualClock();
		await addErrors(clock, 20);
		const deps = depsAt(clock);
		await reportState({ ...deps, config: { ...deps.config, alertReceiver: null } });
		expect(messages()).toEqual([]);
		await reportState(deps);
		expect(messages()).toContain("alert.raised server_errors");
	});
});

describe("responses with 5xx", () => {
	const probe = endpoint({
		method: "get",
		path: "/api/v1/probe",
		operationId: "probe",
		summary: "Probe",
		description: "Probe.",
		tags: ["Administration"],
		auth: "none",
		rate: "none",
		pausedBy: ["submissions"],
		response: { status: 200, description: "Never.", schema: z.object({}) },
		errors: [],
		handle: async () => Promise.reject(new Error("The probe fails.")),
	});
	const counted = () => watch.sumServerErrors(0);

	it("are counted with at most one write in ten seconds, but not while a switch is off", async () => {
		const clock = manualClock();
		const deps = testDeps({ clock, hubs: { ...testDeps().hubs, callWatch: (call) => call(watch) } });
		const app = buildApp(() => deps, [probe]);
		const request = async (times: number) => {
			for (let count = 0; count < times; count += 1) await app.fetch(new Request("https://platform.example/api/v1/probe"));
			await deps.settled();
		};
		await request(4);
		expect(await counted()).toBe(1);
		clock.advance(10_000);
		await request(1);
		expect(await counted()).toBe(5);
		await admin.call("setSwitches", { body: { submissions: { on: false, message: "Paused." }, reason: "A test." } });
		clock.advance(30_000);
		await request(3);
		expect(await counted()).toBe(5);
		await admin.call("setSwitches", { body: { submissions: { on: true, message: "" }, reason: "A test." } });
	});
});

describe("the heartbeat", () => {
	const url = "https://heartbeat.example/ping";

	/** Runs the cron's invocation. Returns the requests that it made. */
	async function beat(clock: ManualClock, change: Partial<Deps> = {}): Promise<string[]> {
		const asked: string[] = [];
		const deps = depsAt(clock);
		const sweeps = recordingQueue<SweepMessage>();
		await runCron({
			...{ ...deps, config: { ...deps.config, heartbeatUrl: url }, log: SILENT, queues: { ...deps.queues, sweeps } },
			fetch: async (to) => {
				asked.push(to);
				return new Response("ok");
			},
			...change,
		});
		expect(sweeps.sent.length).toBeGreaterThan(0);
		return asked;
	}

	it("is sent while a consumer of the sweeps was heard within three minutes", async () => {
		const clock = manualClock();
		expect(await beat(clock)).toEqual([]);
		await runSweep(depsAt(clock), "report");
		expect(await beat(clock)).toEqual([url]);
		clock.advance(3 * MINUTE_MS);
		expect(await beat(clock)).toEqual([url]);
		clock.advance(1);
		expect(await beat(clock)).toEqual([]);
		await runSweep(depsAt(clock), "report");
		expect(await beat(clock)).toEqual([url]);
	});

	it("is sent while the database is down, of which an alert tells", async () => {
		const clock = manualClock();
		const lost = interceptD1(() => Promise.reject(new Error("D1_ERROR: Network connection lost.")));
		await runSweep({ ...depsAt(clock), db: openDatabase(lost, "first-primary"), log: SILENT }, "report");
		expect(await beat(clock, { db: openDatabase(lost, "first-primary") })).toEqual([url]);
	});

	it("is not sent while the object does not answer, nor without a URL", async () => {
		const clock = manualClock();
		await runSweep(depsAt(clock), "report");
		const deps = depsAt(clock);
		const deaf = { ...deps.hubs, callWatch: () => Promise.reject(new Error("The object does not answer.")) };
		expect(await beat(clock, { hubs: deaf })).toEqual([]);
		expect(await beat(clock, { config: { ...deps.config, heartbeatUrl: null } })).toEqual([]);
	});
});

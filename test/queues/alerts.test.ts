// The run of every minute tells operators of each cause once an hour, and once when it is over.
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import * as z from "zod";
import { createApp } from "../../src/app.ts";
import { openDatabase } from "../../src/db/client.ts";
import { isReadOnly } from "../../src/db/transient.ts";
import { setSwitches } from "../../src/features/operating/admin/set-switches.ts";
import { reportState } from "../../src/features/operating/alerts/send-alerts.ts";
import { endpoint } from "../../src/http/endpoint.ts";
import { HOUR_MS, MINUTE_MS } from "../../src/platform/clock.ts";
import { admin } from "../support/admin.ts";
import { type ManualClock, manualClock, testDeps } from "../support/deps.ts";
import { interceptD1 } from "../support/intercepted-d1.ts";
import { registerAgent } from "../support/scenario.ts";
import { createWorld, failingJudge, PLATFORM_FAULT } from "../support/world.ts";

const sent: { cause: string; event: string }[] = [];
const texts: string[] = [];
let isDown = false;
const receiver = { url: "https://alerts.example/hook", form: "standard" } as const;

function depsAt(clock: ManualClock) {
	const deps = testDeps({
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
const addErrors = (clock: ManualClock, errors: number) =>
	env.DB.prepare("insert or replace into server_errors (minute, errors) values (?, ?)")
		.bind(Math.floor(clock.now() / MINUTE_MS), errors)
		.run();

beforeEach(async () => {
	isDown = false;
	sent.length = 0;
	texts.length = 0;
	await env.DB.batch([env.DB.prepare("delete from alerts"), env.DB.prepare("delete from server_errors")]);
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
		await reportState(depsAt(clock));
		expect(await env.DB.prepare("select * from server_errors").all()).toMatchObject({ results: [] });
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

	it("come later if the receiver is down, and not at all if the cause is over by then", async () => {
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

	it("tell of a full database, which the database cannot remember, once an hour and when it is over", async () => {
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
		expect(await env.BUCKET.head("alerts/database-full")).toBe(null);
	});

	it("come from what the platform does: submissions that nobody judges, and evaluations that fail through it", async () => {
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
		for (const { id } of works) await world.workOff({ id, taskId }, { judge: failingJudge(PLATFORM_FAULT) });
		await report();
		expect(texts.find((text) => text.includes("evaluations of the last hour failed"))).toMatch(/^5 evaluations .* by class: .*platform 5/);
		const last = messages();
		expect(last).toContain("alert.raised failures");
		expect(last).toContain("alert.ended queue_age");
	});

	it("are not sent without a receiver", async () => {
		const clock = manualClock();
		await addErrors(clock, 20);
		const deps = depsAt(clock);
		await reportState({ ...deps, config: { ...deps.config, alertReceiver: null } });
		expect(messages()).toEqual([]);
		expect(await env.DB.prepare("select * from alerts").all()).toMatchObject({ results: [] });
	});
});

describe("responses with 5xx", () => {
	const probe = endpoint({
		method: "get",
		path: "/api/v1/probe",
		operationId: "probe",
		summary: "Probe",
		description: "Probe.",
		tags: [],
		auth: "none",
		rate: "none",
		pausedBy: ["submissions"],
		response: { status: 200, description: "Never.", schema: z.object({}) },
		errors: [],
		handle: async () => Promise.reject(new Error("The probe fails.")),
	});
	const counted = async () => (await env.DB.prepare("select sum(errors) as sum from server_errors").first<{ sum: number | null }>())?.sum;

	it("are counted with at most one write in ten seconds, but not while a switch is off", async () => {
		const clock = manualClock();
		const deps = testDeps({ clock });
		const app = createApp(() => deps, [probe]);
		const request = async (times: number) => {
			for (let count = 0; count < times; count += 1) await app.fetch(new Request("https://platform.example/api/v1/probe"));
			await deps.settled();
		};
		await request(4);
		expect(await counted()).toBe(1);
		clock.advance(10_000);
		await request(1);
		expect(await counted()).toBe(5);
		await admin.call(setSwitches, { body: { submissions: { on: false, message: "Paused." }, reason: "A test." } });
		clock.advance(30_000);
		await request(3);
		expect(await counted()).toBe(5);
		await admin.call(setSwitches, { body: { submissions: { on: true, message: "" }, reason: "A test." } });
	});
});

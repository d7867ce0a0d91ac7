// Every response has headers beyond its body: limits, ignored parameters, versions. `fields` makes a body smaller.

import { describe, expect, it } from "vitest";
import { operations } from "../support/app.ts";
import { type CallInput, type Client, createClient, type Operation } from "../support/client.ts";
import { awaitEvaluation, createDraft, openTask, registerAgent, submit } from "../support/scenario.ts";

const [poster, agent, rival] = [await registerAgent(), await registerAgent(), await registerAgent()];
const taskId = await openTask(poster);
const submissionId = (await submit(agent, taskId)).id;
await awaitEvaluation(agent, submissionId);

const task: CallInput = { params: { id: taskId } };
const submission: CallInput = { params: { id: submissionId } };
const UNKNOWN: CallInput = { params: { id: "01900000-0000-7000-8000-000000000000" } };
const READS: readonly (readonly [Operation, CallInput])[] = [
	["getTask", task],
	["getLeaderboard", task],
	// This view has no signed URL, which changes each minute.
	["getSubmission", { ...submission, query: { fields: "id,status,evaluated,scores,dimensions" } }],
];

const headerOf = async (client: Client, operation: Operation, name: string, input: CallInput = {}) =>
	(await client.send(operation, input)).headers.get(name);
const withQuery = (input: CallInput, query: NonNullable<CallInput["query"]>): CallInput => ({ ...input, query });

describe("RateLimit-Policy", () => {
	it("is on every limited response, also on errors and 304", async () => {
		const general = '"general";q=60;w=60';
		expect(await headerOf(agent, "whoAmI", "RateLimit-Policy")).toBe(general);
		expect(await headerOf(agent, "getTask", "RateLimit-Policy", UNKNOWN)).toBe(general);
		expect(await headerOf(createClient(), "getTask", "RateLimit-Policy", task)).toBe(general);
		expect(await headerOf(agent, { ...operations.whoAmI, path: "/api/v1/nothing" }, "RateLimit-Policy")).toBe(general);
		expect(await headerOf(agent, "createTask", "RateLimit-Policy", { body: {} })).toBe('"mutation";q=10;w=60');
		expect(await headerOf(agent, "quickSubmit", "RateLimit-Policy", { ...task, body: {} })).toBe('"submission";q=10;w=60');
		const etag = await headerOf(agent, "getTask", "ETag", task);
		const unchanged = await agent.send("getTask", { ...task, headers: { "If-None-Match": etag ?? "" } });
		expect([unchanged.status, unchanged.headers.get("RateLimit-Policy")]).toEqual([304, general]);
		const listed = await headerOf(createClient(), "listPublicTasks", "ETag");
		const cached = await createClient().send("listPublicTasks", { headers: { "If-None-Match": listed ?? "" } });
		expect([cached.status, cached.headers.get("RateLimit-Policy")]).toEqual([304, general]);
	});

	it("is not on responses without a limit, and RateLimit is missing if the rest is unknown", async () => {
		expect(await headerOf(createClient(), "registerAnonymous", "RateLimit-Policy")).toBeNull();
		expect(await headerOf(createClient(), "getHealth", "RateLimit-Policy")).toBeNull();
		expect(await headerOf(agent, "whoAmI", "RateLimit")).toBeNull();
	});

	it("comes with RateLimit and the seconds in the body on a 429 of any kind", async () => {
		const client = createClient({ address: "203.0.113.7" });
		await Promise.all(Array.from({ length: 10 }, () => client.send("quickSubmit", UNKNOWN)));
		const limited = await client.refused("quickSubmit", "RATE_LIMITED", UNKNOWN);
		expect(limited.headers.get("RateLimit-Policy")).toBe('"submission";q=10;w=60');
		expect(limited.headers.get("RateLimit")).toBe('"submission";r=0;t=60');
		expect(limited.details).toMatchObject({ retry_after_seconds: Number(limited.headers.get("Retry-After")) });

		const { id } = await submit(rival, taskId);
		await awaitEvaluation(rival, id);
		await rival.call("requestReEvaluation", { params: { id } });
		await awaitEvaluation(rival, id);
		const early = await rival.refused("requestReEvaluation", "RE_EVAL_COOLDOWN", { params: { id } });
		const seconds = Number(early.headers.get("Retry-After"));
		expect(early.details).toMatchObject({ retry_after_seconds: seconds });
		expect(early.headers.get("RateLimit")).toBe(`"re-eval-cooldown";r=0;t=${seconds}`);
	});
});

describe("X-Ignored-Parameters", () => {
	it("names the query parameters that had no effect, once each, also on errors", async () => {
		expect(await headerOf(agent, "listTasks", "X-Ignored-Parameters", { query: { limit: 1, page: 2, Limit: ["1", "2"] } })).toBe(
			"page, Limit",
		);
		expect(await headerOf(agent, "getTask", "X-Ignored-Parameters", withQuery(UNKNOWN, { field: "status" }))).toBe("field");
		expect(await headerOf(agent, "whoAmI", "X-Ignored-Parameters", { query: { ["__proto__"]: "1" } })).toBe("__proto__");
	});

	it("is absent when all of them have an effect", async () => {
		expect(await headerOf(agent, "listTasks", "X-Ignored-Parameters", { query: { limit: 1 } })).toBeNull();
		expect(await headerOf(agent, "listTasks", "X-Ignored-Parameters")).toBeNull();
	});

	it("is a valid, short header for any names", async () => {
		const hostile = Object.fromEntries([..."é🦊\r\n,;\0 "].map((name) => [name, "x"]));
		expect(await headerOf(agent, "whoAmI", "X-Ignored-Parameters", { query: hostile })).toMatch(/^%C3%A9, %F0%9F%A6%8A, %0D/);
		const many = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`p${index}`, "x"]));
		const shown = await headerOf(agent, "whoAmI", "X-Ignored-Parameters", { query: many });
		expect(shown).toMatch(/, \.\.\.$/);
		expect(shown?.length).toBeLessThan(500);
	});
});

describe("ETag", () => {
	it.each(READS)("of %s is stable until something changes, and If-None-Match then returns 304 without a body", async (operation, input) => {
		const first = await agent.send(operation, input);
		const etag = first.headers.get("ETag") ?? "";
		expect(etag).toMatch(/^"\w+"$/);
		for (const sent of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
			const unchanged = await agent.send(operation, { ...input, headers: { "If-None-Match": sent } });
			expect({ status: unchanged.status, body: await unchanged.text(), etag: unchanged.headers.get("ETag") }).toEqual({
				status: 304,
				body: "",
				etag,
			});
			expect(unchanged.headers.get("X-Request-Id")).toMatch(/-/);
			expect(unchanged.headers.get("Cache-Control")).toBe(first.headers.get("Cache-Control"));
		}
		expect((await agent.send(operation, { ...input, headers: { "If-None-Match": '"other"' } })).status).toBe(200);
	});

	it("changes with the resource, and differs between callers that see different things", async () => {
		const before = await headerOf(agent, "getLeaderboard", "ETag", task);
		expect(await headerOf(poster, "getTask", "ETag", task)).not.toBe(await headerOf(agent, "getTask", "ETag", task));
		const other = await registerAgent();
		await awaitEvaluation(other, (await submit(other, taskId)).id);
		expect(await headerOf(agent, "getLeaderboard", "ETag", task)).not.toBe(before);
	});

	it("does not make an error a 304", async () => {
		const refused = await agent.send("getTask", { ...UNKNOWN, headers: { "If-None-Match": "*" } });
		expect([refused.status, refused.headers.get("ETag")]).toEqual([404, null]);
	});
});

describe("fields", () => {
	const select = async (client: Client, operation: Operation, input: CallInput, fields: string) => {
		const response = await client.send(operation, withQuery(input, { fields }));
		return { status: response.status, body: await response.json() };
	};

	it("selects top-level fields, in the order and only once", async () => {
		expect(await select(agent, "getTask", task, "status,id,status")).toEqual({ status: 200, body: { status: "open", id: taskId } });
		expect(await select(agent, "getSubmission", submission, "evaluated")).toEqual({ status: 200, body: { evaluated: true } });
		const { body } = await select(agent, "getLeaderboard", task, "revealed,entries");
		expect(body).toEqual({ revealed: false, entries: expect.any(Array) });
	});

	it("returns the values that the whole response has", async () => {
		for (const [operation, input] of READS) {
			const whole: Record<string, unknown> = await (await agent.send(operation, input)).json();
			for (const [name, value] of Object.entries(whole))
				expect(await select(agent, operation, input, name)).toEqual({ status: 200, body: { [name]: value } });
		}
	});

	it.each(["", ",", "status,", "status, id", "nothing", "Status", "__proto__", "constructor", "scores.final_score", "x".repeat(600)])(
		"refuses %j",
		async (fields) => {
			for (const [operation, input] of READS) await agent.refused(operation, "VALIDATION_ERROR", withQuery(input, { fields }));
		},
	);

	it("refuses fields that this caller does not get", async () => {
		expect((await select(poster, "getTask", task, "eval_image,judge_usage")).status).toBe(200);
		const { message } = await agent.refused("getTask", "VALIDATION_ERROR", withQuery(task, { fields: "eval_image" }));
		expect(message).toMatch(/^fields names "eval_image", which is not a field of this response\. Its fields are id, title, /);
	});

	it.each(["error_message", "voided"])("leaves out %s while there is none, so that a poll can ask for it", async (name) => {
		for (const client of [agent, poster])
			expect(await select(client, "getSubmission", submission, `status,${name}`)).toEqual({ status: 200, body: { status: "completed" } });
	});

	it.each(["resume", "next_step"])("leaves out %s once it is gone, for the agent that gets it while it is registered", async (name) => {
		const registered = await agent.call("createSubmission", task);
		const at = { params: { id: registered.id } };
		expect(await select(agent, "getSubmission", at, `status,${name}`)).toMatchObject({ status: 200, body: { status: "registered" } });
		expect(await select(agent, "getSubmission", submission, `status,${name}`)).toEqual({ status: 200, body: { status: "completed" } });
		await poster.refused("getSubmission", "VALIDATION_ERROR", withQuery(submission, { fields: name }));
	});

	it("is checked after the caller's right to see the resource", async () => {
		await agent.refused("getTask", "NOT_FOUND", withQuery({ params: { id: (await createDraft(poster)).id } }, { fields: "nothing" }));
		await rival.refused("getSubmission", "NOT_FOUND", withQuery(submission, { fields: "nothing" }));
	});

	it("has its own ETag, so that a poll of the status costs a few bytes", async () => {
		const etag = await headerOf(agent, "getSubmission", "ETag", withQuery(submission, { fields: "status" }));
		expect(etag).not.toBe(await headerOf(agent, "getSubmission", "ETag", submission));
		const again = await agent.send("getSubmission", {
			...withQuery(submission, { fields: "status" }),
			headers: { "If-None-Match": etag ?? "" },
		});
		expect(again.status).toBe(304);
	});
});

describe("dimensions", () => {
	it("show the weight of each criterion, and what it could still add to final_score", async () => {
		const { dimensions, scores } = await agent.call("getSubmission", submission);
		expect(dimensions.map(({ criterion_name, weight }) => [criterion_name, weight])).toEqual([
			["Parser", 60],
			["Tests", 40],
		]);
		for (const { weight, score, potential_points } of dimensions) expect(potential_points).toBeCloseTo((weight * (100 - score)) / 100, 1);
		const missing = dimensions.reduce((sum, { potential_points }) => sum + (potential_points ?? 0), 0);
		expect((scores?.final_score ?? 0) + missing).toBeCloseTo(100, 1);
		expect((await agent.call("getSubmissionDetails", submission)).dimensions).toEqual(dimensions);
	});
});

// Tests which parts of a task a clone copies, and which ones it makes new.
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { changeTask, listObjectsOf, readTaskRow } from "../support/house.ts";
import { attachmentForm, createDraft, hoursFromNow, openTask, registerAgent, taskInput, testSuiteForm } from "../support/scenario.ts";
import { HOUR_MS } from "../support/times.ts";
import { createWorld } from "../support/world.ts";

const poster = await registerAgent("Poster");
const at = (id: string) => ({ params: { id } });

const CALLBACK = "https://judge.example.com/requests";
const CRITERIA = [
	{
		name: "Works",
		description: "does what it should",
		weight: 70,
		position: 0,
		checks: ["It does", "It does so again"],
		final_only: false,
	},
	{
		name: "Guide",
		description: "Explains each option with an example.",
		weight: 30,
		position: 1,
		evidence: "any",
		checks: [],
		final_only: true,
	},
];
const FULL = {
	title: "Original",
	description: "All of it",
	category: "copies",
	input_spec: "in",
	output_spec: "out",
	budget_cents: 77_000,
	criteria: CRITERIA,
	eval_mode: "hybrid",
	eval_image: "judge:1",
	test_weight: 70,
	llm_weight: 30,
	eval_network: false,
	eval_memory_mb: 2048,
	eval_timeout_seconds: 900,
	max_submissions_per_agent: 3,
	final_round: true,
	sealed: true,
};

describe("a clone", () => {
	it("has every creation field and the rubric of its original, and is a new draft", async () => {
		const original = await createDraft(poster, FULL);
		const clone = await poster.call("cloneTask", at(original.id));
		expect(clone).toEqual({
			...original,
			id: clone.id,
			created_at: clone.created_at,
			deadline: clone.deadline,
			warnings: [{ code: "NO_GRADER", message: expect.any(String) }],
		});
		expect(clone.criteria).toEqual(CRITERIA.map((each) => ({ evidence: "work", ...each, whole_checks: [] })));
		expect(clone.id).not.toBe(original.id);
		const { rubric_criteria: _, ...detail } = clone;
		expect(await poster.call("getTask", at(clone.id))).toEqual(detail);
		await poster.call("publishTask", at(clone.id));
		expect(await poster.call("getTask", at(original.id))).toMatchObject({ status: "draft" });
	});

	it("can be made from any state of the original, and starts with its counters at zero", async () => {
		const agent = await registerAgent();
		const id = await openTask(poster);
		await agent.call("createSubmission", at(id));
		const clones = [await poster.call("cloneTask", at(id))];
		await changeTask(id, { status: "evaluating" });
		clones.push(await poster.call("cloneTask", at(id)));
		await poster.call("closeTask", at(id));
		clones.push(await poster.call("cloneTask", at(id)));
		for (const clone of clones) {
			expect(clone).toMatchObject({ status: "draft", competitor_count: 0, title: "Parse CSV files", quota: { used: 0 } });
			await poster.call("publishTask", at(clone.id));
		}
	});

	it("has a copy of the test suite in its own object, and no attachments", async () => {
		const original = await createDraft(poster, FULL);
		await poster.call("uploadTestSuite", { ...at(original.id), rawBody: testSuiteForm() });
		await poster.call("addAttachment", { ...at(original.id), rawBody: attachmentForm() });
		const clone = await poster.call("cloneTask", at(original.id));
		const { test_suite } = await poster.call("getTask", at(original.id));
		expect(test_suite).toMatchObject({ test_case_count: 1 });
		expect(clone.test_suite).toEqual(test_suite);
		expect(await poster.call("listAttachments", at(clone.id))).toEqual([]);
		const keyOf = async (id: string) => (await readTaskRow<{ key: string }>(id, "test_suite_key as key"))?.key ?? "";
		const [own, copied] = [await keyOf(original.id), await keyOf(clone.id)];
		expect(copied).not.toBe(own);
		expect(await (await env.BUCKET.get(copied))?.text()).toBe(await (await env.BUCKET.get(own))?.text());
	});

	it("fails if its test suite cannot be copied", async () => {
		const original = await createDraft(poster, FULL);
		await poster.call("uploadTestSuite", { ...at(original.id), rawBody: testSuiteForm() });
		for (const key of await listObjectsOf(original.id, "suites")) await env.BUCKET.delete(key);
		const countTasks = async () => (await poster.call("listTasks", { query: { owner: "me", limit: 100 } })).data.length;
		const before = await countTasks();
		await poster.refused("cloneTask", "CONFLICT", at(original.id));
		expect(await countTasks()).toBe(before);
	});

	it("accepts other values for any creation field", async () => {
		const { id } = await createDraft(poster, FULL);
		const deadline = hoursFromNow(50);
		const change = {
			title: "Other",
			description: null,
			input_spec: null,
			budget_cents: 10_000,
			deadline,
			eval_network: true,
			sealed: false,
		};
		const criteria = [{ name: "One", weight: 100 }];
		const clone = await poster.call("cloneTask", { ...at(id), body: { ...change, criteria } });
		expect(clone).toMatchObject({ ...change, input_spec: "", output_spec: "out", category: "copies", test_weight: 70 });
		expect(clone.criteria).toMatchObject([{ name: "One", weight: 100 }]);
		const judged = await poster.call("cloneTask", { ...at(id), body: { eval_mode: "llm" } });
		expect(judged).toMatchObject({ eval_mode: "llm", test_weight: 0, llm_weight: 100, warnings: [] });
	});

	it("refuses what the creation of a task refuses", async () => {
		const { id } = await createDraft(poster, FULL);
		const refuse = (body: unknown, code: "INVALID_BODY" | "INVALID_WEIGHTS" = "INVALID_BODY") =>
			poster.refused("cloneTask", code, { ...at(id), body });
		await refuse({ deadline: hoursFromNow(23) });
		await refuse({ budget_cents: 1 });
		await refuse({ eval_image: null });
		await refuse({ eval_callback_url: CALLBACK, eval_mode: "llm" });
		await refuse({ eval_mode: "external" });
		await refuse({ criteria: [{ name: "One", weight: 99 }] }, "INVALID_WEIGHTS");
		await refuse({ test_weight: 70, llm_weight: 20 }, "INVALID_WEIGHTS");
	});

	it("refuses an invalid body before it looks for the original", async () => {
		const { id } = await createDraft(poster, FULL);
		const stranger = await registerAgent();
		const refuse = (code: "INVALID_WEIGHTS" | "INVALID_BODY" | "NOT_FOUND", body: object) =>
			stranger.refused("cloneTask", code, { ...at(id), body });
		await refuse("INVALID_WEIGHTS", { criteria: [{ name: "Half", weight: 50 }] });
		await refuse("INVALID_BODY", { deadline: hoursFromNow(23) });
		await refuse("INVALID_BODY", { eval_callback_url: "https://10.0.0.1/" });
		await refuse("NOT_FOUND", {});
	});

	it("of an external task has a new callback token, shown once", async () => {
		const original = await poster.call("createTask", { body: taskInput({ eval_callback_url: CALLBACK }) });
		const clone = await poster.call("cloneTask", at(original.id));
		expect(clone.eval_callback_token).toMatch(/^svc_evaltok_[0-9a-f]{32}$/);
		expect(clone.eval_callback_token).not.toBe(original.eval_callback_token);
		expect(await poster.call("getTask", at(clone.id))).not.toHaveProperty("eval_callback_token");
		const [first, second] = await Promise.all(
			[original.id, clone.id].map((id) => readTaskRow<{ hash: string }>(id, "eval_callback_token_hash as hash")),
		);
		expect(second?.hash).toMatch(/^[0-9a-f]{64}$/);
		expect(second?.hash).not.toBe(first?.hash);
		const internal = await poster.call("cloneTask", { ...at(original.id), body: { eval_mode: "llm" } });
		expect(internal).toMatchObject({ eval_mode: "llm", eval_callback_url: null });
		expect(internal).not.toHaveProperty("eval_callback_token");
	});

	it.each([
		["as long from now as the original from its creation", 72, 72],
		["at least 24 hours from now", 24.5, 24.5],
	])("without a deadline ends %s", async (_, hours, expected) => {
		const world = createWorld();
		const { id, deadline, created_at } = await createDraft(poster, { deadline: hoursFromNow(hours) });
		const length = Date.parse(deadline) - Date.parse(created_at);
		world.clock.advance(1000 * HOUR_MS);
		const clone = await world.enter(poster).call("cloneTask", at(id));
		expect(Date.parse(clone.deadline) - Date.parse(clone.created_at)).toBe(length);
		expect(Math.abs(length - expected * HOUR_MS)).toBeLessThan(60_000);
	});

	it("of a task with hardly any time, or nearly endless time, gets a deadline that is allowed", async () => {
		const { id, created_at } = await createDraft(poster);
		await changeTask(id, { deadline: Date.parse(created_at) + 1000 });
		const short = await poster.call("cloneTask", at(id));
		expect(Date.parse(short.deadline) - Date.parse(short.created_at)).toBe(24 * HOUR_MS);
		const endless = await createDraft(poster, { deadline: "9999-12-31T23:59:59.999Z" });
		const long = await createWorldLater(5 * HOUR_MS).call("cloneTask", at(endless.id));
		expect(long.deadline).toBe("9999-12-31T23:59:59.999Z");
	});
});

function createWorldLater(ms: number) {
	const world = createWorld();
	world.clock.advance(ms);
	return world.enter(poster);
}

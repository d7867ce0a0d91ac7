import { describe, expect, it } from "vitest";
import type { ErrorCode } from "../../src/domain/errors.ts";
import { hoursFromNow, registerAgent, taskInput } from "../support/scenario.ts";
import { snapshotStorage } from "../support/storage.ts";

const poster = await registerAgent("Poster");

const create = (change: Readonly<Record<string, unknown>>) => poster.call("createTask", { body: taskInput(change) });
const refuse = (change: Readonly<Record<string, unknown>>, code: ErrorCode = "INVALID_BODY") =>
	poster.refused("createTask", code, { body: taskInput(change) });

const criterion = (weight: number, index = 0) => ({ name: `Criterion ${index}`, weight });
const weights = (...values: number[]) => values.map(criterion);

describe("a created task", () => {
	it("is a draft with the defaults", async () => {
		const { title, budget_cents, deadline } = taskInput();
		const task = await poster.call("createTask", { body: { title, budget_cents, deadline } });
		expect(task).toEqual({
			id: task.id,
			company_id: poster.agentId,
			poster_name: "Poster",
			title,
			description: null,
			category: "general",
			deadline,
			budget_cents,
			winner_gets_cents: 45_000,
			platform_fee_bps: 1000,
			ended_at: null,
			eval_mode: "llm",
			status: "draft",
			created_at: task.created_at,
			input_spec: "",
			output_spec: "",
			criteria: [],
			rubric_criteria: [],
			test_weight: 0,
			llm_weight: 100,
			eval_network: false,
			eval_memory_mb: 1024,
			eval_timeout_seconds: 600,
			eval_image: null,
			eval_image_digest: null,
			warnings: [],
			waiting_for: null,
			eval_callback_url: null,
			test_suite: null,
			max_submissions_per_agent: 15,
			final_round: false,
			pick: null,
			competitor_count: 0,
			judge_check: null,
			judge_usage: { calls: 0, input_tokens: 0, output_tokens: 0, cost_usd: null },
			quota: { used: 0, limit: 15, remaining: 15 },
			access: "public",
			sealed: false,
			task_sha256: null,
			test_suite_sha256: null,
			judged_attachments: [],
			deadline_history: [],
			questions: { total: 0, unanswered: 0, closed: false },
			test: false,
			clock: null,
		});
		const { rubric_criteria: _, ...detail } = task;
		expect(await poster.call("getTask", { params: { id: task.id } })).toEqual(detail);
	});

	it("has every field as it was sent", async () => {
		const given = {
			title: "Ωmega 🦊 in one line",
			description: "d",
			category: "DATA Science",
			input_spec: "in",
			output_spec: "out",
			budget_cents: 12_345_678,
			eval_mode: "hybrid",
			eval_image: `registry.example/judge@sha256:${"00".repeat(32)}`,
			test_weight: 70,
			llm_weight: 30,
			eval_network: true,
			eval_memory_mb: 2048,
			eval_timeout_seconds: 1200,
			max_submissions_per_agent: 3,
		};
		const { id } = await create(given);
		expect(await poster.call("getTask", { params: { id } })).toMatchObject({ ...given, category: "data science" });
	});

	it("shows the rubric in order of position, then as it was sent", async () => {
		const criteria = [
			{ name: "Last", weight: 20, position: 9 },
			{ name: "First", description: "why", weight: 50, position: -1 },
			{ name: "Middle", weight: 30 },
		];
		const BARE = { evidence: "work", checks: [], whole_checks: [], final_only: false };
		const { rubric_criteria } = await create({ criteria });
		expect(rubric_criteria).toEqual([
			{ name: "First", description: "why", weight: 50, position: -1, ...BARE },
			{ name: "Middle", description: null, weight: 30, position: 2, ...BARE },
			{ name: "Last", description: null, weight: 20, position: 9, ...BARE },
		]);
	});

	it("shows criteria with the same position in the same order in every response", async () => {
		const names = ["\u{1F98A}", "\uFF21", "z", "Z"];
		const created = await create({ criteria: names.map((name) => ({ name, weight: 25, position: 1 })) });
		const read = await poster.call("getTask", { params: { id: created.id } });
		expect(created.rubric_criteria.map(({ name }) => name)).toEqual(["Z", "z", "\uFF21", "\u{1F98A}"]);
		expect(created.rubric_criteria).toEqual(read.criteria);
	});
});

describe("bounds of the creation parameters", () => {
	const atBounds: readonly Readonly<Record<string, unknown>>[] = [
		{ title: "t" },
		{ title: "🦊".repeat(200) },
		{ description: "d".repeat(10_000) },
		{ description: null },
		{ description: "" },
		{ category: "c" },
		{ category: "C".repeat(64) },
		{ category: "İ".repeat(32) },
		{ input_spec: "i".repeat(100_000), output_spec: "" },
		{ budget_cents: 10_000 },
		{ budget_cents: 1_000_000_000_000 },
		{ max_submissions_per_agent: 1 },
		{ max_submissions_per_agent: 25 },
		{ eval_memory_mb: 512, eval_timeout_seconds: 600 },
		{ eval_memory_mb: 4096, eval_timeout_seconds: 3600 },
		{ eval_mode: null, eval_image: null, eval_callback_url: null },
		{ criteria: weights(100) },
		{ criteria: ["Style", "style", "Sty le"].map((name, index) => ({ name, weight: index === 0 ? 50 : 25 })) },
		{ criteria: Array.from({ length: 50 }, (_, index) => criterion(2, index)) },
		{ criteria: [{ name: "n".repeat(200), description: "d".repeat(10_000), weight: 100 }] },
		{ deadline: "9999-12-31T23:59:59.999Z" },
	];
	it.each(atBounds)("accept %o", async (change) => {
		const task = await create(change);
		expect(await poster.call("getTask", { params: { id: task.id } })).toMatchObject({ id: task.id });
	});

	const beyond: readonly Readonly<Record<string, unknown>>[] = [
		...[undefined, null, "", "x".repeat(201), 5, {}, []].map((title) => ({ title })),
		...["d".repeat(10_001), 5, {}].map((description) => ({ description })),
		...["", "c".repeat(65), "İ".repeat(33), null, 1].map((category) => ({ category })),
		...["s".repeat(100_001), 1].map((input_spec) => ({ input_spec })),
		{ output_spec: false },
		...[undefined, null, 9999, -10_000, 0, 10_000.5, "10000", 1e300, 1_000_000_000_001, Number.MAX_SAFE_INTEGER + 1].map(
			(budget_cents) => ({ budget_cents }),
		),
		...[0, 26, -1, 1.5, "15", null].map((max_submissions_per_agent) => ({ max_submissions_per_agent })),
		...[511, 4097, 1024.5, "1024"].map((eval_memory_mb) => ({ eval_memory_mb })),
		...[599, 3601, null].map((eval_timeout_seconds) => ({ eval_timeout_seconds })),
		...["true", 1, null].map((eval_network) => ({ eval_network })),
		...["LLM", "manual", 1].map((eval_mode) => ({ eval_mode })),
		...[-1, 101, "50"].map((test_weight) => ({ test_weight })),
		...[[], {}, null, "x", [null], [{}], [{ name: "n" }], [{ weight: 100 }]].map((criteria) => ({ criteria })),
		{ criteria: [{ name: "", weight: 100 }] },
		...[
			["Caf\u00e9", "Cafe\u0301"],
			["Style", "St\u200byle"],
			["Code style", "Code\u00a0style"],
			["Code style", "Code  style "],
			["Style", "\uff33tyle"],
		].map((names) => ({ criteria: names.map((name) => ({ name, weight: 50 })) })),
		...[["Reads quotes", "Reads\u00a0quotes"]].map((checks) => ({ criteria: [{ name: "n", weight: 100, checks }] })),
		{ criteria: [{ name: "n".repeat(201), weight: 100 }] },
		{ criteria: [{ name: "n", weight: "100" }] },
		{ criteria: [{ name: "n", weight: 100, position: "1" }] },
		{ criteria: [{ name: "n", weight: 100, description: "d".repeat(10_001) }] },
		{
			criteria: [
				{ name: "n", weight: 50 },
				{ name: "n", weight: 50 },
			],
		},
		{ criteria: Array.from({ length: 51 }, (_, index) => criterion(100 / 51, index)) },
		{ criteria: Array.from({ length: 10_000 }, (_, index) => criterion(0.01, index)) },
	];
	it("refuse everything beyond them, and nothing is stored", async () => {
		const before = await snapshotStorage();
		for (const change of beyond) {
			const { details } = await refuse(change);
			const [field] = Object.keys(change);
			expect({ change, details }).toMatchObject({
				change,
				details: expect.arrayContaining([expect.objectContaining({ path: expect.stringMatching(new RegExp(`^${field}`)) })]),
			});
		}
		expect(await snapshotStorage()).toEqual(before);
	});
});

describe("numbers", () => {
	it("that JSON can express but no field can store are refused", async () => {
		const headers = { "Content-Type": "application/json" };
		for (const number of ["1e999", "-1e999", "1e21", "9007199254740993", "10000.0000001"]) {
			const rawBody = JSON.stringify(taskInput({ budget_cents: 123_123 })).replace("123123", number);
			await poster.refused("createTask", "INVALID_BODY", { rawBody, headers });
		}
		for (const number of ["1e999", "-1e999"]) {
			const rawBody = JSON.stringify(taskInput({ criteria: [{ name: "n", weight: 100, position: 123_123 }] })).replace("123123", number);
			await poster.refused("createTask", "INVALID_BODY", { rawBody, headers });
		}
	});
});

describe("deadlines", () => {
	it("are at least 24 hours ahead", async () => {
		await refuse({ deadline: hoursFromNow(23.99) });
		await refuse({ deadline: hoursFromNow(-1) });
		await refuse({ deadline: "1970-01-01T00:00:00Z" });
		await create({ deadline: hoursFromNow(24.01) });
	});

	it("are instants: dates without a zone or a time, or that do not exist, are refused", async () => {
		const wrong = [
			...["2030-01-01T00:00:00", "2030-01-01 00:00:00Z", "2030-01-01", "01/01/2030", "2030-02-30T00:00:00Z", "2030-13-01T00:00:00Z"],
			...[
				"2030-01-01T24:00:00Z",
				"2030-01-01T00:00:00+25:00",
				"tomorrow",
				"",
				"1893456000000",
				"2030-01-01T00:00:00 Z",
				"+010000-01-01T00:00:00Z",
			],
			...["9999-12-31T23:59:59-01:00", "2030-01-01T00:00:00+0100"],
		];
		for (const deadline of wrong) {
			const { details } = await refuse({ deadline });
			expect({ deadline, details }).toMatchObject({ deadline, details: [{ path: "deadline" }] });
		}
		for (const deadline of [1893456000000, null, {}, true]) await refuse({ deadline });
	});

	it("may have any zone and are shown in UTC with milliseconds", async () => {
		expect((await create({ deadline: "2090-06-01T12:00:00+05:30" })).deadline).toBe("2090-06-01T06:30:00.000Z");
		expect((await create({ deadline: "2090-06-01T12:00:00Z" })).deadline).toBe("2090-06-01T12:00:00.000Z");
		expect((await create({ deadline: "2090-06-01T12:00:00.123456Z" })).deadline).toBe("2090-06-01T12:00:00.123Z");
	});
});

describe("modes and their weights", () => {
	const image = { eval_image: "judge:1" };
	const callback = { eval_callback_url: "https://judge.example.com/hook" };
	const accepted: readonly [Readonly<Record<string, unknown>>, string, number, number][] = [
		[{}, "llm", 0, 100],
		[{ eval_mode: "llm", test_weight: 0 }, "llm", 0, 100],
		[{ eval_mode: "llm", llm_weight: 100 }, "llm", 0, 100],
		[{ eval_mode: "container", ...image }, "container", 100, 0],
		[{ eval_mode: "container", ...image, test_weight: 100, llm_weight: 0 }, "container", 100, 0],
		[{ eval_mode: "hybrid", ...image }, "hybrid", 50, 50],
		[{ eval_mode: "hybrid", ...image, test_weight: 30 }, "hybrid", 30, 70],
		[{ eval_mode: "hybrid", ...image, llm_weight: 0 }, "hybrid", 100, 0],
		[{ eval_mode: "hybrid", ...image, test_weight: 33.33, llm_weight: 66.67 }, "hybrid", 33.33, 66.67],
		[{ ...callback }, "external", 0, 100],
		[{ ...callback, eval_mode: null }, "external", 0, 100],
		[{ ...callback, eval_mode: "external", test_weight: 0, llm_weight: 100 }, "external", 0, 100],
	];
	it.each(accepted)("%o is %s %d/%d", async (change, eval_mode, test_weight, llm_weight) => {
		expect(await create(change)).toMatchObject({ eval_mode, test_weight, llm_weight });
	});

	it.each([
		{ test_weight: 50, llm_weight: 50 },
		{ test_weight: 100 },
		{ eval_mode: "container", ...image, llm_weight: 100 },
		{ eval_mode: "hybrid", ...image, test_weight: 50, llm_weight: 51 },
		{ eval_mode: "hybrid", ...image, test_weight: 50, llm_weight: 49 },
		{ ...callback, test_weight: 50, llm_weight: 50 },
	])("refuses the weights of %o", async (change) => {
		await refuse(change, "INVALID_WEIGHTS");
	});

	it.each([
		{ eval_mode: "container" },
		{ eval_mode: "hybrid", eval_image: null },
		{ eval_mode: "container", eval_image: "" },
		{ eval_mode: "external" },
		{ eval_mode: "llm", ...callback },
		{ eval_mode: "container", ...image, ...callback },
		{ eval_mode: "hybrid", ...image, ...callback },
	])("refuses the combination %o", async (change) => {
		await refuse(change);
	});
});

describe("callback URLs", () => {
	it("get a token that is shown once", async () => {
		const task = await create({ eval_callback_url: "https://judge.example.com/hook?x=1" });
		expect(task.eval_callback_token).toMatch(/^svc_evaltok_[0-9a-f]{32}$/);
		expect(await poster.call("getTask", { params: { id: task.id } })).not.toHaveProperty("eval_callback_token");
		expect(await create({})).not.toHaveProperty("eval_callback_token");
		expect(JSON.stringify(await snapshotStorage())).not.toContain(task.eval_callback_token);
	});

	it("may be http and loopback if the development configuration allows it, but nothing else inside", async () => {
		for (const eval_callback_url of ["http://localhost:8080/hook", "http://127.0.0.1/", "https://[::1]/", "http://example.com/"]) {
			expect(await create({ eval_callback_url })).toMatchObject({ eval_callback_url });
		}
		expect((await refuse({ eval_callback_url: "https://10.0.0.1/hook" })).details).toMatchObject([{ path: "eval_callback_url" }]);
	});
});

// Rewritten criteria of the lint: what the judge's model may say, and that a lint never suffers from it.
import { describe, expect, it } from "vitest";
import { offlineJudge } from "../../src/features/judging/offline.ts";
import { deleteTask, getTask, lintTask } from "../../src/features/tasks/contract.ts";
import type { Client } from "../support/client.ts";
import { type JudgeStep, scriptJudge } from "../support/judge-script.ts";
import { judgedPlatform } from "../support/judged-platform.ts";
import { judgeOf } from "../support/judging.ts";
import { createDraft, registerAgent } from "../support/scenario.ts";
import { count, queryAll } from "../support/storage.ts";

const GOOD = { name: "Parser", description: "Reads quoted fields with line breaks.", weight: 50 };
const VAGUE = { name: "Code", description: "Clean and elegant.", weight: 29.5 };
const COMPOUND = { name: "Rest", description: "Tests and documentation.", weight: 20 };
const TINY = { name: "Greets", description: "Prints hello when it starts.", weight: 0.5 };
const RUBRIC = [GOOD, VAGUE, COMPOUND, TINY];

const FINDINGS = [
	{ criterion: "Code", code: "VAGUE" },
	{ criterion: "Rest", code: "COMPOUND" },
	{ criterion: "Greets", code: "TINY_WEIGHT" },
];

const rewrites = (...list: readonly (readonly [number, string])[]): JudgeStep => ({
	kind: "content",
	content: JSON.stringify({ rewrites: list.map(([number, description]) => ({ number, description })) }),
});
const HONEST = rewrites([1, "Functions of at most 40 lines."], [2, "Tests of each error."], [2, "A README with an example."]);

interface Setting {
	readonly judge?: Readonly<Record<string, string>>;
	readonly ceilings?: Readonly<Record<string, string>>;
	readonly rubric?: typeof RUBRIC;
}

/** A draft of its own title, so that no test finds the rewrites that another one has kept. */
async function begin(steps: readonly JudgeStep[], { judge = {}, ceilings = {}, rubric = RUBRIC }: Setting = {}) {
	const script = await scriptJudge([{ steps }]);
	const platform = judgedPlatform(judgeOf(script, { JUDGE_PRICES: "model-a=1/10", JUDGE_MAX_OUTPUT_TOKENS: "1000", ...judge }), ceilings);
	const poster = platform.as(await registerAgent("Poster"));
	const { id } = await createDraft(poster, { title: `CSV ${crypto.randomUUID()}`, criteria: rubric });
	const lint = () => poster.call(lintTask, { params: { id } });
	const calls = async () => (await script.seen()).calls;
	return { script, platform, poster, id, lint, calls };
}

/** What a rewrite used is recorded after the response. */
async function usageOf(poster: Client, id: string) {
	const read = () => poster.call(getTask, { params: { id } });
	await expect.poll(async () => (await read()).judge_usage?.calls).toBe(1);
	return read();
}

describe("suggestions of the lint", () => {
	it("rewrite the criteria with findings, in one call that sees no other criterion", async () => {
		const { lint, calls } = await begin([HONEST]);
		const { findings, suggestions } = await lint();
		expect(findings).toMatchObject(FINDINGS);
		expect(suggestions).toEqual([
			{ criterion: "Code", description: "Functions of at most 40 lines." },
			{ criterion: "Rest", description: "Tests of each error." },
			{ criterion: "Rest", description: "A README with an example." },
		]);
		const [call, ...more] = await calls();
		expect(more).toEqual([]);
		expect(call?.user).toContain("Clean and elegant.");
		// Nothing is wrong with the words of these two.
		expect(call?.user).not.toContain(GOOD.description);
		expect(call?.user).not.toContain(TINY.description);
		expect(call?.body["response_format"]).toMatchObject({ json_schema: { name: "rewrites", strict: true } });
	});

	it("are asked for once as long as the rubric stays the same", async () => {
		const { lint, calls } = await begin([HONEST]);
		expect(await lint()).toEqual(await lint());
		expect(await calls()).toHaveLength(1);
	});

	it("are empty without a call when no words need mending", async () => {
		const { lint, calls } = await begin([HONEST], { rubric: [{ ...GOOD, weight: 99.5 }, TINY] });
		expect(await lint()).toMatchObject({ findings: [{ code: "TINY_WEIGHT" }], suggestions: [] });
		expect(await calls()).toEqual([]);
	});

	it.each([
		["the offline judge", offlineJudge],
		["no judge", null],
	])("are absent with %s", async (_, judge) => {
		const platform = judgedPlatform(judge);
		const poster = platform.as(await registerAgent());
		const { id } = await createDraft(poster, {
			criteria: RUBRIC,
			...(judge === null ? { eval_mode: "container", eval_image: "ghcr.io/a/b:1" } : {}),
		});
		expect(Object.keys(await poster.call(lintTask, { params: { id } }))).toEqual(["findings"]);
	});
});

describe("a hostile or broken model", () => {
	it("cannot suggest for criteria it was not asked about, more than one line, hidden characters, or more than 500 characters", async () => {
		const long = "Names each function by what it returns. ".repeat(100);
		const { lint } = await begin([
			rewrites([1, `Small\nfunctions\u202e that \u0000return early.`], [2, long], [3, "Not asked."], [99, "Nor this."], [2, " \n "]),
		]);
		const { suggestions = [] } = await lint();
		expect(suggestions.map(({ criterion }) => criterion)).toEqual(["Code", "Rest"]);
		expect(suggestions[0]?.description).toBe("Small functions that return early.");
		expect(suggestions[1]?.description).toHaveLength(500);
	});

	it("is not passed on where it repeats the criterion, praises like it, or says too much about one", async () => {
		const { lint } = await begin([
			rewrites(
				[1, VAGUE.description],
				[1, "Good and clean code."],
				...["a", "b", "c", "d"].map((path) => [2, `The file ${path}.js tests an error.`] as const),
			),
		]);
		const { suggestions = [] } = await lint();
		expect(suggestions.map(({ description }) => description)).toEqual(["a", "b", "c"].map((path) => `The file ${path}.js tests an error.`));
	});

	it.each<readonly [string, JudgeStep]>([
		["an error", { kind: "status", status: 500 }],
		["a rate limit", { kind: "status", status: 429, headers: { "Retry-After": "60" } }],
		["rejected credentials", { kind: "status", status: 401 }],
		["a broken connection", { kind: "cut" }],
		["a body that is not JSON", { kind: "raw", body: "<html>" }],
		["prose", { kind: "content", content: "I would say: write better criteria." }],
		["another object", { kind: "content", content: '{"rewrites": "none"}' }],
		["an unknown field", { kind: "content", content: '{"rewrites": [{"number": 1, "description": "x", "html": "<b>"}]}' }],
		["more rewrites than asked for", rewrites(...Array.from({ length: 31 }, () => [1, "Tests of each error."] as const))],
		["a refusal", { kind: "refuse" }],
		["a content filter", { kind: "filter", as: "status" }],
	])("leaves the field out after %s, and never fails the lint", async (_, step) => {
		const { lint } = await begin([step]);
		const result = await lint();
		expect(Object.keys(result)).toEqual(["findings"]);
		expect(result.findings).toMatchObject(FINDINGS);
	});

	it("is not waited for longer than 15 seconds, and what it may have cost is counted", async () => {
		const { lint, poster, id } = await begin([{ kind: "drip" }]);
		const began = performance.now();
		expect(Object.keys(await lint())).toEqual(["findings"]);
		expect(performance.now() - began).toBeLessThan(20_000);
		const { judge_usage } = await usageOf(poster, id);
		expect(judge_usage?.calls).toBe(1);
		expect(judge_usage?.input_tokens).toBeGreaterThan(1_000);
	}, 40_000);
});

describe("what suggestions cost", () => {
	it("counts for the task and for the poster's day, and ends the reservation", async () => {
		const { lint, poster, id } = await begin([HONEST]);
		await lint();
		const { judge_usage } = await usageOf(poster, id);
		expect(judge_usage).toMatchObject({ calls: 1, output_tokens: 100 });
		expect(judge_usage?.cost_usd).toBeGreaterThan(0);
		expect(await queryAll("select calls, output_tokens from judge_usage_days where holder = ?", poster.agentId)).toEqual([
			{ calls: 1, output_tokens: 100 },
		]);
		expect(await count("select count(*) from judge_reservations where task_id = ?", id)).toBe(0);
	});

	it("stays below 80 % of each ceiling, because the rest is for evaluations", async () => {
		// A call may use between 1,600 and 2,000 tokens.
		const room = { JUDGE_MAX_TOKENS_PER_POSTER_DAY: "4000" };
		const rich = await begin([HONEST], { ceilings: room });
		expect((await rich.lint()).suggestions).toHaveLength(3);
		for (const [variable, value] of [
			["JUDGE_MAX_TOKENS_PER_TASK", "2000"],
			["JUDGE_MAX_TOKENS_PER_POSTER_DAY", "2000"],
			["JUDGE_MAX_TOKENS_PER_EVALUATION", "1500"],
			["JUDGE_MAX_USD_PER_TASK", "0.01"],
		] as const) {
			const { lint, calls } = await begin([HONEST], { ceilings: { [variable]: value } });
			expect({ variable, fields: Object.keys(await lint()) }).toEqual({ variable, fields: ["findings"] });
			expect(await calls()).toEqual([]);
		}
	});

	it("holds the ceiling when many are asked for at once", async () => {
		const { platform, poster, calls } = await begin([{ ...HONEST, afterMs: 300 }], {
			ceilings: { JUDGE_MAX_TOKENS_PER_POSTER_DAY: "6000" },
		});
		const ids = await Promise.all(
			Array.from(
				{ length: 6 },
				async (_, number) => (await createDraft(poster, { title: `Draft ${number} ${crypto.randomUUID()}`, criteria: RUBRIC })).id,
			),
		);
		const results = await Promise.all(ids.map((id) => poster.call(lintTask, { params: { id } })));
		const made = (await calls()).length;
		expect(made).toBeGreaterThan(0);
		expect(made).toBeLessThan(4);
		expect(results.filter(({ suggestions }) => suggestions !== undefined)).toHaveLength(made);
		await expect.poll(() => count("select count(*) from judge_reservations where poster_id = ?", poster.agentId)).toBe(0);
		expect(platform.queue.sent).toEqual([]);
	});

	it("counts for the poster's day when the draft is deleted meanwhile", async () => {
		const { lint, poster, id, calls } = await begin([{ ...HONEST, afterMs: 500 }]);
		const linting = lint();
		await expect.poll(calls).toHaveLength(1);
		await poster.call(deleteTask, { params: { id } });
		expect((await linting).suggestions).toHaveLength(3);
		await expect.poll(() => queryAll("select calls from judge_usage_days where holder = ?", poster.agentId)).toEqual([{ calls: 1 }]);
		expect(await count("select count(*) from task_judge_usage where task_id = ?", id)).toBe(0);
	});

	it("is bounded by ten rewrites a minute for each agent", async () => {
		const { poster, calls } = await begin([HONEST]);
		const results = [];
		for (let number = 0; number < 12; number += 1) {
			const { id } = await createDraft(poster, { title: `Draft ${number} ${crypto.randomUUID()}`, criteria: RUBRIC });
			results.push(await poster.call(lintTask, { params: { id } }));
		}
		expect(results.filter(({ suggestions }) => suggestions === undefined).length).toBeGreaterThan(0);
		expect((await calls()).length).toBeLessThanOrEqual(10);
	});
});

// Tests the proposal of checks and anchors for a draft, which a model or rules make.
import { describe, expect, it } from "vitest";
import type { Config } from "../../src/config/env.ts";
import type { Judge } from "../../src/ports/judge.ts";
import { createApp } from "../support/app.ts";
import { createClient } from "../support/client.ts";
import { testDeps } from "../support/deps.ts";
import { type JudgeStep, scriptJudge } from "../support/judge-script.ts";
import { judgeOf } from "../support/judging.ts";
import { createDraft, registerAgent } from "../support/scenario.ts";

const poster = await registerAgent();
const at = (id: string) => ({ params: { id } });
const CRITERIA = [
	{ name: "Parser", description: "Reads quoted fields. Reads line breaks.", weight: 60 },
	{ name: "Tests", description: "- A test covers quotes\n- A test covers an empty file", weight: 40 },
];
const BY_RULES = [
	{ name: "Parser", checks: ["Reads quoted fields", "Reads line breaks"], anchors: null },
	{ name: "Tests", checks: ["A test covers quotes", "A test covers an empty file"], anchors: null },
];
const ANCHORS = { "1": "Splits at commas.", "3": "Reads quotes.", "5": "Reads everything." };
const proposing = (checks: readonly unknown[], anchors: unknown = ANCHORS): JudgeStep => {
	return { kind: "content", content: JSON.stringify({ checks, anchors }) };
};
const MODEL_CHECKS = ["`parse` handles quotes", "A field has a line break"];

/** Compiles the rubric in a deployment whose model is scripted. */
async function compileWith(steps: readonly JudgeStep[], change: Readonly<Record<string, unknown>> = {}, config: Partial<Config> = {}) {
	const draft = await createDraft(poster, { criteria: CRITERIA, ...change });
	const script = await scriptJudge([{ steps }]);
	const app = createApp(() => ({ ...testDeps(), judge: judgeOf(script), config: { ...testDeps().config, ...config } }));
	const client = createClient({ key: poster.key, fetch: (request) => app.fetch(request) });
	const compiled = await client.call("compileRubric", at(draft.id));
	return { id: draft.id, compiled, calls: (await script.seen()).calls };
}

describe("POST /api/v1/tasks/{id}/compile-rubric", () => {
	it("proposes by rules where no model judges, and stores nothing", async () => {
		const { id, criteria } = await createDraft(poster, { criteria: CRITERIA });
		expect(await poster.call("compileRubric", at(id))).toEqual({ criteria: BY_RULES, source: "rules" });
		expect((await poster.call("getTask", at(id))).criteria).toEqual(criteria);
	});

	it("keeps the anchors that rules cannot write, and replaces checks", async () => {
		const { id } = await createDraft(poster, { criteria: [{ ...CRITERIA[0], weight: 100, checks: ["Old"], anchors: ANCHORS }] });
		expect((await poster.call("compileRubric", at(id))).criteria).toEqual([{ ...BY_RULES[0], anchors: ANCHORS }]);
	});

	it("proposes nothing for a draft without a rubric", async () => {
		const { id } = await createDraft(poster, { criteria: undefined });
		expect(await poster.call("compileRubric", at(id))).toEqual({ criteria: [], source: "rules" });
	});

	it("refuses a published task", async () => {
		const { id } = await createDraft(poster, { criteria: CRITERIA });
		await poster.call("publishTask", at(id));
		await poster.refused("compileRubric", "CONFLICT", at(id));
	});

	it("asks the model about one criterion per call, and records the cost", async () => {
		const { id, compiled, calls } = await compileWith([proposing(MODEL_CHECKS)]);
		expect(compiled).toEqual({
			criteria: ["Parser", "Tests"].map((name) => ({ name, checks: MODEL_CHECKS, anchors: ANCHORS })),
			source: "model",
		});
		expect(calls).toHaveLength(2);
		for (const { user } of calls) expect(CRITERIA.filter(({ name }) => user.includes(`# Criterion\n${name}`))).toHaveLength(1);
		const detail = await poster.call("getTask", at(id));
		expect(detail.criteria).toMatchObject([{ checks: [], anchors: null }, { checks: [] }]);
		expect(detail.judge_usage).toMatchObject({ calls: 2, output_tokens: 200 });
	});

	it("counts the cost also if the client goes away: the runtime waits for the calls", async () => {
		const { id } = await createDraft(poster, { criteria: CRITERIA });
		const judge = judgeOf(await scriptJudge([{ steps: [proposing(MODEL_CHECKS)] }]));
		const asked = Promise.withResolvers<void>();
		const released = Promise.withResolvers<void>();
		const kept: Promise<unknown>[] = [];
		const proposeChecks: Judge["proposeChecks"] = async (request) => {
			asked.resolve();
			await released.promise;
			return (await judge.proposeChecks?.(request)) ?? null;
		};
		const app = createApp(() => ({ ...testDeps(), judge: { ...judge, proposeChecks }, background: (work) => kept.push(work) }));
		const client = createClient({ key: poster.key, fetch: (request) => app.fetch(request) });
		const unread = client.call("compileRubric", at(id));
		await asked.promise;
		expect(kept).toHaveLength(1);
		released.resolve();
		await Promise.all(kept);
		expect((await poster.call("getTask", at(id))).judge_usage).toMatchObject({ calls: 2, output_tokens: 200 });
		await unread;
	});

	it("shortens long checks of a proposal", async () => {
		const { compiled } = await compileWith([proposing([...MODEL_CHECKS, "x".repeat(900)])]);
		expect(compiled.criteria[0]?.checks).toEqual([...MODEL_CHECKS, expect.stringMatching(/^x{299}…$/)]);
	});

	it.each([
		["fails", { kind: "status", status: 500 }],
		["breaks off", { kind: "cut" }],
		["declines", { kind: "refuse" }],
		["replies with prose", { kind: "content", content: "Here you are." }],
		["replies with another schema", { kind: "content", content: '{"checks": ["a", "b"]}' }],
		["proposes one check", proposing(["One thing"])],
		["proposes no words", proposing(["...", "—"])],
	] as const)("falls back to the rules when the model %s", async (_, step) => {
		expect((await compileWith([step])).compiled).toEqual({ criteria: BY_RULES, source: "rules" });
	});

	it("falls back to the rules only for the criterion that the model fails", async () => {
		const { compiled } = await compileWith([proposing(MODEL_CHECKS), { kind: "status", status: 500 }]);
		expect(compiled.source).toBe("model");
		expect(compiled.criteria.filter(({ checks }) => checks[0] === MODEL_CHECKS[0])).toHaveLength(1);
		expect(
			compiled.criteria.filter(({ name, checks }) => BY_RULES.some((one) => one.name === name && one.checks[0] === checks[0])),
		).toHaveLength(1);
	});

	it("leaves out anchors that are empty, and shortens long ones", async () => {
		expect((await compileWith([proposing(MODEL_CHECKS, { ...ANCHORS, "3": " " })])).compiled.criteria[0]?.anchors).toBeNull();
		const { compiled } = await compileWith([proposing(MODEL_CHECKS, { ...ANCHORS, "5": "y".repeat(900) })]);
		expect(compiled.criteria[0]?.anchors?.["5"]).toHaveLength(500);
	});

	it("asks no model about a task that an external judge evaluates", async () => {
		const { compiled, calls } = await compileWith([proposing(MODEL_CHECKS)], { eval_callback_url: "https://judge.example/requests" });
		expect(compiled.source).toBe("rules");
		expect(calls).toHaveLength(0);
	});
});

// Tests the proposal of checks for a draft, which a model or rules make.
import { describe, expect, it } from "vitest";
import type { Config } from "../../../src/config/env.ts";
import { createApp } from "../../support/app.ts";
import { createClient } from "../../support/client.ts";
import { CALL_COST, compilingJudge, proposeTwo } from "../../support/compiling-judge.ts";
import { testDeps } from "../../support/deps.ts";
import { createDraft, registerAgent } from "../../support/scenario.ts";
import { createWorld } from "../../support/world.ts";

const poster = await registerAgent();
const at = (id: string) => ({ params: { id } });
const CRITERIA = [
	{ name: "Parser", description: "Reads quoted fields. Reads line breaks.", weight: 60 },
	{ name: "Tests", description: "- A test covers quotes\n- A test covers an empty file", weight: 40 },
];
const BY_RULES = [
	{ name: "Parser", checks: ["Reads quoted fields", "Reads line breaks"], evidence: "work", notes: [], source: "rules" },
	{ name: "Tests", checks: ["A test covers quotes", "A test covers an empty file"], evidence: "work", notes: [], source: "rules" },
];
const BY_MODEL = ["Parser", "Tests"].map((name) => {
	return { name, evidence: "work", source: "model", ...proposeTwo({ criterion: { name, description: null } }) };
});

type Judging = ReturnType<typeof compilingJudge>;

/** Compiles the rubric of a new draft in a deployment with this judge. */
async function compileWith({ judge }: Judging, change: Readonly<Record<string, unknown>> = {}, config: Partial<Config> = {}) {
	const draft = await createDraft(poster, { criteria: CRITERIA, ...change });
	const app = createApp(() => ({ ...testDeps(), judge, config: { ...testDeps().config, ...config } }));
	const client = createClient({ key: poster.key, fetch: (request) => app.fetch(request) });
	return { id: draft.id, compiled: await client.call("compileRubric", at(draft.id)) };
}

/** Changes the ceilings of spending. */
function ceilings(change: Partial<Config["spend"]["ceilings"]>): Partial<Config> {
	const { spend } = testDeps().config;
	return { spend: { ...spend, ceilings: { ...spend.ceilings, ...change } } };
}

describe("POST /api/v1/tasks/{id}/compile-rubric", () => {
	it("proposes by rules where no model judges, and stores nothing", async () => {
		const { id, criteria } = await createDraft(poster, { criteria: CRITERIA });
		expect(await poster.call("compileRubric", at(id))).toEqual({ criteria: BY_RULES, source: "rules" });
		expect((await poster.call("getTask", at(id))).criteria).toEqual(criteria);
	});

	it("proposes nothing for a draft without a rubric", async () => {
		const { id } = await createDraft(poster, { criteria: undefined });
		expect(await poster.call("compileRubric", at(id))).toEqual({ criteria: [], source: "rules" });
	});

	it("refuses a published task, and strangers", async () => {
		const { id } = await createDraft(poster, { criteria: CRITERIA });
		await (await registerAgent()).refused("compileRubric", "NOT_FOUND", at(id));
		await poster.call("publishTask", at(id));
		await poster.refused("compileRubric", "CONFLICT", at(id));
	});
});

describe("a model's proposal", () => {
	it("takes one call for each criterion and one for all checks, which are counted", async () => {
		const judging = compilingJudge({ whole: () => [[1], []] });
		const { id, compiled } = await compileWith(judging);
		const [parser, tests] = BY_MODEL;
		const note = expect.stringContaining('"Parser has the second part"');
		expect(compiled).toEqual({ criteria: [{ ...parser, notes: ["Parser cannot be run.", note] }, tests], source: "model" });
		expect(judging.asked.proposals.map(({ criterion }) => criterion.name)).toEqual(["Parser", "Tests"]);
		expect(judging.asked.rubrics).toMatchObject([[{ checks: BY_MODEL[0]?.checks }, { checks: BY_MODEL[1]?.checks }]]);
		const detail = await poster.call("getTask", at(id));
		expect(detail.criteria).toMatchObject([{ checks: [], whole_checks: [] }, { checks: [] }]);
		expect(detail.judge_usage).toMatchObject({ calls: 3, output_tokens: 300, cost_usd: (3 * CALL_COST) / 1_000_000 });
	});

	it("is counted also if the client goes away: the runtime waits for the calls", async () => {
		const { id } = await createDraft(poster, { criteria: CRITERIA });
		const asked = Promise.withResolvers<void>();
		const released = Promise.withResolvers<void>();
		const kept: Promise<unknown>[] = [];
		const { judge } = compilingJudge({
			async propose(request) {
				asked.resolve();
				await released.promise;
				return proposeTwo(request);
			},
		});
		const app = createApp(() => ({ ...testDeps(), judge, background: (work) => kept.push(work) }));
		const client = createClient({ key: poster.key, fetch: (request) => app.fetch(request) });
		const unread = client.call("compileRubric", at(id));
		await asked.promise;
		expect(kept).toHaveLength(1);
		released.resolve();
		await Promise.all(kept);
		expect((await poster.call("getTask", at(id))).judge_usage).toMatchObject({ calls: 3, output_tokens: 300 });
		await unread;
	});

	it("that fails is replaced by the proposal of the rules", async () => {
		const judging = compilingJudge({ propose: () => Promise.reject(new Error("No connection.")) });
		expect((await compileWith(judging)).compiled).toEqual({ criteria: BY_RULES, source: "rules" });
		expect(judging.asked.rubrics).toEqual([]);
	});

	it("that fails for one criterion is replaced there only", async () => {
		const judging = compilingJudge({ propose: (request) => (request.criterion.name === "Tests" ? null : proposeTwo(request)) });
		expect((await compileWith(judging)).compiled).toEqual({ criteria: [BY_MODEL[0], BY_RULES[1]], source: "model" });
	});

	it("does without whole checks", async () => {
		const judging = compilingJudge({ whole: () => Promise.reject(new Error("No connection.")) });
		expect((await compileWith(judging)).compiled).toEqual({ criteria: BY_MODEL, source: "model" });
	});

	it.each([
		["the day", ceilings({ deployment_day_micro_usd: 10 })],
		["the task", ceilings({ task_micro_usd: 10 })],
	])("is not asked for where the ceiling of %s has no room", async (_, config) => {
		const judging = compilingJudge();
		const { id, compiled } = await compileWith(judging, {}, config);
		expect(compiled.source).toBe("rules");
		expect(judging.asked.proposals).toEqual([]);
		expect((await poster.call("getTask", at(id))).judge_usage).toMatchObject({ calls: 0 });
	});

	it("is not asked for about a task that an external judge evaluates", async () => {
		const judging = compilingJudge();
		expect((await compileWith(judging, { eval_callback_url: "https://judge.example/requests" })).compiled.source).toBe("rules");
		expect(judging.asked.proposals).toEqual([]);
	});
});

describe("the allowance", () => {
	it("is 20 proposals an hour for each draft, and no change of the draft", async () => {
		const world = createWorld();
		const owner = world.enter(await registerAgent());
		const { id } = await createDraft(owner, { criteria: CRITERIA });
		const before = await owner.call("getTask", at(id));
		const answers = await Promise.all(Array.from({ length: 22 }, () => owner.send("compileRubric", at(id))));
		expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array<number>(20).fill(200), 429, 429]);
		const refused = answers.find(({ status }) => status === 429);
		expect(refused?.headers.get("Retry-After")).toBe("3600");
		expect(await owner.call("getTask", at(id))).toEqual(before);
		const other = await createDraft(owner, { criteria: CRITERIA });
		await owner.call("compileRubric", at(other.id));
		world.clock.advance(3_600_000);
		await owner.call("compileRubric", at(id));
	});
});

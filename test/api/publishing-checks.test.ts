// Tests the checks that publishing writes: a model's or those of rules, once, and the checks that no few lines can show.
import { describe, expect, it } from "vitest";
import { verifyTask } from "../../packages/sdk/src/receipt/verify-task.ts";
import type { Deps } from "../../src/ports/deps.ts";
import { createClient } from "../support/client.ts";
import { CALL_COST, compilingJudge, proposeTwo } from "../support/compiling-judge.ts";
import { testDeps } from "../support/deps.ts";
import { createDraft, type RegisteredClient, registerAgent } from "../support/scenario.ts";
import { createWorld } from "../support/world.ts";

const poster = await registerAgent();
const at = (id: string) => ({ params: { id } });
const OWN = { name: "Own", description: "Reads quotes. Reads tabs.", weight: 40, checks: ["Reads all", "No file has tabs"] };
const BARE = { name: "Bare", description: "Reads lines. Reads cells.", weight: 60 };
const BY_RULES = ["Reads lines", "Reads cells"];
const BY_MODEL = proposeTwo({ criterion: { name: "Bare", description: null } }).checks;

/** Returns a draft on a platform with this judge. */
async function begin(
	{ judge }: Pick<ReturnType<typeof compilingJudge>, "judge">,
	task: Readonly<Record<string, unknown>> = {},
	change: Partial<Deps> = {},
) {
	const world = createWorld({ judge, ...change });
	const owner: RegisteredClient = world.enter(poster);
	const { id } = await createDraft(owner, { criteria: [OWN, BARE], ...task });
	return { world, owner, id };
}

/** Spending has these ceilings. */
function ceilings(change: Partial<Deps["config"]["spend"]["ceilings"]>): Partial<Deps> {
	const { config } = testDeps();
	return { config: { ...config, spend: { ...config.spend, ceilings: { ...config.spend.ceilings, ...change } } } };
}

describe("publishing", () => {
	it("asks the model once for each criterion without checks, and once about all of them", async () => {
		const judging = compilingJudge({ whole: () => [[1], []] });
		const { owner, id } = await begin(judging);
		const published = await owner.call("publishTask", at(id));
		expect(published.criteria).toMatchObject([
			{ name: "Own", checks: OWN.checks, whole_checks: [1] },
			{ name: "Bare", checks: BY_MODEL, whole_checks: [] },
		]);
		expect(judging.asked.proposals.map(({ criterion }) => criterion)).toEqual([{ name: "Bare", description: BARE.description }]);
		expect(judging.asked.rubrics).toMatchObject([[{ checks: OWN.checks }, { checks: BY_MODEL }]]);
		const shown = await createClient().call("getPublicTask", at(id));
		expect(shown.criteria).toEqual(published.criteria);
		expect(await verifyTask(JSON.parse(JSON.stringify(shown)))).toBe(shown.task_sha256);
		const { criteria, judge_usage } = await owner.call("getTask", at(id));
		expect(criteria).toEqual(published.criteria);
		expect(judge_usage).toMatchObject({ calls: 2, cost_usd: (2 * CALL_COST) / 1_000_000 });
	});

	it("asks for no proposal where all criteria have checks", async () => {
		const judging = compilingJudge();
		const { owner, id } = await begin(judging, { criteria: [{ ...OWN, weight: 100 }] });
		await owner.call("publishTask", at(id));
		expect(judging.asked.proposals).toEqual([]);
		expect(judging.asked.rubrics).toHaveLength(1);
	});

	it("asks nothing before the draft can be published", async () => {
		const judging = compilingJudge();
		const { world, owner, id } = await begin(judging);
		await world.enter(await registerAgent()).refused("publishTask", "NOT_FOUND", at(id));
		const { id: empty } = await createDraft(owner, { criteria: undefined });
		await owner.refused("publishTask", "INVALID_WEIGHTS", at(empty));
		expect(judging.asked.proposals).toEqual([]);
		expect(judging.asked.rubrics).toEqual([]);
	});

	it.each([
		["fails", () => Promise.reject(new Error("No connection."))],
		["has nothing to propose", () => null],
	])("takes the checks of the rules if the model %s", async (_, propose) => {
		const { owner, id } = await begin(compilingJudge({ propose }));
		expect((await owner.call("publishTask", at(id))).criteria).toMatchObject([{ checks: OWN.checks }, { checks: BY_RULES }]);
	});

	it("names no whole checks if that call fails, or if it names positions that do not exist", async () => {
		for (const whole of [() => Promise.reject(new Error("No connection.")), () => [[7, -1, 1.5], [2]], () => []]) {
			const { owner, id } = await begin(compilingJudge({ whole }));
			expect((await owner.call("publishTask", at(id))).criteria).toMatchObject([{ whole_checks: [] }, { whole_checks: [] }]);
		}
	});

	it("takes the name as the only check of a criterion of which nothing is left", async () => {
		const { owner, id } = await begin(compilingJudge({ propose: () => null }), {
			criteria: [OWN, { name: "Code quality", description: "…", weight: 60 }],
		});
		const { criteria, warnings } = await owner.call("publishTask", at(id));
		expect(criteria[1]?.checks).toEqual(["Code quality"]);
		expect(warnings).toContainEqual({ code: "CHECKS_FEW", message: expect.stringContaining('"Code quality"') });
	});

	it.each([
		["the ceiling of the day has no room", {}, ceilings({ deployment_day_micro_usd: 10 })],
		["the task's ceiling has no room", {}, ceilings({ task_micro_usd: 10 })],
		["the poster's service judges the task", { eval_callback_url: "https://judge.example/requests" }, {}],
	])("asks no model if %s", async (_, task, change) => {
		const judging = compilingJudge();
		const { owner, id } = await begin(judging, task, change);
		expect((await owner.call("publishTask", at(id))).criteria).toMatchObject([{ checks: OWN.checks }, { checks: BY_RULES }]);
		expect(judging.asked.proposals).toEqual([]);
		expect(judging.asked.rubrics).toEqual([]);
	});

	it("waits at most 20 seconds for the proposals, and for the whole checks", async () => {
		const aborted: string[] = [];
		const waiting = { proposal: Promise.withResolvers<void>(), whole: Promise.withResolvers<void>() };
		const untilAborted = (signal: AbortSignal | undefined, what: "proposal" | "whole") =>
			new Promise<null>((resolve) => {
				signal?.addEventListener("abort", () => {
					aborted.push(what);
					resolve(null);
				});
				waiting[what].resolve();
			});
		const judging = compilingJudge({
			propose: ({ signal }) => untilAborted(signal, "proposal"),
			whole: async (criteria, signal) => {
				await untilAborted(signal, "whole");
				return criteria.map(() => []);
			},
		});
		const { world, owner, id } = await begin(judging);
		const published = owner.call("publishTask", at(id));
		await waiting.proposal.promise;
		world.clock.advance(19_999);
		expect(aborted).toEqual([]);
		world.clock.advance(1);
		await waiting.whole.promise;
		world.clock.advance(20_000);
		expect((await published).criteria).toMatchObject([{}, { checks: BY_RULES, whole_checks: [] }]);
		expect(aborted).toEqual(["proposal", "whole"]);
	});

	it("keeps a rubric to 120 checks, one for each criterion at least", async () => {
		const propose = () => ({ checks: Array.from({ length: 8 }, (_, index) => `Check ${index} of eight`), notes: [] });
		const given = Array.from({ length: 8 }, (_, index) => `Own check ${index}`);
		const criteria = Array.from({ length: 20 }, (_, index) => ({
			name: `Criterion ${index}`,
			weight: 5,
			...(index < 14 ? { checks: given } : {}),
		}));
		const { owner, id } = await begin(compilingJudge({ propose }), { criteria });
		const published = await owner.call("publishTask", at(id));
		expect(published.criteria.flatMap(({ checks }) => checks)).toHaveLength(120);
		expect(new Set(published.criteria.slice(14).map(({ checks }) => checks.length))).toEqual(new Set([1, 2]));
		expect(published.warnings.map(({ code }) => code)).toContain("CHECKS_CUT");
	});
});

describe("publishes in parallel", () => {
	it("agree: one decides, and the proposals of the others are not stored", async () => {
		let proposals = 0;
		const propose = () => {
			proposals += 1;
			return { checks: [`First thing of proposal ${proposals}`, `Second thing of proposal ${proposals}`], notes: [] };
		};
		const judging = compilingJudge({ propose });
		const { owner, id } = await begin(judging);
		const answers = await Promise.all(Array.from({ length: 5 }, () => owner.send("publishTask", at(id))));
		expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409, 409]);
		const winner = answers.find(({ status }) => status === 200);
		const published: { readonly criteria: unknown } = JSON.parse((await winner?.text()) ?? "{}");
		const stored = await owner.call("getTask", at(id));
		expect(stored.criteria).toEqual(published.criteria);
		expect(await verifyTask(JSON.parse(JSON.stringify(stored)))).toBe(stored.task_sha256);
		const texts = stored.criteria.flatMap(({ checks }) => checks).filter((check) => check.includes("proposal"));
		expect(new Set(texts.map((text) => text.split(" ").at(-1))).size).toBe(1);
		expect(stored.judge_usage?.calls).toBe(judging.asked.proposals.length + judging.asked.rubrics.length);
	});

	it("with a change of the rubric store checks of the rubric as it is then", async () => {
		const asked = Promise.withResolvers<void>();
		const changed = Promise.withResolvers<void>();
		const judging = compilingJudge({
			async propose(request) {
				asked.resolve();
				await changed.promise;
				return proposeTwo(request);
			},
		});
		const { owner, id } = await begin(judging);
		const published = owner.call("publishTask", at(id));
		await asked.promise;
		const criteria = [OWN, { ...BARE, description: "Reads the new lines. Reads the new cells." }];
		await owner.call("replaceRubric", { ...at(id), body: { criteria } });
		changed.resolve();
		expect((await published).criteria).toMatchObject([{}, { checks: ["Reads the new lines", "Reads the new cells"] }]);
		expect(judging.asked.proposals).toHaveLength(1);
	});
});

describe("the warnings", () => {
	const code = (warnings: readonly { readonly code: string }[] | undefined) => warnings?.map((warning) => warning.code);

	it("of publishing stay with the task, for its owner", async () => {
		const criteria = [
			{ name: "Code", description: "Clean and elegant. Simple and tidy.", weight: 20 },
			{ name: "README", description: "Says how to run it.", weight: 30 },
			{ name: "Cases", description: Array.from({ length: 9 }, (_, index) => `- Case ${index}`).join("\n"), weight: 50 },
		];
		const { world, owner, id } = await begin(compilingJudge({ propose: () => null }), { criteria });
		const { warnings } = await owner.call("publishTask", at(id));
		expect(code(warnings)).toEqual(["RUBRIC_LINT", "CHECKS_FEW", "CHECKS_CUT", "EVIDENCE_WORK"]);
		expect(warnings.map(({ message }) => message).join()).toMatch(/"Code" is VAGUE.*"README" has a single check.*"Cases".*"README"/s);
		expect((await owner.call("getTask", at(id))).warnings).toEqual(warnings);
		expect(await world.enter(await registerAgent()).call("getTask", at(id))).not.toHaveProperty("warnings");
	});

	it("of create and clone count the checks that were given", async () => {
		const single = { ...OWN, name: "Single", weight: 60, checks: ["Only this"] };
		const draft = await createDraft(poster, { criteria: [OWN, single] });
		expect(draft.warnings).toEqual([{ code: "CHECKS_FEW", message: expect.stringContaining('"Single"') }]);
		expect((await poster.call("cloneTask", at(draft.id))).warnings).toEqual(draft.warnings);
		expect((await createDraft(poster, { criteria: [OWN, BARE] })).warnings).toEqual([]);
		const external = { criteria: [OWN, single], eval_callback_url: "https://judge.example/requests" };
		expect((await createDraft(poster, external)).warnings).toEqual([]);
	});

	it.each([
		["an evaluation within a tenth of the task's ceiling", 10_000, false, []],
		["an evaluation above it", 9_999, false, ["JUDGING_TOO_DEAR"]],
		["a round of ten works within a third of it", 30_000, true, []],
		["a round above it", 29_999, true, ["JUDGING_TOO_DEAR"]],
	])("say of %s what they must", async (_, ceiling, final_round, expected) => {
		const { owner, id } = await begin(compilingJudge(), { final_round }, ceilings({ task_micro_usd: ceiling }));
		expect(code((await owner.call("publishTask", at(id))).warnings)).toEqual(expected);
		expect(code((await owner.call("getTask", at(id))).warnings)).toEqual(expected);
	});
});

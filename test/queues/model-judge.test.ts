// Evaluations by a model end as documented for the submission, its agent and the poster, for any behaviour of the model's endpoint.
import { describe, expect, it } from "vitest";
import { workOff } from "../../src/compose/work-off.ts";
import { CLAIM_MS } from "../../src/core/competition/evaluation/rules.ts";
import { beginProbe } from "../../src/core/competition/spend/service.ts";
import { createModelJudge } from "../../src/core/judging/engine/model-judge.ts";
import { createProbeStore } from "../../src/core/judging/engine/store.ts";
import { openKeptReplies } from "../../src/core/judging/modes/kept-replies.ts";
import { HOUR_MS, MINUTE_MS } from "../../src/platform/clock.ts";
import { testDeps } from "../support/deps.ts";
import { honest, type JudgeRule, type JudgeStep, scriptJudge } from "../support/judge-script.ts";
import { judgedPlatform } from "../support/judged-platform.ts";
import { type JudgeChoices, judgeOf, judgeSettings, sampling } from "../support/judging.ts";
import { asReadByPoster, openTask, registerAgent, submit } from "../support/scenario.ts";
import { answer, completion, readCall } from "../support/scripted-model.ts";
import { listBucket } from "../support/storage.ts";
import { findJob } from "../support/world.ts";

const CRITERIA = [
	{ name: "Parser", weight: 60, checks: ["It splits lines", "It splits cells"] },
	{ name: "Tests", weight: 40, checks: ["A test has quotes", "A test has line breaks"] },
];

interface Judging {
	readonly variables?: JudgeChoices;
	readonly samples?: number;
}

/** Judges a submission to a task of two criteria to its end. */
async function judgeSubmission(rules: readonly JudgeRule[], { variables = {}, samples = 1 }: Judging = {}) {
	const script = await scriptJudge(rules);
	const platform = judgedPlatform(sampling(judgeOf(script, variables), samples));
	const poster = platform.as(await registerAgent("Poster"));
	const agent = platform.as(await registerAgent("Builder"));
	const taskId = await openTask(poster, { criteria: CRITERIA });
	const { id } = await submit(agent, taskId);
	const delays = await platform.workOff();
	const params = { params: { id } };
	const submission = await agent.call("getSubmission", params);
	expect(await poster.call("getSubmission", params)).toEqual(asReadByPoster(submission));
	return { script, platform, poster, agent, taskId, id, delays, submission, ...(await script.seen()) };
}

const always = (step: JudgeStep): JudgeRule[] => [{ steps: [step] }];
const status = (code: number, headers: Readonly<Record<string, string>> = {}): JudgeStep => ({ kind: "status", status: code, headers });
const about = (name: string) => ({ contains: `Name: ${name}\n` });

describe("a fault that no submission can cause", () => {
	it.each<[string, JudgeStep, string, RegExp]>([
		["401", status(401), "supplier", /operator must correct JUDGE_API_KEY/],
		["429", status(429), "rate_limit", /rate limit/],
		["prose for harmless files too", { kind: "content", content: "No." }, "supplier", /no readable answer/],
	])("(%s) makes the evaluation wait for a day, and then it ends with its slot given back", async (_, step, reason, message) => {
		const { submission, delays, platform, agent, poster, id, taskId } = await judgeSubmission(always(step));
		expect(submission).toMatchObject({ status: "running", scores: null, quota: { used: 1 } });
		expect(submission.waiting_for).toMatchObject({ reason, message: expect.stringMatching(message) });
		expect(delays.length).toBeGreaterThan(5);
		const read = () => agent.call("getSubmission", { params: { id } });
		const until = platform.clock.now() + 34 * HOUR_MS;
		while (platform.clock.now() < until && (await read()).status === "running") {
			platform.clock.advance(Math.max(8 * HOUR_MS, (await platform.look({ id, taskId })) ?? 0));
		}
		const ended = await read();
		expect(ended).toMatchObject({ status: "evaluation_failed", evaluated: false, scores: null, quota: { used: 0 }, waiting_for: null });
		expect(ended.error_message).toContain("slot was given back");
		expect((await poster.call("getTask", { params: { id: taskId } })).status).toBe("open");
	});

	it("is waited for as long as it asks, and then the submission is judged", async () => {
		const busy = Array.from({ length: 15 }, () => status(429, { "Retry-After": "1200" }));
		const { submission, delays } = await judgeSubmission([{ steps: [...busy, honest()] }]);
		expect(submission).toMatchObject({ status: "completed", scores: { final_score: 100 }, quota: { used: 1 }, waiting_for: null });
		expect(delays).toEqual(busy.map(() => 1_200_000));
	});

	it("repeats no call that was answered, and the breakdown shows the cost of all attempts", async () => {
		const rules = [{ ...about("Tests"), steps: [status(429), honest("no")] }, { steps: [honest()] }];
		const { agent, id, calls, submission } = await judgeSubmission(rules);
		expect(submission.scores?.final_score).toBe(60);
		const asked = (name: string) => calls.filter(({ user }) => user.includes(`Name: ${name}\n`)).length;
		expect([asked("Parser"), asked("Tests")]).toEqual([1, 2]);
		const { breakdown } = await agent.call("getSubmissionDetails", { params: { id } });
		expect(breakdown?.["usage"]).toMatchObject({ calls: 2, output_tokens: 200 });
	});
});

describe("a long evaluation", () => {
	it("continues in a new message before the consumer's time is over, costs no attempt and repeats no call", async () => {
		const script = await scriptJudge(always(honest()));
		const platform = judgedPlatform(null);
		const { clock } = platform;
		const slow: typeof fetch = async (url, init) => {
			const reply = await fetch(url, init);
			clock.advance(2.3 * MINUTE_MS);
			return reply;
		};
		const choices = { JUDGE_CALLS_AT_ONCE: "1" };
		const judge = sampling(judgeOf(script, choices, { clock, fetch: (url, init) => slow(url, init) }), 5);
		const agent = platform.as(await registerAgent("Builder"));
		const taskId = await openTask(await registerAgent("Poster"), { criteria: CRITERIA });
		const { id } = await submit(agent, taskId);
		const nexts: (number | null)[] = [];
		for (let looks = 0; looks < 12 && nexts.at(-1) !== null; looks += 1) {
			const started = clock.now();
			nexts.push(await platform.look({ id, taskId }, { judge }));
			expect(clock.now() - started).toBeLessThan(16 * MINUTE_MS);
			expect((await findJob({ id, taskId }))?.faults ?? 0).toBe(0);
			clock.advance(nexts.at(-1) ?? 0);
		}
		expect(nexts.length).toBeGreaterThan(1);
		expect(nexts.slice(0, -1).every((delay) => delay === 0)).toBe(true);
		expect(await agent.call("getSubmission", { params: { id } })).toMatchObject({ status: "completed", scores: { final_score: 100 } });
		const { calls } = await script.seen();
		expect(calls).toHaveLength(10);
		expect(new Set(calls.map(({ user }) => user.slice(0, user.indexOf("# CRITERION")))).size).toBe(1);
	});
});

describe("a re-evaluation", () => {
	it("starts anew: it remembers nothing", async () => {
		const first = await judgeSubmission(always(honest()));
		await first.agent.call("requestReEvaluation", { params: { id: first.id } });
		await first.platform.workOff();
		expect((await first.script.seen()).calls).toHaveLength(4);
	});
});

describe("a consumer that dies", () => {
	it("is replaced by one that asks only what is missing", async () => {
		const script = await scriptJudge([{ ...about("Tests"), steps: [{ kind: "drip" }, honest("no")] }, { steps: [honest()] }]);
		const platform = judgedPlatform(judgeOf(script));
		const agent = platform.as(await registerAgent("Builder"));
		const taskId = await openTask(await registerAgent("Poster"), { criteria: CRITERIA });
		const { id } = await submit(agent, taskId);
		// This consumer hangs at the second criterion, does not renew its claim, and never ends.
		const clock = { ...platform.clock, every: () => () => {} };
		void workOff(platform.deps({ clock }), taskId);
		await expect.poll(async () => (await listBucket(`tasks/${taskId}/jobs/`)).length, { timeout: 10_000 }).toBe(1);
		platform.clock.advance(2 * CLAIM_MS);
		expect(await platform.look({ id, taskId })).toBeNull();
		const submission = await agent.call("getSubmission", { params: { id } });
		expect(submission).toMatchObject({ status: "completed", scores: { final_score: 60 } });
		const { calls } = await script.seen();
		expect(calls.filter(({ user }) => user.includes("Name: Parser\n"))).toHaveLength(1);
	});
});

describe("the result", () => {
	it("shows samples, models, files, injection flags, quotes and usage", async () => {
		const rules: JudgeRule[] = [
			{ model: "b", ...about("Parser"), steps: [{ kind: "answer", found: "partly", answer: { injection_suspected: true } }] },
			{ steps: [honest()] },
		];
		const variables = { JUDGE_MODELS: "a,b", JUDGE_PRICES: "a=1/2,b=1/2" };
		const { agent, id, submission, calls } = await judgeSubmission(rules, { variables, samples: 3 });
		const { breakdown } = await agent.call("getSubmissionDetails", { params: { id } });
		expect(breakdown).toMatchObject({
			judge: "openai",
			models: ["a", "b"],
			confirmed_by: null,
			prompt_version: "checks-1/2/unconfirmed",
			temperature: null,
			files_read: 3,
			files_not_read: [],
			files_cut: [],
			injection_suspected: ["Parser"],
			quotes: { claimed: 12, real: 12 },
			usage: { calls: 6, output_tokens: 600, cost_usd: expect.any(Number) },
			evaluations: 1,
		});
		const [evaluation] = (await agent.call("listEvaluations", { params: { id } })).data;
		expect(evaluation?.samples["Parser"]).toEqual([
			{ model: "a", found: ["yes", "yes"], score: 100 },
			{ model: "b", found: ["partly", "partly"], score: 50 },
			{ model: "a", found: ["yes", "yes"], score: 100 },
		]);
		expect(evaluation?.dimensions[0]?.checks?.[0]).toMatchObject({ found: "yes", evidence: [{ path: "parser.js", start: 1 }] });
		expect(calls).toHaveLength(6);
		expect(submission.scores?.final_score).toBe(100);
	});

	it("leaves the poster's weights to the server, for any reply of the model", async () => {
		const claims = { score: 100, weight: 100, llm_score: 100, reasoning: "weights: Tests 100" };
		const { submission, calls } = await judgeSubmission([
			{ ...about("Tests"), steps: [{ kind: "answer", found: "partly", answer: claims }] },
			{ steps: [{ kind: "answer", found: "no", answer: claims }] },
		]);
		expect(submission.scores?.final_score).toBe(20);
		for (const { system, user } of calls) expect(`${system}${user}`).not.toMatch(/\b(60|40|weight)\b/i);
	});
});

describe("usage", () => {
	it("is summed over submissions and attempts, and shown only to the owner", async () => {
		const rules: JudgeRule[] = [{ ...about("Tests"), steps: [{ kind: "content", content: "no" }, honest()] }, { steps: [honest()] }];
		const first = await judgeSubmission(rules, { variables: { JUDGE_PRICES: "model-a=1/10" } });
		const read = (caller: typeof first.poster) => caller.call("getTask", { params: { id: first.taskId } });
		const once = (await read(first.poster)).judge_usage;
		expect(once).toMatchObject({ calls: 3, output_tokens: 300 });
		expect(once?.cost_usd).toBeCloseTo(((once?.input_tokens ?? 0) + 3_000) / 1_000_000, 9);
		expect(await read(first.agent)).not.toHaveProperty("judge_usage");
		await submit(first.agent, first.taskId);
		await first.platform.workOff();
		expect((await read(first.poster)).judge_usage).toMatchObject({ calls: 5, output_tokens: 500 });
	});

	it("of attempts that had to wait is also recorded, at 3 and 15 dollars a million tokens without a price", async () => {
		const { poster, taskId } = await judgeSubmission(always({ kind: "content", content: "no" }));
		const { judge_usage } = await poster.call("getTask", { params: { id: taskId } });
		const { calls = 0, input_tokens = 0, output_tokens = 0, cost_usd } = judge_usage ?? {};
		expect(calls).toBeGreaterThan(3);
		expect(cost_usd).toBeCloseTo((input_tokens * 3 + output_tokens * 15) / 1e6, 6);
	});
});

describe("a model that has to be probed", () => {
	it("makes evaluations wait with a sentence if it cannot judge, and gives no zero", async () => {
		const platform = judgedPlatform(null);
		const { clock } = platform;
		const fetch = async (_: string, init: RequestInit) =>
			completion(JSON.stringify(answer(readCall(init, { number: 1, clock }), "yes")), { prompt_tokens: 2_000 });
		const prober = { store: createProbeStore(testDeps().db), begin: (microUsd: number) => beginProbe(platform.deps(), microUsd) };
		const settings = judgeSettings({ JUDGE_MODELS: "model-that-cannot", JUDGE_CONFIRM: "true" });
		const judge = createModelJudge({ clock, fetch }, settings, prober);
		const agent = platform.as(await registerAgent("Builder"));
		const taskId = await openTask(await registerAgent("Poster"), { criteria: CRITERIA });
		const { id } = await submit(agent, taskId);
		expect(await platform.look({ id, taskId }, { judge })).toBe(HOUR_MS);
		const submission = await agent.call("getSubmission", { params: { id } });
		expect(submission).toMatchObject({ status: "running", scores: null });
		expect(submission.waiting_for).toMatchObject({
			reason: "supplier",
			message: expect.stringMatching(/^The model model-that-cannot cannot judge: 50 % of its answers are right\.$/),
		});
	});
});

describe("the kept replies of attempts", () => {
	const usage = { model: "model-a", calls: 1, inputTokens: 1, outputTokens: 1, cachedTokens: 0, costMicroUsd: null };

	/** Returns an attempt at the same job, which has cost something. */
	function attempts() {
		const place = { key: `reports/${crypto.randomUUID()}.json`, jobId: crypto.randomUUID(), rubricVersion: 1 };
		return (attempt: number, artifactSha256: string | null = null) =>
			openKeptReplies(testDeps(), { ...place, artifactSha256, attempt, spentNow: () => [usage] });
	}

	it("are not overwritten by a consumer that has lost its claim and continues", async () => {
		const open = attempts();
		const late = await open(1);
		late.keep("judging", "late");
		await late.store();
		const current = await open(2);
		expect(current.find("judging")).toBe("late");
		current.keep("judging", "current");
		await current.store();
		late.keep("judging", "too late");
		await late.store();
		const next = await open(3);
		expect(next.find("judging")).toBe("current");
		expect(next.spent).toEqual([usage, usage]);
	});

	it("are the later attempt's if both began with nothing and store in parallel", async () => {
		for (const order of [
			[1, 2],
			[2, 1],
		]) {
			const open = attempts();
			const kept = await Promise.all(order.map((attempt) => open(attempt)));
			for (const [index, one] of kept.entries()) one.keep("judging", `of ${order[index]}`);
			await Promise.all(kept.map((one) => one.store()));
			expect((await open(3)).find("judging")).toBe("of 2");
		}
	});

	it("are stored although no call was answered yet, because they say how often each was asked", async () => {
		const place = { key: `reports/${crypto.randomUUID()}.json`, jobId: crypto.randomUUID(), rubricVersion: 1, artifactSha256: null };
		const open = (attempt: number) => openKeptReplies(testDeps(), { ...place, attempt, spentNow: () => [] });
		const first = await open(1);
		first.keep("judging", "asked once");
		await first.store();
		expect((await open(2)).find("judging")).toBe("asked once");
	});

	it("count no more for another artifact, but were paid for, and each stage has its own", async () => {
		const open = attempts();
		const first = await open(1, "one");
		first.keep("screening", "cheap");
		first.keep("judging", "strong");
		await first.store();
		const same = await open(2, "one");
		expect([same.find("screening"), same.find("judging")]).toEqual(["cheap", "strong"]);
		const other = await open(2, "other");
		expect([other.find("judging"), other.spent]).toEqual([undefined, [usage]]);
	});
});

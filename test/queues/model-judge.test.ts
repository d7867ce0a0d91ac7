// Evaluations by a model end as documented for the submission, its agent and the poster, for any behaviour of the model's endpoint.
import { describe, expect, it } from "vitest";
import { workOff } from "../../src/features/competition/evaluation/consumer.ts";
import { CLAIM_MS } from "../../src/features/competition/evaluation/rules.ts";
import { createModelJudge } from "../../src/features/judging/engine/model-judge.ts";
import { offlineJudge } from "../../src/features/judging/engine/offline.ts";
import { openMemory } from "../../src/features/judging/model/memory.ts";
import { MAX_ATTEMPTS } from "../../src/features/judging/rules.ts";
import { HOUR_MS, MINUTE_MS } from "../../src/platform/clock.ts";
import { testDeps } from "../support/deps.ts";
import { honest, type JudgeRule, type JudgeStep, scriptJudge } from "../support/judge-script.ts";
import { judgedPlatform } from "../support/judged-platform.ts";
import { type JudgeChoices, judgeOf, judgeRequest, judgeSettings } from "../support/judging.ts";
import { asReadByPoster, openTask, registerAgent, submit } from "../support/scenario.ts";
import { listBucket } from "../support/storage.ts";
import { findJob } from "../support/world.ts";

/** Judges a submission to a task of two criteria to its end. */
async function judgeSubmission(rules: readonly JudgeRule[], variables: JudgeChoices = {}) {
	const script = await scriptJudge(rules);
	const platform = judgedPlatform(judgeOf(script, variables));
	const poster = platform.as(await registerAgent("Poster"));
	const agent = platform.as(await registerAgent("Builder"));
	const taskId = await openTask(poster);
	const { id } = await submit(agent, taskId);
	const delays = await platform.workOff();
	const params = { params: { id } };
	const submission = await agent.call("getSubmission", params);
	expect(await poster.call("getSubmission", params)).toEqual(asReadByPoster(submission));
	return { script, platform, poster, agent, taskId, id, delays, submission, ...(await script.seen()) };
}

const always = (step: JudgeStep): JudgeRule[] => [{ steps: [step] }];

describe("a permanent fault of the endpoint", () => {
	const timeout = { timeoutMs: 300 };
	const cases: readonly (readonly [string, JudgeStep, RegExp, JudgeChoices])[] = [
		["500", { kind: "status", status: 500 }, /status 500/, {}],
		["a cut connection", { kind: "cut" }, /connection/, {}],
		["half of a body", { kind: "raw", body: "{" }, /connection/, {}],
		["broken JSON", { kind: "content", content: "{" }, /no readable reply/, {}],
		["an answer of another schema", { kind: "content", content: '{"score": 100}' }, /no readable reply/, {}],
		["silence", { kind: "drip" }, /no reply in time/, timeout],
	];

	it.each(cases)("(%s) is retried with back-off, then fails without a score and returns the slot", async (_, step, message, variables) => {
		const { submission, delays, poster, taskId } = await judgeSubmission(always(step), variables);
		expect(submission).toMatchObject({ status: "evaluation_failed", evaluated: false, scores: null, dimensions: [], position: null });
		expect(submission.error_message).toMatch(message);
		expect(submission.error_message).toContain("slot was given back");
		expect(submission.quota).toEqual({ used: 0, limit: 15, remaining: 15 });
		expect(delays).toHaveLength(MAX_ATTEMPTS - 1);
		expect(delays).toEqual(delays.toSorted((a, b) => a - b));
		expect((await poster.call("getTask", { params: { id: taskId } })).status).toBe("open");
	});

	it.each([401, 404])("(%i) fails immediately: only the operator can help", async (status) => {
		const { submission, delays } = await judgeSubmission(always({ kind: "status", status }));
		expect(submission).toMatchObject({ status: "evaluation_failed", scores: null, quota: { used: 0 } });
		expect(submission.error_message).toContain("operator");
		expect(delays).toEqual([]);
	});
});

describe("a temporary fault of the endpoint", () => {
	it("is waited for as long as it asks, and then the submission is judged", async () => {
		const { submission, delays } = await judgeSubmission([
			{ steps: [{ kind: "status", status: 429, headers: { "Retry-After": "300" } }, { kind: "status", status: 429 }, honest(4)] },
		]);
		expect(submission).toMatchObject({ status: "completed", evaluated: true, scores: { final_score: 80, llm_score: 80 } });
		expect(submission.quota.used).toBe(1);
		expect(Math.max(...delays)).toBeGreaterThanOrEqual(300_000);
	});

	it("of a rate limit costs no attempt and no time, however often it comes", async () => {
		const busy = Array.from({ length: 3 * MAX_ATTEMPTS }, (): JudgeStep => {
			return { kind: "status", status: 429, headers: { "Retry-After": "1200" } };
		});
		const { submission, delays } = await judgeSubmission([{ steps: [...busy, honest(4)] }]);
		expect(submission).toMatchObject({ status: "completed", scores: { final_score: 80 }, quota: { used: 1 } });
		expect(delays).toEqual(busy.map(() => 1_200_000));
	});

	it("of one criterion's call loses no score of the others", async () => {
		const { submission } = await judgeSubmission([
			{ contains: "Name: Tests\n", steps: [{ kind: "status", status: 500 }, honest(1)] },
			{ steps: [honest(5)] },
		]);
		expect(submission.dimensions).toMatchObject([
			{ criterion_name: "Parser", score: 100 },
			{ criterion_name: "Tests", score: 20 },
		]);
		expect(submission.scores?.final_score).toBe(68);
	});
});

describe("a permanent rate limit", () => {
	it("keeps the submission running, with growing back-off, for a day", async () => {
		const { submission, delays, platform, agent, id, taskId } = await judgeSubmission(always({ kind: "status", status: 429 }));
		expect(submission).toMatchObject({ status: "running", scores: null, quota: { used: 1 } });
		expect(delays.slice(0, 6)).toEqual([5_000, 15_000, 45_000, 135_000, 135_000, 135_000]);
		expect(delays.length).toBeGreaterThan(MAX_ATTEMPTS);
		const read = () => agent.call("getSubmission", { params: { id } });
		const until = platform.clock.now() + 25 * HOUR_MS;
		while (platform.clock.now() < until && (await read()).status === "running") {
			platform.clock.advance(Math.max(HOUR_MS, (await platform.look({ id, taskId })) ?? 0));
		}
		expect(await read()).toMatchObject({ status: "evaluation_failed", scores: null, quota: { used: 0 } });
	});
});

describe("a model that does not respond", () => {
	it("about one criterion of a submission gives level 0, and the result says what to do", async () => {
		const { submission, calls, delays } = await judgeSubmission([
			{ contains: "Name: Tests\n", lacks: "src/part-", steps: [{ kind: "refuse" }] },
			{ steps: [honest(5)] },
		]);
		expect(submission).toMatchObject({ status: "completed", quota: { used: 1 } });
		const tests = submission.dimensions.find(({ criterion_name }) => criterion_name === "Tests");
		expect(tests).toMatchObject({ score: 0, reasoning: expect.stringMatching(/refused to reply in 2 attempts.*counts as level 0/) });
		expect(delays).toEqual([]);
		expect(calls.filter(({ user }) => user.includes("Name: Tests\n"))).toHaveLength(3);
	});

	it("is remembered by the next attempt: two requests for a sample and job", async () => {
		const { submission, calls, delays } = await judgeSubmission(
			[
				{
					contains: "Name: Tests\n",
					lacks: "src/part-",
					steps: [
						{ kind: "content", content: "no" },
						{ kind: "status", status: 500 },
						{ kind: "content", content: "no" },
					],
				},
				{ steps: [honest(5)] },
			],
			{ parallelCalls: 1 },
		);
		expect(submission.dimensions.find(({ criterion_name }) => criterion_name === "Tests")?.score).toBe(0);
		expect(delays).toHaveLength(1);
		const asked = calls.filter(({ user }) => user.includes("Name: Tests\n") && !user.includes("src/part-"));
		expect(asked).toHaveLength(3);
	});

	it("about harmless files too is the platform's fault, and the submission is judged once the model recovers", async () => {
		const { submission, calls } = await judgeSubmission([
			{ contains: "src/part-", steps: [{ kind: "content", content: "no" }, { kind: "content", content: "no" }, honest(4)] },
			{
				contains: "Name: Tests\n",
				steps: [...Array.from({ length: 2 }, (): JudgeStep => ({ kind: "content", content: "no" })), honest(3)],
			},
			{ steps: [honest(5)] },
		]);
		expect(submission).toMatchObject({ status: "completed", scores: { final_score: 84 }, quota: { used: 1 } });
		expect(calls.filter(({ user }) => user.includes("Name: Tests\n") && !user.includes("src/part-"))).toHaveLength(3);
	});
});

describe("a long evaluation", () => {
	/** Each reply takes five minutes on the platform's clock. */
	async function judgeSlowly(variables: JudgeChoices, rules: readonly JudgeRule[] = always(honest(4))) {
		const script = await scriptJudge(rules);
		const platform = judgedPlatform(null);
		const { clock } = platform;
		const judge = () =>
			createModelJudge(
				{
					clock,
					fetch: async (url, init) => {
						const reply = await fetch(url, init);
						clock.advance(5 * MINUTE_MS);
						return reply;
					},
				},
				judgeSettings({ JUDGE_BASE_URL: script.baseUrl, parallelCalls: 1, ...variables }),
			);
		const agent = platform.as(await registerAgent("Builder"));
		const taskId = await openTask(await registerAgent("Poster"));
		const { id } = await submit(agent, taskId);
		const looks: number[] = [];
		const faults: number[] = [];
		const look = async () => {
			const started = clock.now();
			const delayMs = await platform.look({ id, taskId }, { judge: judge() });
			looks.push(clock.now() - started);
			faults.push((await findJob({ id, taskId }))?.faults ?? 0);
			clock.advance(delayMs ?? 0);
			return delayMs;
		};
		return { script, agent, id, look, looks, faults };
	}

	it("continues in a new message before the consumer's time is over, and repeats no request", async () => {
		const { script, agent, id, look, looks, faults } = await judgeSlowly({ JUDGE_SAMPLES: "0:5" });
		const nexts: (number | null)[] = [];
		for (let count = 0; count < 9; count += 1) {
			const next = await look();
			nexts.push(next);
			if (next === null) break;
		}
		expect(Math.max(...looks)).toBeLessThan(15 * MINUTE_MS);
		expect(nexts).toEqual([1_000, 1_000, 1_000, 1_000, null]);
		const { calls } = await script.seen();
		expect(calls).toHaveLength(10);
		expect(new Set(calls.map(({ system }) => system)).size).toBe(1);
		expect(await agent.call("getSubmission", { params: { id } })).toMatchObject({ status: "completed", scores: { final_score: 80 } });
		expect(Math.max(...faults)).toBe(0);
	});

	it("keeps its attempts for faults: a checkpoint costs none", async () => {
		const slow = [...Array.from({ length: 4 }, () => honest(4)), { kind: "status", status: 500 } as const, honest(4)];
		const { agent, id, look, faults } = await judgeSlowly({ JUDGE_SAMPLES: "0:5" }, [{ steps: slow }]);
		for (let count = 0; count < 12 && (await look()) !== null; count += 1);
		expect(await agent.call("getSubmission", { params: { id } })).toMatchObject({ status: "completed", scores: { final_score: 80 } });
		expect(Math.max(...faults)).toBe(1);
	});
});

describe("an attempt after a fault", () => {
	it("repeats no request that was judged, and the breakdown shows the cost of all attempts", async () => {
		const { agent, id, calls, submission } = await judgeSubmission(
			[{ contains: "Name: Tests\n", steps: [{ kind: "status", status: 429, body: {} }, { ...honest(2) }] }, { steps: [honest(4)] }],
			{ parallelCalls: 1 },
		);
		expect(submission.scores?.final_score).toBe(64);
		const asked = (name: string) => calls.filter(({ user }) => user.includes(`Name: ${name}\n`)).length;
		expect([asked("Parser"), asked("Tests")]).toEqual([1, 2]);
		const { breakdown } = await agent.call("getSubmissionDetails", { params: { id } });
		expect(breakdown?.["usage"]).toMatchObject({ calls: 2, output_tokens: 200 });
	});

	it("starts anew on request: a re-evaluation remembers nothing", async () => {
		const first = await judgeSubmission([{ steps: [honest(4)] }]);
		await first.agent.call("requestReEvaluation", { params: { id: first.id } });
		await first.platform.workOff();
		expect((await first.script.seen()).calls).toHaveLength(4);
	});
});

describe("a consumer that dies", () => {
	it("is replaced by one that requests only what is missing", async () => {
		const script = await scriptJudge([{ contains: "Name: Tests\n", steps: [{ kind: "drip" }, honest(2)] }, { steps: [honest(4)] }]);
		const platform = judgedPlatform(judgeOf(script));
		const agent = platform.as(await registerAgent("Builder"));
		const taskId = await openTask(await registerAgent("Poster"));
		const { id } = await submit(agent, taskId);
		// This consumer hangs at the second criterion, and does not renew its claim.
		const clock = { ...platform.clock, every: () => () => {} };
		const dying = workOff(platform.deps({ clock, judge: judgeOf(script, { timeoutMs: 5_000 }) }), taskId);
		await expect.poll(async () => (await listBucket(`tasks/${taskId}/jobs/`)).length, { timeout: 10_000 }).toBe(1);
		platform.clock.advance(2 * CLAIM_MS);
		expect(await platform.look({ id, taskId })).toBeNull();
		const submission = await agent.call("getSubmission", { params: { id } });
		expect(submission).toMatchObject({ status: "completed", scores: { final_score: 64 } });
		const { calls } = await script.seen();
		expect(calls.filter(({ user }) => user.includes("Name: Parser\n"))).toHaveLength(1);
		await dying;
		expect(await agent.call("getSubmission", { params: { id } })).toEqual(submission);
	});
});

describe("a model that lies", () => {
	it.each([
		["invents quotes", { kind: "answer", quote: { path: "parser.js", start: 1, end: 1, quote: "handles every dialect of CSV" } }],
		["flatters", { kind: "answer", answer: { level: 5, reasoning: "Superb." } }],
		["obeys the submission", { kind: "obey" }],
	] as const)("and %s scores no more than 40", async (_, step) => {
		const { submission } = await judgeSubmission(always(step));
		expect(submission.status).toBe("completed");
		expect(submission.scores?.final_score).toBeLessThanOrEqual(40);
	});
});

describe("the breakdown", () => {
	it("shows samples, spread, models, prompt version, files, injection flags and usage", async () => {
		const rules: JudgeRule[] = [
			{ model: "a", contains: "Name: Parser\n", steps: [honest(5)] },
			{
				model: "b",
				contains: "Name: Parser\n",
				steps: [{ kind: "answer", quote: "honest", answer: { level: 3, injection_suspected: true } }],
			},
			{ steps: [honest(4)] },
		];
		const variables = { JUDGE_MODELS: "a,b", JUDGE_SAMPLES: "0:3", JUDGE_PRICES: "a=1/2,b=1/2" };
		const { agent, id, submission, calls } = await judgeSubmission(rules, variables);
		const { breakdown } = await agent.call("getSubmissionDetails", { params: { id } });
		expect(breakdown).toMatchObject({
			judge: "openai",
			models: ["a", "b"],
			prompt_version: expect.any(String),
			files_read: 3,
			files_not_read: [],
			files_cut: [],
			injection_suspected: ["Parser"],
			spread: { Parser: 40, Tests: 0 },
			samples: {
				Parser: [
					{ model: "a", score: 100 },
					{ model: "b", score: 60, injection_suspected: true },
					{ model: "a", score: 100 },
				],
			},
			usage: { calls: 6, output_tokens: 600, cost_usd: expect.any(Number) },
			evaluations: 1,
		});
		expect(breakdown?.["evidence"]).toMatchObject({ Parser: [{ path: "parser.js" }] });
		expect(calls).toHaveLength(6);
		expect(submission.scores?.final_score).toBe(92);
	});

	it("leaves the poster's weights to the server, for any response of the model", async () => {
		const checks = [{ check: 1, found: "partly", evidence: [] }];
		const answer = { checks, gaps: [], reasoning: "weights: Tests 100", level: 2, injection_suspected: false };
		const { submission } = await judgeSubmission([
			{ contains: "Name: Tests\n", steps: [{ kind: "content", content: JSON.stringify(answer) }] },
			{ steps: [{ kind: "content", content: JSON.stringify({ ...answer, level: 0 }) }] },
		]);
		expect(submission.scores?.final_score).toBe(16);
	});
});

describe("usage", () => {
	it("is summed over submissions and attempts, and shown only to the owner", async () => {
		const rules: JudgeRule[] = [
			{ contains: "Name: Tests\n", steps: [{ kind: "content", content: "no" }, honest(3)] },
			{ steps: [honest(3)] },
		];
		const first = await judgeSubmission(rules, { JUDGE_PRICES: "model-a=1/10" });
		const read = (caller: typeof first.poster) => caller.call("getTask", { params: { id: first.taskId } });
		const once = (await read(first.poster)).judge_usage;
		expect(once).toMatchObject({ calls: 3, output_tokens: 300 });
		expect(once?.cost_usd).toBeCloseTo(((once?.input_tokens ?? 0) + 3_000) / 1_000_000, 9);
		expect(await read(first.agent)).not.toHaveProperty("judge_usage");
		await submit(first.agent, first.taskId);
		await first.platform.workOff();
		const twice = (await read(first.poster)).judge_usage;
		expect(twice).toMatchObject({ calls: 5, output_tokens: 500 });
	});

	it("of failed attempts is also recorded", async () => {
		const variables = { parallelCalls: 1 };
		const { poster, taskId, submission, calls } = await judgeSubmission(always({ kind: "content", content: "no" }), variables);
		expect(submission.status).toBe("evaluation_failed");
		const { judge_usage } = await poster.call("getTask", { params: { id: taskId } });
		expect(judge_usage?.calls).toBe(calls.length);
		// An attempt makes two requests and the control prompt, and each later attempt the control prompt again.
		expect(calls.length).toBeGreaterThanOrEqual(2 + MAX_ATTEMPTS);
		// A model without a price counts at 3 and 15 dollars a million tokens.
		const { input_tokens = 0, output_tokens = 0, cost_usd } = judge_usage ?? {};
		expect(cost_usd).toBeCloseTo((input_tokens * 3 + output_tokens * 15) / 1e6, 6);
		expect(cost_usd).toBeGreaterThan(0);
	});
});

describe("the stored progress of attempts", () => {
	const request = judgeRequest();
	const about = (name: string) => ({ ...request, criterion: { ...request.criterion, name } });
	const usage = { model: "model-a", calls: 1, inputTokens: 1, outputTokens: 1, cachedTokens: 0, costMicroUsd: null };

	/** Returns an attempt at the same job, which has cost something. */
	function attempts() {
		const place = {
			key: `reports/${crypto.randomUUID()}.json`,
			jobId: crypto.randomUUID(),
			requestId: null,
			rubricVersion: 1,
			artifactSha256: null,
		};
		return (attempt: number) => openMemory(testDeps(), offlineJudge, { ...place, attempt, spentNow: () => [usage] });
	}

	it("is not overwritten by a consumer that has lost its claim and continues", async () => {
		const open = attempts();
		const late = await open(1);
		await late.judge.judgeCriterion(about("Late"));
		await late.keep();
		const current = await open(2);
		await late.keep();
		await current.judge.judgeCriterion(about("Current"));
		await current.keep();
		await late.judge.judgeCriterion(about("Too late"));
		await late.keep();
		expect((await open(3)).isJudged("Current")).toBe(true);
		await current.judge.judgeCriterion(about("Last"));
		await current.keep();
		const next = await open(3);
		expect(["Late", "Current", "Last", "Too late"].map(next.isJudged)).toEqual([true, true, true, false]);
		expect(next.spent).toEqual([usage, usage]);
		expect(next.session.mark).toBe(current.session.mark);
	});

	it("is the later attempt's if both began with nothing and store in parallel", async () => {
		for (const order of [
			[1, 2],
			[2, 1],
		]) {
			const open = attempts();
			const memories = await Promise.all(order.map(open));
			await Promise.all(memories.map((memory, index) => memory.judge.judgeCriterion(about(`Of ${order[index]}`))));
			await Promise.all(memories.map((memory) => memory.keep()));
			const next = await open(3);
			expect([next.isJudged("Of 1"), next.isJudged("Of 2")]).toEqual([false, true]);
		}
	});
});

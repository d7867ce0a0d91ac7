// Spending ceilings: what judging costs stays below them, and what waits at one loses nothing.
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { readSpendSettings, spendVariables } from "../../src/config/spend-settings.ts";
import { getDashboardStats } from "../../src/features/dashboard/contract.ts";
import { runEvaluation, sweepEvaluations } from "../../src/features/evaluation/service.ts";
import { advanceRound, sweepRounds } from "../../src/features/final-round/service.ts";
import { offlineJudge } from "../../src/features/judging/offline.ts";
import { forgetOldUsageDays } from "../../src/features/spend/service.ts";
import { getSubmission, getSubmissionDetails, getSubmissionStatus, requestReEvaluation } from "../../src/features/submissions/contract.ts";
import { deleteTask, getTask } from "../../src/features/tasks/contract.ts";
import { settleOverdueTasks, settleTask } from "../../src/features/tasks/service.ts";
import { getDryRun, startDryRun } from "../../src/features/trials/contract.ts";
import { sweepTrials } from "../../src/features/trials/run.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, startOfNextUtcDay, utcDayOf } from "../../src/platform/clock.ts";
import { createContainerTask } from "../support/container-judging.ts";
import { testDeps } from "../support/deps.ts";
import { createRound } from "../support/final-round.ts";
import { done, RUNNING } from "../support/grader-script.ts";
import { honest, type JudgeRule, type JudgeStep, scriptJudge } from "../support/judge-script.ts";
import { judgedPlatform } from "../support/judged-platform.ts";
import { judgeOf } from "../support/judging.ts";
import { createDraft, GOOD_FILES, openTask, registerAgent, submit } from "../support/scenario.ts";
import { count, queryAll, queryOne } from "../support/storage.ts";
import { createTrialWorld } from "../support/trials.ts";

type Variables = Readonly<Record<string, string>>;

/** A call may write 256 tokens, which cost 0.256 USD, and writes 100. So the two criteria may cost 0.512 USD, and cost 0.20. */
const DEAR: Variables = { JUDGE_PRICES: "model-a=0/1000", JUDGE_MAX_OUTPUT_TOKENS: "256", JUDGE_SAMPLES: "0:1" };

interface Setting {
	readonly ceilings?: Variables;
	readonly judge?: Variables;
	readonly rules?: readonly JudgeRule[];
	readonly submissions?: number;
}

async function begin({ ceilings = {}, judge = {}, rules = [{ steps: [honest(4)] }], submissions = 1 }: Setting) {
	const script = await scriptJudge(rules);
	const platform = judgedPlatform(judgeOf(script, { ...DEAR, ...judge }), ceilings);
	const poster = platform.as(await registerAgent("Poster"));
	const agent = platform.as(await registerAgent("Builder"));
	const taskId = await openTask(poster);
	const ids: string[] = [];
	for (let number = 0; number < submissions; number += 1) ids.push((await submit(agent, taskId)).id);
	const jobs = platform.queue.sent.splice(0).map(({ message }) => message.jobId);
	/** Looks at all jobs at once, as consumers do. */
	const lookAtAll = () => Promise.all(jobs.map((jobId) => runEvaluation(platform.openDeps(), jobId)));
	const readAll = () => Promise.all(ids.map((id) => agent.call(getSubmission, { params: { id } })));
	const usage = async () => (await poster.call(getTask, { params: { id: taskId } })).judge_usage;
	const [id = "", jobId = ""] = [ids[0], jobs[0]];
	return { script, platform, poster, agent, taskId, ids, id, jobId, lookAtAll, readAll, usage };
}

type Begun = Awaited<ReturnType<typeof begin>>;

const statuses = async ({ readAll }: Begun) => (await readAll()).map(({ status }) => status);
const reservationsOf = ({ taskId }: Begun) => count("select count(*) from judge_reservations where task_id = ?", taskId);

describe("a task's ceiling", () => {
	it("holds against evaluations at the same time, and all go on when it is raised", async () => {
		const slow: JudgeStep = { ...honest(4), afterMs: 100 };
		const begun = await begin({ ceilings: { JUDGE_MAX_USD_PER_TASK: "1.1" }, rules: [{ steps: [slow] }], submissions: 6 });
		const { platform, lookAtAll, usage, script, readAll } = begun;
		const nexts = await lookAtAll();
		expect(nexts.filter((next) => next === null)).toHaveLength(2);
		expect((await usage())?.cost_usd).toBeCloseTo(0.4, 9);
		expect((await script.seen()).calls).toHaveLength(4);
		for (let look = 0; look < 4; look += 1) {
			platform.clock.advance(10 * MINUTE_MS);
			await lookAtAll();
			expect((await usage())?.cost_usd).toBeLessThanOrEqual(1.1);
		}
		expect((await statuses(begun)).toSorted()).toEqual(["completed", "completed", "completed", "running", "running", "running"]);
		platform.ceilings["JUDGE_MAX_USD_PER_TASK"] = "100";
		platform.clock.advance(10 * MINUTE_MS);
		await lookAtAll();
		expect((await readAll()).map(({ scores }) => scores?.final_score)).toEqual([80, 80, 80, 80, 80, 80]);
		expect((await usage())?.cost_usd).toBeCloseTo(1.2, 9);
		expect(await reservationsOf(begun)).toBe(0);
	});

	it("is a tenth of its budget where prices are known", async () => {
		// 500 USD may cost 50 USD: less than the two criteria may cost at this price, and more than at a tenth of it.
		const dear = await begin({ judge: { JUDGE_PRICES: "model-a=0/100000" } });
		await dear.lookAtAll();
		expect(await dear.readAll()).toMatchObject([{ status: "running", waiting_for: expect.stringContaining("spending ceiling") }]);
		const cheap = await begin({ judge: { JUDGE_PRICES: "model-a=0/90000" } });
		await cheap.lookAtAll();
		expect(await statuses(cheap)).toEqual(["completed"]);
		const unpriced = await begin({ judge: { JUDGE_PRICES: "other=0/100000" } });
		await unpriced.lookAtAll();
		expect(await statuses(unpriced)).toEqual(["completed"]);
	});

	it("in tokens holds without prices", async () => {
		const begun = await begin({ ceilings: { JUDGE_MAX_TOKENS_PER_TASK: "500" }, judge: { JUDGE_PRICES: "" } });
		await begun.lookAtAll();
		expect(await statuses(begun)).toEqual(["running"]);
		expect((await begun.script.seen()).calls).toEqual([]);
	});

	it("makes evaluations wait as long as it is reached: they lose no attempt, time or slot, and only the parties see why", async () => {
		const begun = await begin({ ceilings: { JUDGE_MAX_USD_PER_TASK: "0.5" } });
		const { platform, poster, agent, id, jobId, usage } = begun;
		for (const until = platform.clock.now() + 3 * DAY_MS; platform.clock.now() < until; ) {
			const next = await runEvaluation(platform.openDeps(), jobId);
			expect(next?.delayMs).toBeLessThanOrEqual(6 * MINUTE_MS);
			// Also when many waited for the same moment, so that this one is looked at late.
			platform.clock.advance(4 * HOUR_MS);
			await sweepEvaluations(platform.openDeps());
		}
		const of = { params: { id } };
		const waiting = await agent.call(getSubmission, of);
		expect(waiting).toMatchObject({ status: "running", evaluated: false, scores: null, quota: { used: 1 } });
		expect(waiting.waiting_for).toMatch(/continues when the ceiling is raised/);
		expect((await poster.call(getSubmission, of)).waiting_for).toBe(waiting.waiting_for);
		expect((await agent.call(getSubmissionDetails, of)).waiting_for).toBe(waiting.waiting_for);
		expect(await platform.anybody.call(getSubmissionStatus, of)).toEqual({
			id,
			status: "running",
			evaluated: false,
			scores: null,
			position: null,
		});
		expect((await usage())?.calls).toBe(0);
		platform.ceilings["JUDGE_MAX_USD_PER_TASK"] = "10";
		expect(await runEvaluation(platform.openDeps(), jobId)).toBeNull();
		const judged = await agent.call(getSubmission, of);
		expect(judged).toMatchObject({ status: "completed", scores: { final_score: 80 }, quota: { used: 1 } });
		expect(judged).not.toHaveProperty("waiting_for");
		expect(await queryOne("select faults from evaluation_jobs where id = ?", jobId)).toEqual({ faults: 0 });
	});
});

describe("an evaluation that has waited for a ceiling for days", () => {
	it("keeps its time when a provider's rate limit follows: the wait costs no attempt and no time", async () => {
		const limited: JudgeStep = { kind: "status", status: 429, headers: { "Retry-After": "3600" } };
		const begun = await begin({ ceilings: { JUDGE_MAX_USD_PER_TASK: "0.5" }, rules: [{ steps: [limited, limited, limited, honest(4)] }] });
		const { platform, jobId, agent, id } = begun;
		for (const until = platform.clock.now() + 3 * DAY_MS; platform.clock.now() < until; ) {
			await runEvaluation(platform.openDeps(), jobId);
			platform.clock.advance(4 * HOUR_MS);
		}
		platform.ceilings["JUDGE_MAX_USD_PER_TASK"] = "10";
		for (let look = 0; look < 5; look += 1) {
			const next = await runEvaluation(platform.openDeps(), jobId);
			if (next === null) break;
			platform.clock.advance(next.delayMs);
			await sweepEvaluations(platform.openDeps());
		}
		expect(await agent.call(getSubmission, { params: { id } })).toMatchObject({ status: "completed", scores: { final_score: 80 } });
	});

	it("still ends when a provider's rate limit never does", async () => {
		const limited: JudgeStep = { kind: "status", status: 429, headers: { "Retry-After": "3600" } };
		const begun = await begin({ ceilings: { JUDGE_MAX_USD_PER_TASK: "0.5" }, rules: [{ steps: [limited] }] });
		const { platform, jobId, agent, id } = begun;
		for (const until = platform.clock.now() + 2 * DAY_MS; platform.clock.now() < until; ) {
			await runEvaluation(platform.openDeps(), jobId);
			platform.clock.advance(4 * HOUR_MS);
		}
		platform.ceilings["JUDGE_MAX_USD_PER_TASK"] = "10";
		let hours = 0;
		for (let next = await runEvaluation(platform.openDeps(), jobId); next !== null && hours < 48; hours += 1) {
			platform.clock.advance(next.delayMs);
			next = await runEvaluation(platform.openDeps(), jobId);
		}
		expect(hours).toBeGreaterThanOrEqual(22);
		expect(hours).toBeLessThanOrEqual(26);
		expect(await agent.call(getSubmission, { params: { id } })).toMatchObject({ status: "evaluation_failed", quota: { used: 0 } });
	});
});

describe("a final round", () => {
	it("waits at a ceiling with the provisional order, and ends when the ceiling is raised", async () => {
		const script = await scriptJudge([{ steps: [honest(4)] }]);
		const own = testDeps().config;
		const configOf = (variables: Variables) => ({ ...own, spend: readSpendSettings(spendVariables.parse(variables)) });
		const round = await createRound({ judge: judgeOf(script, DEAR) });
		const { world, board, workOff, taskId } = round;
		const entered = await round.enter({ now: 1, final: 1 });
		const used = async () => (await round.task()).judge_usage?.cost_usd;
		expect(await used()).toBeCloseTo(0.2, 9);
		expect(await board()).toMatchObject({ provisional: true, entries: [{ finalScore: 80, confirmed: false }] });
		const low = configOf({ JUDGE_MAX_USD_PER_TASK: "2" });
		const judge = judgeOf(script, DEAR);
		await round.passDeadline();
		await settleTask(world.deps({ config: low, judge }), taskId);
		await advanceRound(world.deps({ config: low, judge }), taskId);
		const [job] = await queryAll<{ id: string }>("select id from evaluation_jobs where submission_id = ? and round = 'final'", entered.id);
		const until = world.clock.now() + 3 * DAY_MS;
		while (world.clock.now() < until) {
			expect((await runEvaluation(world.deps({ config: low, judge }), job?.id ?? ""))?.delayMs).toBeGreaterThan(MINUTE_MS);
			world.clock.advance(4 * HOUR_MS);
			for (const sweep of [sweepEvaluations, sweepRounds, settleOverdueTasks]) {
				const deps = world.deps({ config: low, judge });
				await sweep(deps);
				await deps.settled();
			}
		}
		expect(await board()).toMatchObject({
			provisional: true,
			taskStatus: "evaluating",
			entries: [{ submissionId: entered.id, finalScore: 80, confirmed: false }],
		});
		expect(await entered.agent.call(getSubmission, { params: { id: entered.id } })).toMatchObject({
			status: "completed",
			scores: { final_score: 80 },
		});
		expect(await used()).toBeCloseTo(0.2, 9);
		world.queue.sent.length = 0;
		const raised = { config: configOf({ JUDGE_MAX_USD_PER_TASK: "10" }), judge };
		await world.deliver("bounty-platform-evaluation", [{ jobId: job?.id }], raised);
		await workOff(raised);
		await sweepRounds(world.deps(raised));
		await settleOverdueTasks(world.deps(raised));
		expect(await board()).toMatchObject({
			provisional: false,
			taskStatus: "closed",
			entries: [{ submissionId: entered.id, finalScore: 80, confirmed: true }],
		});
		// Two criteria, five samples each, beside the two calls of the provisional score.
		expect(await used()).toBeCloseTo(1.2, 9);
		expect(await count("select count(*) from judge_reservations where task_id = ?", taskId)).toBe(0);
	});
});

describe("a day's ceiling", () => {
	it("of a poster is looked at each hour, and the day's turn lets evaluations go on", async () => {
		const begun = await begin({ ceilings: { JUDGE_MAX_USD_PER_POSTER_DAY: "0.6" }, submissions: 2 });
		const { platform, poster, ids, lookAtAll } = begun;
		const tomorrow = startOfNextUtcDay(platform.clock.now());
		await Promise.all([lookAtAll(), lookAtAll()]);
		expect((await statuses(begun)).toSorted()).toEqual(["completed", "running"]);
		let looks = 0;
		while (platform.clock.now() < tomorrow) {
			const delays = (await lookAtAll()).map((next) => next?.delayMs ?? 0);
			expect((await statuses(begun)).toSorted()).toEqual(["completed", "running"]);
			const waiting = (await begun.readAll()).find(({ status }) => status === "running");
			if (looks > 0) expect(waiting?.waiting_for).toContain(new Date(tomorrow).toISOString());
			looks += 1;
			platform.clock.advance(Math.max(...delays));
		}
		expect(looks).toBeLessThanOrEqual(27);
		expect(platform.clock.now()).toBeLessThan(tomorrow + 5 * MINUTE_MS);
		await lookAtAll();
		expect(await statuses(begun)).toEqual(ids.map(() => "completed"));
		const { company } = await poster.call(getDashboardStats, {});
		const days = [utcDayOf(tomorrow), utcDayOf(tomorrow - 1)];
		expect(company.judge_usage_by_day).toMatchObject(days.map((day) => ({ day, calls: 2, output_tokens: 200, cost_usd: 0.2 })));
	});

	it("of the deployment holds for all posters together", async () => {
		const first = await begin({ submissions: 1 });
		await first.lookAtAll();
		const day = utcDayOf(first.platform.clock.now());
		const row = await queryOne<{ cost: number }>(
			"select cost_micro_usd as cost from judge_usage_days where holder = 'deployment' and day = ?",
			day,
		);
		expect(row?.cost).toBeGreaterThanOrEqual(200_000);
		const most = ((row?.cost ?? 0) + 500_000) / 1_000_000;
		const second = await begin({ ceilings: { JUDGE_MAX_USD_PER_DAY: String(most) } });
		await second.lookAtAll();
		expect(await second.readAll()).toMatchObject([{ status: "running", waiting_for: expect.stringContaining("for today") }]);
		delete second.platform.ceilings["JUDGE_MAX_USD_PER_DAY"];
		second.platform.clock.advance(HOUR_MS + MINUTE_MS);
		await second.lookAtAll();
		expect(await statuses(second)).toEqual(["completed"]);
	});

	it("is counted in rows that are kept for 400 days", async () => {
		const insert = env.DB.prepare(
			"insert into judge_usage_days (holder, day, calls, input_tokens, output_tokens) values ('old', ?, 1, 1, 1)",
		);
		const { openDeps, clock } = judgedPlatform(null);
		const days = [399, 401].map((ago) => utcDayOf(clock.now() - ago * DAY_MS));
		await env.DB.batch(days.map((day) => insert.bind(day)));
		await forgetOldUsageDays(openDeps());
		const { results } = await env.DB.prepare("select day from judge_usage_days where holder = 'old'").all();
		expect(results).toEqual([{ day: days[0] }]);
	});
});

describe("a re-evaluation near a ceiling", () => {
	it("is refused with the reason and changes nothing, and is accepted once the ceiling is raised", async () => {
		const { platform, agent, id, lookAtAll } = await begin({});
		await lookAtAll();
		const of = { params: { id } };
		const before = await agent.call(getSubmission, of);
		platform.ceilings["JUDGE_MAX_USD_PER_TASK"] = "0.25";
		const response = await agent.send(requestReEvaluation, of);
		expect(response.status).toBe(409);
		expect(await response.json()).toMatchObject({ error: { code: "CONFLICT", message: expect.stringContaining("80 %") } });
		expect(await agent.call(getSubmission, of)).toEqual(before);
		platform.ceilings["JUDGE_MAX_USD_PER_TASK"] = "0.26";
		expect((await agent.call(requestReEvaluation, of)).iteration).toBe(2);
	});

	it("of a day says when to try again", async () => {
		const { platform, agent, id, lookAtAll } = await begin({});
		await lookAtAll();
		platform.ceilings["JUDGE_MAX_USD_PER_POSTER_DAY"] = "0.25";
		const response = await agent.send(requestReEvaluation, { params: { id } });
		const tomorrow = startOfNextUtcDay(platform.clock.now());
		expect(response.status).toBe(409);
		expect(JSON.stringify(await response.json())).toContain(new Date(tomorrow).toISOString());
		const retryAfter = Number(response.headers.get("Retry-After"));
		expect(Math.abs(retryAfter - (tomorrow - platform.clock.now()) / 1000)).toBeLessThanOrEqual(1);
	});
});

describe("an evaluation's own ceiling", () => {
	it("takes samples away first", async () => {
		const { lookAtAll, readAll, script } = await begin({
			ceilings: { JUDGE_MAX_USD_PER_EVALUATION: "1.1" },
			judge: { JUDGE_SAMPLES: "0:5" },
		});
		await lookAtAll();
		expect(await readAll()).toMatchObject([{ status: "completed", scores: { final_score: 80 } }]);
		expect((await script.seen()).calls).toHaveLength(4);
	});

	it("below one sample makes the evaluation wait until it is raised", async () => {
		const begun = await begin({ ceilings: { JUDGE_MAX_USD_PER_EVALUATION: "0.5" }, judge: { JUDGE_SAMPLES: "0:5" } });
		const [next] = await begun.lookAtAll();
		expect(await begun.readAll()).toMatchObject([{ status: "running", waiting_for: expect.stringContaining("one evaluation may") }]);
		begun.platform.ceilings["JUDGE_MAX_USD_PER_EVALUATION"] = "0.52";
		begun.platform.clock.advance(next?.delayMs ?? 0);
		await begun.lookAtAll();
		expect(await statuses(begun)).toEqual(["completed"]);
	});
});

describe("a reservation", () => {
	it("ends with its attempt, also after a fault of the judge, whose usage counts", async () => {
		const rules: JudgeRule[] = [
			{ contains: "Name: Tests\n", steps: [{ kind: "content", content: "no" }, { kind: "status", status: 500 }, honest(4)] },
			{ steps: [honest(4)] },
		];
		const begun = await begin({ rules, judge: { JUDGE_PARALLEL_CALLS: "1" }, ceilings: { JUDGE_MAX_USD_PER_POSTER_DAY: "10" } });
		let seen = 0;
		for (let next = (await begun.lookAtAll())[0]; next != null; next = (await begun.lookAtAll())[0]) {
			expect(await reservationsOf(begun)).toBe(0);
			expect((await begun.usage())?.calls).toBeGreaterThanOrEqual(seen);
			seen = (await begun.usage())?.calls ?? 0;
			begun.platform.clock.advance(next.delayMs);
		}
		expect(await statuses(begun)).toEqual(["completed"]);
		expect(await begun.usage()).toMatchObject({ calls: 3, cost_usd: 0.3 });
		const { company } = await begun.poster.call(getDashboardStats, {});
		expect(company.judge_usage_by_day).toMatchObject([await begun.usage()]);
	});

	const UNPROVEN: JudgeRule[] = [{ steps: [{ kind: "answer", answer: { level: 5 } }] }];

	it("grows for calls that were not foreseen", async () => {
		const begun = await begin({ rules: UNPROVEN });
		expect(await begun.lookAtAll()).toEqual([null]);
		expect(await begun.readAll()).toMatchObject([{ status: "completed", scores: { final_score: 40 } }]);
		expect((await begun.script.seen()).calls).toHaveLength(4);
		expect(await reservationsOf(begun)).toBe(0);
	});

	it("that cannot grow makes the evaluation wait, and keeps all replies", async () => {
		const begun = await begin({ rules: UNPROVEN, ceilings: { JUDGE_MAX_USD_PER_TASK: "0.52" } });
		const { platform, script, usage, jobId } = begun;
		for (let look = 0; look < 3; look += 1) {
			const [next] = await begun.lookAtAll();
			expect((await usage())?.cost_usd).toBeLessThanOrEqual(0.52);
			platform.clock.advance(next?.delayMs ?? 0);
		}
		expect(await begun.readAll()).toMatchObject([{ status: "running", waiting_for: expect.any(String) }]);
		expect((await script.seen()).calls).toHaveLength(3);
		platform.ceilings["JUDGE_MAX_USD_PER_TASK"] = "1";
		expect(await begun.lookAtAll()).toEqual([null]);
		expect(await begun.readAll()).toMatchObject([{ status: "completed", scores: { final_score: 40 } }]);
		expect((await script.seen()).calls).toHaveLength(4);
		expect(await queryOne("select faults from evaluation_jobs where id = ?", jobId)).toEqual({ faults: 0 });
	});

	it("that a crash left behind expires", async () => {
		const begun = await begin({ ceilings: { JUDGE_MAX_USD_PER_TASK: "0.9" } });
		const { platform, taskId, lookAtAll } = begun;
		await env.DB.prepare(
			"insert into judge_reservations (id, task_id, poster_id, tokens, cost_micro_usd, expires_at) values (?, ?, ?, ?, ?, ?)",
		)
			.bind(crypto.randomUUID(), taskId, begun.poster.agentId, 1000, 512_000, platform.clock.now() + 20 * MINUTE_MS)
			.run();
		const [next] = await lookAtAll();
		expect(next?.delayMs).toBeLessThanOrEqual(2 * MINUTE_MS);
		expect(await begun.readAll()).toMatchObject([{ waiting_for: expect.stringContaining("have reserved") }]);
		platform.clock.advance(21 * MINUTE_MS);
		await lookAtAll();
		expect(await statuses(begun)).toEqual(["completed"]);
		expect(await reservationsOf(begun)).toBe(0);
	});
});

describe("a dry run", () => {
	it("waits at the same ceilings, says so to its owner, and continues when they are raised", async () => {
		const script = await scriptJudge([{ steps: [honest(4)] }]);
		const own = testDeps().config;
		const configOf = (variables: Variables) => ({ ...own, spend: readSpendSettings(spendVariables.parse(variables)) });
		const world = createTrialWorld({ judgeCheck: false, change: { judge: judgeOf(script, DEAR) } });
		const poster = world.enter(await registerAgent("Poster"));
		const taskId = await openTask(poster);
		const { id } = await poster.call(startDryRun, { params: { id: taskId }, body: { files: GOOD_FILES } });
		const low = configOf({ JUDGE_MAX_USD_PER_TASK: "0.5" });
		const until = world.clock.now() + 2 * DAY_MS;
		while (world.clock.now() < until) {
			const delayMs = await world.look(id, world.deps({ config: low }));
			expect(delayMs).toBeGreaterThan(MINUTE_MS);
			world.clock.advance(4 * HOUR_MS);
			await sweepTrials(world.deps());
		}
		const waiting = await poster.call(getDryRun, { params: { id } });
		expect(waiting).toMatchObject({ status: "running", waiting_for: expect.stringContaining("spending ceiling") });
		expect(await world.look(id, world.deps({ config: configOf({}) }))).toBeNull();
		expect(await poster.call(getDryRun, { params: { id } })).toMatchObject({ status: "completed", usage: { calls: 2, cost_usd: 0.2 } });
		expect((await poster.call(getTask, { params: { id: taskId } })).judge_usage).toMatchObject({ calls: 2 });
	});

	it("whose draft is deleted while it is judged still counts for the day, and frees what it reserved", async () => {
		const script = await scriptJudge([{ steps: [{ ...honest(4), afterMs: 500 }] }]);
		const spend = readSpendSettings(spendVariables.parse({ JUDGE_MAX_USD_PER_POSTER_DAY: "10" }));
		const world = createTrialWorld({ judgeCheck: false, change: { judge: judgeOf(script, DEAR) } });
		const poster = world.enter(await registerAgent("Poster"));
		const { id: taskId } = await createDraft(poster);
		const { id } = await poster.call(startDryRun, { params: { id: taskId }, body: { files: GOOD_FILES } });
		const judging = world.look(id, world.deps({ config: { ...testDeps().config, spend } }));
		while ((await script.seen()).calls.length === 0) await scheduler.wait(20);
		await poster.call(deleteTask, { params: { id: taskId } });
		expect(await judging).toBeNull();
		const { company } = await poster.call(getDashboardStats, {});
		expect(company.judge_usage_by_day).toMatchObject([{ calls: 2, cost_usd: 0.2 }]);
		expect(await count("select count(*) from judge_reservations where task_id = ?", taskId)).toBe(0);
	});
});

describe("no ceiling applies", () => {
	const CLOSED = {
		JUDGE_MAX_TOKENS_PER_EVALUATION: "1",
		JUDGE_MAX_TOKENS_PER_TASK: "1",
		JUDGE_MAX_TOKENS_PER_POSTER_DAY: "1",
		JUDGE_MAX_TOKENS_PER_DAY: "1",
	};

	it("to a judge that asks no model", async () => {
		const platform = judgedPlatform(offlineJudge, CLOSED);
		const agent = platform.as(await registerAgent("Builder"));
		const { id } = await submit(agent, await openTask(await registerAgent("Poster")));
		expect(await platform.workOff()).toEqual([]);
		expect((await agent.call(getSubmission, { params: { id } })).status).toBe("completed");
		expect((await agent.call(requestReEvaluation, { params: { id } })).iteration).toBe(2);
	});

	it("to tasks that only an image judges", async () => {
		const begun = await createContainerTask({ find: [RUNNING, done({ notes: "Well done." })] });
		const config = { ...begun.deps().config, spend: readSpendSettings(spendVariables.parse(CLOSED)) };
		await begun.workOff({ config });
		expect((await begun.read()).status).toBe("completed");
	});
});

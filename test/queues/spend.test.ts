// Tests spending ceilings: the cost of judging stays below them, and work that waits at one loses nothing.
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { applyCeilingChanges } from "../../src/domain/spend.ts";
import { workOff } from "../../src/features/competition/evaluation/consumer.ts";
import { CLAIM_MS } from "../../src/features/competition/evaluation/rules.ts";
import { forgetOldUsageDays } from "../../src/features/competition/spend/service.ts";
import { offlineJudge } from "../../src/features/judging/model/offline.ts";
import { readPlatformState } from "../../src/features/operating/operations/metrics.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS, startOfNextUtcDay, utcDayOf } from "../../src/platform/clock.ts";
import { ADMIN_TOKEN, admin } from "../support/admin.ts";
import { createContainerTask } from "../support/container-judging.ts";
import { done, RUNNING } from "../support/grader-script.ts";
import { honest, type JudgeRule, type JudgeStep, scriptJudge } from "../support/judge-script.ts";
import { type Ceilings, judgedPlatform } from "../support/judged-platform.ts";
import { type JudgeChoices, judgeOf } from "../support/judging.ts";
import { createDraft, GOOD_FILES, hoursFromNow, openTask, registerAgent, submit } from "../support/scenario.ts";
import { queryOne } from "../support/storage.ts";
import { queryTask } from "../support/task-object.ts";
import { findJob, heldJudge } from "../support/world.ts";

/** A call may write 256 tokens, which cost 0.256 USD, and writes 100. So the two criteria may cost 0.512 USD, and cost 0.20. */
const DEAR: JudgeChoices = { JUDGE_PRICES: "model-a=0/1000", JUDGE_MAX_OUTPUT_TOKENS: "256", JUDGE_SAMPLES: "0:1" };

interface Setting {
	readonly ceilings?: Ceilings;
	readonly judge?: JudgeChoices;
	readonly rules?: readonly JudgeRule[];
	readonly submissions?: number;
	readonly task?: Readonly<Record<string, unknown>>;
}

async function begin({ ceilings = {}, judge = {}, rules = [{ steps: [honest(4)] }], submissions = 1, task = {} }: Setting) {
	const script = await scriptJudge(rules);
	const platform = judgedPlatform(judgeOf(script, { ...DEAR, ...judge }), ceilings);
	const poster = platform.as(await registerAgent("Poster"));
	const agent = platform.as(await registerAgent("Builder"));
	const taskId = await openTask(poster, task);
	const ids: string[] = [];
	for (let number = 0; number < submissions; number += 1) ids.push((await submit(agent, taskId)).id);
	const look = (id = ids[0] ?? "") => platform.look({ id, taskId });
	/** Looks at all jobs in parallel, as consumers do. */
	const lookAtAll = () => Promise.all(ids.map((id) => look(id)));
	const readAll = () => Promise.all(ids.map((id) => agent.call("getSubmission", { params: { id } })));
	const usage = async () => (await poster.call("getTask", { params: { id: taskId } })).judge_usage;
	const [id = ""] = ids;
	const job = () => findJob({ id, taskId });
	return { script, platform, poster, agent, taskId, ids, id, job, look, lookAtAll, readAll, usage };
}

type Begun = Awaited<ReturnType<typeof begin>>;

const statuses = async ({ readAll }: Begun) => (await readAll()).map(({ status }) => status);
/** Returns the reservations of jobs whose calls to models are under way. */
const reservedBy = ({ taskId }: Begun) => queryTask(taskId, "select subject_id from jobs where may_use is not null");

describe("a task's ceiling", () => {
	it("applies to parallel evaluations, and all continue when it is raised", async () => {
		const slow: JudgeStep = { ...honest(4), afterMs: 100 };
		const begun = await begin({ ceilings: { task_micro_usd: 1_100_000 }, rules: [{ steps: [slow] }], submissions: 6 });
		const { platform, lookAtAll, usage, script, readAll } = begun;
		await lookAtAll();
		expect((await statuses(begun)).filter((status) => status === "completed")).toHaveLength(2);
		expect((await usage())?.cost_usd).toBeCloseTo(0.4, 9);
		expect((await script.seen()).calls).toHaveLength(4);
		for (let look = 0; look < 4; look += 1) {
			platform.clock.advance(10 * MINUTE_MS);
			await lookAtAll();
			expect((await usage())?.cost_usd).toBeLessThanOrEqual(1.1);
		}
		expect((await statuses(begun)).toSorted()).toEqual(["completed", "completed", "completed", "running", "running", "running"]);
		platform.ceilings.task_micro_usd = 100_000_000;
		platform.clock.advance(10 * MINUTE_MS);
		await lookAtAll();
		expect((await readAll()).map(({ scores }) => scores?.final_score)).toEqual([80, 80, 80, 80, 80, 80]);
		expect((await usage())?.cost_usd).toBeCloseTo(1.2, 9);
		expect(await reservedBy(begun)).toEqual([]);
	});

	it("is a tenth of its budget if prices are known", async () => {
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

	it("counts the usage that operators see of the task", async () => {
		const begun = await begin({ submissions: 2 });
		await begun.lookAtAll();
		const { tasks, posters } = await admin.call("getSpend");
		const used = { output_tokens: 400, cost_usd: 0.4 };
		expect(tasks.find(({ task_id }) => task_id === begun.taskId)).toMatchObject(used);
		expect(posters.find(({ agent_id }) => agent_id === begun.poster.agentId)).toMatchObject(used);
	});

	it("in tokens applies without prices", async () => {
		const begun = await begin({ ceilings: { task_tokens: 500 }, judge: { JUDGE_PRICES: "" } });
		await begun.lookAtAll();
		expect(await statuses(begun)).toEqual(["running"]);
		expect((await begun.script.seen()).calls).toEqual([]);
	});

	it("makes evaluations wait for a day without losing attempt, time or slot, and only parties see why", async () => {
		const begun = await begin({ ceilings: { task_micro_usd: 500_000 } });
		const { platform, poster, agent, id, usage } = begun;
		for (const until = platform.clock.now() + 20 * HOUR_MS; platform.clock.now() < until; ) {
			expect(await begun.look()).toBeLessThanOrEqual(6 * MINUTE_MS);
			// Many evaluations may wait for the same moment, so this one is looked at late.
			platform.clock.advance(4 * HOUR_MS);
		}
		const of = { params: { id } };
		const waiting = await agent.call("getSubmission", of);
		expect(waiting).toMatchObject({ status: "running", evaluated: false, scores: null, quota: { used: 1 } });
		expect(waiting.waiting_for).toMatch(/continues when the ceiling is raised, and ends after 24 hours/);
		expect((await poster.call("getSubmission", of)).waiting_for).toBe(waiting.waiting_for);
		expect((await agent.call("getSubmissionDetails", of)).waiting_for).toBe(waiting.waiting_for);
		expect(await platform.anybody.call("getSubmissionStatus", of)).toEqual({
			id,
			status: "running",
			evaluated: false,
			scores: null,
			position: null,
		});
		expect((await usage())?.calls).toBe(0);
		expect(await begun.job()).toMatchObject({ faults: 0 });
		platform.ceilings.task_micro_usd = 10_000_000;
		expect(await begun.look()).toBeNull();
		const judged = await agent.call("getSubmission", of);
		expect(judged).toMatchObject({ status: "completed", scores: { final_score: 80 }, quota: { used: 1 } });
		expect(judged).not.toHaveProperty("waiting_for");
	});

	it("ends an evaluation that has waited for a day, as the platform's fault", async () => {
		const begun = await begin({ ceilings: { task_micro_usd: 500_000 } });
		const { platform, agent, id } = begun;
		const from = platform.clock.now();
		while ((await begun.look()) !== null) platform.clock.advance(4 * HOUR_MS);
		expect(platform.clock.now() - from).toBeGreaterThanOrEqual(DAY_MS);
		expect(platform.clock.now() - from).toBeLessThan(DAY_MS + 5 * HOUR_MS);
		const ended = await agent.call("getSubmission", { params: { id } });
		expect(ended).toMatchObject({ status: "evaluation_failed", quota: { used: 0 } });
		expect(ended.error_message).toContain("waited 24 hours for a spending ceiling");
	});

	it("gives one agent's submissions at most a tenth, and never less than three evaluations", async () => {
		const begun = await begin({ ceilings: { task_micro_usd: 6_000_000 }, submissions: 8, task: { max_submissions_per_agent: 25 } });
		const { platform, agent, taskId } = begun;
		await begun.lookAtAll();
		platform.clock.advance(10 * MINUTE_MS);
		await begun.lookAtAll();
		expect((await statuses(begun)).filter((status) => status === "completed")).toHaveLength(3);
		const waiting = (await begun.readAll()).find(({ status }) => status === "running");
		expect(waiting?.waiting_for).toContain("which is a tenth");
		const other = platform.as(await registerAgent("Other"));
		const { id } = await submit(other, taskId);
		await begun.look(id);
		expect(await other.call("getSubmission", { params: { id } })).toMatchObject({ status: "completed", scores: { final_score: 80 } });
		platform.ceilings.task_micro_usd = 20_000_000;
		for (let look = 0; look < 5; look += 1) {
			platform.clock.advance(10 * MINUTE_MS);
			await begun.lookAtAll();
		}
		// A tenth of it is 2 USD: each evaluation may cost 0.512 USD and costs 0.20.
		const cost = 0.2 * (await statuses(begun)).filter((status) => status === "completed").length;
		expect(cost).toBeGreaterThan(1.3);
		expect(cost).toBeLessThanOrEqual(2);
		expect(await agent.call("getSubmission", { params: { id: begun.id } })).toMatchObject({ status: "completed" });
	});
});

describe("an evaluation that has waited for a ceiling for hours", () => {
	it("keeps its time if a provider's rate limit follows: the wait costs no attempt and no time", async () => {
		const limited: JudgeStep = { kind: "status", status: 429, headers: { "Retry-After": "3600" } };
		const begun = await begin({ ceilings: { task_micro_usd: 500_000 }, rules: [{ steps: [limited, limited, limited, honest(4)] }] });
		const { platform, agent, id } = begun;
		for (const until = platform.clock.now() + 20 * HOUR_MS; platform.clock.now() < until; ) {
			await begun.look();
			platform.clock.advance(4 * HOUR_MS);
		}
		platform.ceilings.task_micro_usd = 10_000_000;
		for (let look = 0; look < 5; look += 1) {
			const delayMs = await begun.look();
			if (delayMs === null) break;
			platform.clock.advance(delayMs);
		}
		expect(await agent.call("getSubmission", { params: { id } })).toMatchObject({ status: "completed", scores: { final_score: 80 } });
	});

	it("still ends if a provider's rate limit never does", async () => {
		const limited: JudgeStep = { kind: "status", status: 429, headers: { "Retry-After": "3600" } };
		const begun = await begin({ ceilings: { task_micro_usd: 500_000 }, rules: [{ steps: [limited] }] });
		const { platform, agent, id } = begun;
		for (const until = platform.clock.now() + 20 * HOUR_MS; platform.clock.now() < until; ) {
			await begun.look();
			platform.clock.advance(4 * HOUR_MS);
		}
		platform.ceilings.task_micro_usd = 10_000_000;
		let hours = 0;
		for (let delayMs = await begun.look(); delayMs !== null && hours < 48; hours += 1) {
			platform.clock.advance(delayMs);
			delayMs = await begun.look();
		}
		expect(hours).toBeGreaterThanOrEqual(22);
		expect(hours).toBeLessThanOrEqual(26);
		expect(await agent.call("getSubmission", { params: { id } })).toMatchObject({ status: "evaluation_failed", quota: { used: 0 } });
	});
});

describe("a final round", () => {
	it("ends after a day with the provisional score if no ceiling is raised", async () => {
		const begun = await begin({ task: { final_round: true, deadline: hoursFromNow(25) } });
		const { platform, taskId, id, agent } = begun;
		await begun.lookAtAll();
		platform.ceilings.task_micro_usd = 2_000_000;
		platform.clock.advance(26 * HOUR_MS);
		await platform.ring(taskId);
		while ((await begun.look()) !== null) platform.clock.advance(4 * HOUR_MS);
		await platform.ring(taskId);
		expect(await agent.call("getLeaderboard", { params: { id: taskId } })).toMatchObject({
			provisional: false,
			taskStatus: "closed",
			entries: [{ submissionId: id, finalScore: 80, confirmed: false }],
		});
	});

	it("waits at a ceiling with the provisional order, and ends when the ceiling is raised", async () => {
		const begun = await begin({ task: { final_round: true, deadline: hoursFromNow(25) } });
		const { platform, taskId, id, agent, usage } = begun;
		const board = () => agent.call("getLeaderboard", { params: { id: taskId } });
		await begun.lookAtAll();
		expect((await usage())?.cost_usd).toBeCloseTo(0.2, 9);
		platform.ceilings.task_micro_usd = 2_000_000;
		platform.clock.advance(26 * HOUR_MS);
		await platform.ring(taskId);
		for (const until = platform.clock.now() + 20 * HOUR_MS; platform.clock.now() < until; ) {
			expect(await begun.look()).toBeGreaterThan(MINUTE_MS);
			platform.clock.advance(4 * HOUR_MS);
		}
		const provisional = { submissionId: id, finalScore: 80 };
		expect(await board()).toMatchObject({ provisional: true, taskStatus: "evaluating", entries: [provisional] });
		expect(await agent.call("getSubmission", { params: { id } })).toMatchObject({ status: "completed", scores: { final_score: 80 } });
		expect((await usage())?.cost_usd).toBeCloseTo(0.2, 9);
		platform.ceilings.task_micro_usd = 10_000_000;
		for (let delayMs = await begun.look(); delayMs !== null; delayMs = await begun.look()) platform.clock.advance(delayMs);
		await platform.ring(taskId);
		expect(await board()).toMatchObject({ provisional: false, taskStatus: "closed", entries: [{ ...provisional, confirmed: true }] });
		// The round used two criteria with five samples each, in addition to the two calls of the provisional score.
		expect((await usage())?.cost_usd).toBeCloseTo(1.2, 9);
	});
});

/** Judges the leader, and then lets identities without a chance submit until the ceiling stops them. */
async function flood(identities: number) {
	const begun = await begin({ task: { final_round: true, max_submissions_per_agent: 25 } });
	const { platform, taskId, agent } = begun;
	await begun.lookAtAll();
	// The ceiling has room for the final round of two candidates, which may cost 2.56 USD each, if a fifth is kept.
	platform.ceilings.task_micro_usd = 13_000_000;
	const floods: string[] = [];
	for (let number = 0; number < identities; number += 1) {
		const flooder = platform.as(await registerAgent(`Flood ${number}`));
		for (let copy = 0; copy < 8; copy += 1) floods.push((await submit(flooder, taskId)).id);
	}
	const lookAtFlood = () => Promise.all(floods.map((id) => begun.look(id)));
	for (let look = 0; look < 4; look += 1) {
		await lookAtFlood();
		platform.clock.advance(10 * MINUTE_MS);
	}
	const board = () => agent.call("getLeaderboard", { params: { id: taskId } });
	return { ...begun, board, floods };
}

describe("two identities that flood a task", () => {
	it("neither delay its final round nor use up its budget", async () => {
		const { platform, taskId, poster, board, readAll, floods, usage } = await flood(2);
		const used = (await usage())?.cost_usd ?? 0;
		expect(used).toBeLessThanOrEqual(0.2 + 2 * 1.3);
		expect(await queryTask(taskId, "select 1 from jobs where ceiling_since is not null")).not.toEqual([]);
		expect(floods.length).toBe(16);
		await poster.call("closeTask", { params: { id: taskId } });
		await platform.ring(taskId);
		const candidates = () =>
			queryTask<{ id: string }>(taskId, "select judged_id as id from final_candidates where outcome is null and judged_id = submission_id");
		for (let turn = 0; turn < 20 && (await candidates()).length > 0; turn += 1) {
			for (const { id } of await candidates()) await platform.look({ id, taskId });
			platform.clock.advance(10 * MINUTE_MS);
			await platform.ring(taskId);
		}
		expect(await board()).toMatchObject({ provisional: false });
		expect((await board()).entries.every(({ confirmed }) => confirmed)).toBe(true);
		expect((await readAll())[0]).toMatchObject({ status: "completed" });
	});
});

describe("a day's ceiling", () => {
	it("of the deployment tells operators of evaluations that do not fit, and has them look again seconds after it is raised", async () => {
		// The ceiling of the poster is reached too, which must not hide the deployment's.
		const ceilings = { poster_day_micro_usd: 300_000, deployment_day_micro_usd: 300_000 };
		const { platform, agent, taskId } = await begin({ ceilings, submissions: 0 });
		platform.clock.advance(startOfNextUtcDay(platform.clock.now()) + HOUR_MS - platform.clock.now());
		const { id } = await submit(agent, taskId);
		expect(await platform.look({ id, taskId })).toBeGreaterThanOrEqual(HOUR_MS);
		expect((await readPlatformState(platform.deps())).isAtCeiling).toBe(true);
		const operator = platform.as({ ...agent, key: ADMIN_TOKEN });
		await operator.call("setCeilings", { body: { poster_day: { usd: 10 }, deployment_day: { usd: 10 }, reason: "The first day." } });
		platform.clock.advance(10 * SECOND_MS);
		expect(await platform.look({ id, taskId })).toBeNull();
		expect(await agent.call("getSubmission", { params: { id } })).toMatchObject({ status: "completed", scores: { final_score: 80 } });
		expect((await readPlatformState(platform.deps())).isAtCeiling).toBe(false);
		await operator.call("setCeilings", {
			body: { poster_day: { usd: "configured" }, deployment_day: { usd: "configured" }, reason: "The test is over." },
		});
	});

	it("of a poster is checked each hour, and evaluations continue on the next day", async () => {
		const begun = await begin({ ceilings: { poster_day_micro_usd: 600_000 }, submissions: 2 });
		const { platform, poster, ids, lookAtAll } = begun;
		const tomorrow = startOfNextUtcDay(platform.clock.now());
		for (const id of ids) await begun.look(id);
		expect(await statuses(begun)).toEqual(["completed", "running"]);
		let looks = 0;
		while (platform.clock.now() < tomorrow) {
			const delays = (await lookAtAll()).map((delayMs) => delayMs ?? 0);
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
		const { company } = await poster.call("getDashboardStats", {});
		const days = [utcDayOf(tomorrow), utcDayOf(tomorrow - 1)];
		expect(company.judge_usage_by_day).toMatchObject(days.map((day) => ({ day, calls: 2, output_tokens: 200, cost_usd: 0.2 })));
	});

	it("may be exceeded by what is judged in parallel", async () => {
		const slow: JudgeStep = { ...honest(4), afterMs: 100 };
		const begun = await begin({ ceilings: { poster_day_micro_usd: 600_000 }, rules: [{ steps: [slow] }], submissions: 4 });
		await begun.lookAtAll();
		const cost = (await begun.usage())?.cost_usd ?? 0;
		expect(cost).toBeGreaterThanOrEqual(0.2);
		begun.platform.clock.advance(MINUTE_MS);
		await begun.lookAtAll();
		expect((await begun.usage())?.cost_usd).toBe(cost);
	});

	it("of the deployment applies to all posters together", async () => {
		const first = await begin({ submissions: 1 });
		await first.lookAtAll();
		const day = utcDayOf(first.platform.clock.now());
		const row = await queryOne<{ cost: number }>(
			"select cost_micro_usd as cost from judge_usage_days where holder = 'deployment' and day = ?",
			day,
		);
		expect(row?.cost).toBeGreaterThanOrEqual(200_000);
		const most = (row?.cost ?? 0) + 500_000;
		const second = await begin({ ceilings: { deployment_day_micro_usd: most } });
		await second.lookAtAll();
		expect(await second.readAll()).toMatchObject([{ status: "running", waiting_for: expect.stringContaining("for today") }]);
		delete second.platform.ceilings.deployment_day_micro_usd;
		second.platform.clock.advance(HOUR_MS + MINUTE_MS);
		await second.lookAtAll();
		expect(await statuses(second)).toEqual(["completed"]);
	});

	it("is counted in rows that are kept for 400 days", async () => {
		const insert = env.DB.prepare(
			"insert into judge_usage_days (holder, day, calls, input_tokens, output_tokens) values ('old', ?, 1, 1, 1)",
		);
		const { deps, clock } = judgedPlatform(null);
		const days = [399, 401].map((ago) => utcDayOf(clock.now() - ago * DAY_MS));
		await env.DB.batch(days.map((day) => insert.bind(day)));
		await forgetOldUsageDays(deps());
		const { results } = await env.DB.prepare("select day from judge_usage_days where holder = 'old'").all();
		expect(results).toEqual([{ day: days[0] }]);
	});
});

describe("a re-evaluation near a ceiling", () => {
	it("is rejected with the reason and changes nothing, and is accepted once the ceiling is raised", async () => {
		const { platform, agent, id, lookAtAll } = await begin({});
		await lookAtAll();
		const of = { params: { id } };
		const before = await agent.call("getSubmission", of);
		platform.ceilings.task_micro_usd = 250_000;
		const response = await agent.send("requestReEvaluation", of);
		expect(response.status).toBe(409);
		expect(await response.json()).toMatchObject({ error: { code: "CONFLICT", message: expect.stringContaining("80 %") } });
		expect(await agent.call("getSubmission", of)).toEqual(before);
		platform.ceilings.task_micro_usd = 260_000;
		expect((await agent.call("requestReEvaluation", of)).iteration).toBe(2);
	});

	it("of a day says when to try again", async () => {
		const { platform, agent, id, lookAtAll } = await begin({});
		await lookAtAll();
		platform.ceilings.poster_day_micro_usd = 250_000;
		const response = await agent.send("requestReEvaluation", { params: { id } });
		const tomorrow = startOfNextUtcDay(platform.clock.now());
		expect(response.status).toBe(409);
		expect(JSON.stringify(await response.json())).toContain(new Date(tomorrow).toISOString());
		const retryAfter = Number(response.headers.get("Retry-After"));
		expect(Math.abs(retryAfter - (tomorrow - platform.clock.now()) / 1000)).toBeLessThanOrEqual(1);
	});
});

describe("the reservation of a running evaluation", () => {
	it("counts until its attempt ends, also after a fault of the judge, whose usage counts", async () => {
		const rules: JudgeRule[] = [
			{ contains: "Name: Tests\n", steps: [{ kind: "content", content: "no" }, { kind: "status", status: 500 }, honest(4)] },
			{ steps: [honest(4)] },
		];
		const begun = await begin({ rules, judge: { parallelCalls: 1 }, ceilings: { poster_day_micro_usd: 10_000_000 } });
		let seen = 0;
		for (let delayMs = await begun.look(); delayMs !== null; delayMs = await begun.look()) {
			expect(await reservedBy(begun)).toEqual([]);
			expect((await begun.usage())?.calls).toBeGreaterThanOrEqual(seen);
			seen = (await begun.usage())?.calls ?? 0;
			begun.platform.clock.advance(delayMs);
		}
		expect(await statuses(begun)).toEqual(["completed"]);
		expect(await begun.usage()).toMatchObject({ calls: 3, cost_usd: 0.3 });
		const { company } = await begun.poster.call("getDashboardStats", {});
		expect(company.judge_usage_by_day).toMatchObject([await begun.usage()]);
	});

	it("is released when the claim of a consumer that died has expired", async () => {
		const begun = await begin({ ceilings: { task_micro_usd: 900_000 }, submissions: 2 });
		const { platform, taskId, script } = begun;
		const held = heldJudge();
		const { estimateCall } = judgeOf(script, DEAR);
		const judge = estimateCall === undefined ? held.judge : { ...held.judge, estimateCall };
		const dying = workOff(platform.deps({ judge, clock: { ...platform.clock, every: () => () => {} } }), taskId);
		await held.started;
		const waiting = await begun.look(begun.ids[1]);
		expect(waiting).toBeLessThanOrEqual(2 * MINUTE_MS);
		expect((await begun.readAll())[1]).toMatchObject({ waiting_for: expect.stringContaining("have reserved") });
		platform.clock.advance(Math.max(CLAIM_MS, waiting ?? 0));
		for (const id of begun.ids) await begun.look(id);
		expect(await statuses(begun)).toEqual(["completed", "completed"]);
		held.release();
		await dying;
		expect(await reservedBy(begun)).toEqual([]);
	});
});

describe("a dry run", () => {
	it("waits at the same ceilings, says so to its owner, and continues when they are raised", async () => {
		const { platform, poster, taskId } = await begin({ ceilings: { task_micro_usd: 500_000 }, submissions: 0 });
		const { id } = await poster.call("startDryRun", { params: { id: taskId }, body: { files: GOOD_FILES } });
		for (const until = platform.clock.now() + 20 * HOUR_MS; platform.clock.now() < until; ) {
			expect(await platform.look(id)).toBeGreaterThan(MINUTE_MS);
			platform.clock.advance(4 * HOUR_MS);
		}
		const waiting = await poster.call("getDryRun", { params: { id } });
		expect(waiting).toMatchObject({ status: "running", waiting_for: expect.stringContaining("spending ceiling") });
		delete platform.ceilings.task_micro_usd;
		expect(await platform.look(id)).toBeNull();
		expect(await poster.call("getDryRun", { params: { id } })).toMatchObject({ status: "completed", usage: { calls: 2, cost_usd: 0.2 } });
		expect((await poster.call("getTask", { params: { id: taskId } })).judge_usage).toMatchObject({ calls: 2 });
	});

	it("whose draft is deleted while it is judged still counts for the day", async () => {
		const script = await scriptJudge([{ steps: [{ ...honest(4), afterMs: 500 }] }]);
		const platform = judgedPlatform(judgeOf(script, DEAR), { poster_day_micro_usd: 10_000_000 });
		const poster = platform.as(await registerAgent("Poster"));
		const { id: taskId } = await createDraft(poster);
		await poster.call("startDryRun", { params: { id: taskId }, body: { files: GOOD_FILES } });
		const consumer = platform.deps();
		const judging = workOff(consumer, taskId);
		while ((await script.seen()).calls.length === 0) await scheduler.wait(20);
		await poster.call("deleteTask", { params: { id: taskId } });
		await judging;
		await consumer.settled();
		const { company } = await poster.call("getDashboardStats", {});
		expect(company.judge_usage_by_day).toMatchObject([{ calls: 2, cost_usd: 0.2 }]);
	});
});

describe("no ceiling applies", () => {
	const CLOSED = {
		task_tokens: 1,
		poster_day_tokens: 1,
		deployment_day_tokens: 1,
	};

	it("to a judge that calls no model", async () => {
		const platform = judgedPlatform(offlineJudge, CLOSED);
		const agent = platform.as(await registerAgent("Builder"));
		const { id } = await submit(agent, await openTask(await registerAgent("Poster")));
		expect(await platform.workOff()).toEqual([]);
		expect((await agent.call("getSubmission", { params: { id } })).status).toBe("completed");
		expect((await agent.call("requestReEvaluation", { params: { id } })).iteration).toBe(2);
	});

	it("to tasks that only an image judges", async () => {
		const begun = await createContainerTask({ find: [RUNNING, done({ notes: "Well done." })] });
		const config = { ...begun.world.deps().config, spend: applyCeilingChanges(begun.world.deps().config.spend, CLOSED) };
		await begun.workOff({ config });
		expect((await begun.read()).status).toBe("completed");
	});
});

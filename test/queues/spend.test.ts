// Tests spending ceilings: the cost of judging stays below them. Work waits for a day's ceiling, and ends at its task's.
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { workOff } from "../../src/compose/work-off.ts";
import { CLAIM_MS } from "../../src/core/competition/evaluation/rules.ts";
import { RESERVATION_TTL_MS } from "../../src/core/competition/spend/rules.ts";
import { offlineJudge } from "../../src/core/judging/engine/offline.ts";
import { readPlatformState } from "../../src/extensions/operating/operations/metrics.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS, startOfNextUtcDay, utcDayOf } from "../../src/platform/clock.ts";
import { runSweep } from "../../src/queues/sweeps.ts";
import { ADMIN_TOKEN, admin } from "../support/admin.ts";
import { createContainerTask } from "../support/container-judging.ts";
import { begin, CRITERIA, DEAR, type Setting } from "../support/dear-tasks.ts";
import { done, RUNNING } from "../support/grader-script.ts";
import { honest, type JudgeRule, type JudgeStep, scriptJudge } from "../support/judge-script.ts";
import { judgedPlatform } from "../support/judged-platform.ts";
import { judgeOf } from "../support/judging.ts";
import { createDraft, GOOD_FILES, openTask, registerAgent, submit } from "../support/scenario.ts";
import { queryOne } from "../support/storage.ts";
import { queryTask } from "../support/task-object.ts";
import { heldJudge } from "../support/world.ts";

/** Matches what an evaluation waits for. */
const atCeiling = (message: string) => ({ reason: "ceiling", message: expect.stringContaining(message) });

/** Returns a submission from an IP address. */
const from = (address: string, taskId: string) => {
	return { params: { id: taskId }, body: { files: GOOD_FILES }, headers: { "CF-Connecting-IP": address } };
};

type Begun = Awaited<ReturnType<typeof begin>>;

const warningsOf = async ({ poster, taskId }: Begun) => (await poster.call("getTask", { params: { id: taskId } })).warnings;
const statuses = async ({ readAll }: Begun) => (await readAll()).map(({ status }) => status);
/** Returns the reservations of jobs whose calls to models are under way. */
const reservedBy = ({ taskId }: Begun) => queryTask(taskId, "select subject_id from jobs where reserved is not null");

describe("a task's ceiling", () => {
	it("applies to parallel evaluations: what has no room ends at once, with its slot given back", async () => {
		const slow: JudgeStep = { ...honest(), afterMs: 100 };
		const begun = await begin({ ceilings: { task_micro_usd: 1_100_000 }, rules: [{ steps: [slow] }], submissions: 6 });
		const { platform, agent, taskId, lookAtAll, usage, script, readAll } = begun;
		await lookAtAll();
		const ended = await readAll();
		expect(ended.map(({ status }) => status).toSorted()).toEqual(["completed", "completed", ...Array(4).fill("evaluation_failed")]);
		const failed = ended.find(({ status }) => status === "evaluation_failed");
		expect(failed).toMatchObject({
			quota: { used: 2 },
			error_message: expect.stringMatching(/no room .* Your submission slot was given back/),
		});
		expect((await usage())?.cost_usd).toBeCloseTo(0.32, 9);
		expect((await script.seen()).calls).toHaveLength(4);
		expect(await reservedBy(begun)).toEqual([]);
		platform.ceilings.task_micro_usd = 100_000_000;
		const { id } = await submit(agent, taskId);
		await begun.look(id);
		expect(await agent.call("getSubmission", { params: { id } })).toMatchObject({ status: "completed", scores: { final_score: 100 } });
		expect((await warningsOf(begun))?.map(({ code }) => code)).not.toContain("NO_ROOM");
	});

	it("warns its owner, and agents that check their files, before a submission ends at it", async () => {
		const begun = await begin({ ceilings: { task_micro_usd: 600_000 } });
		const { agent, taskId } = begun;
		const check = () => agent.call("checkSubmission", { params: { id: taskId }, body: { files: GOOD_FILES } });
		expect((await check()).warnings.map(({ code }) => code)).not.toContain("NO_ROOM");
		await begun.look();
		expect(await statuses(begun)).toEqual(["completed"]);
		expect(await warningsOf(begun)).toContainEqual(expect.objectContaining({ code: "NO_ROOM" }));
		expect((await check()).warnings).toContainEqual(expect.objectContaining({ code: "NO_ROOM" }));
	});

	it("warns its owner when it is published with too low a ceiling for any evaluation", async () => {
		const { platform } = await begin({ submissions: 0 });
		const owner = platform.as(await registerAgent("Poster"));
		const warned = async (ceiling: number) => {
			platform.ceilings.task_micro_usd = ceiling;
			const { id } = await createDraft(owner, { criteria: CRITERIA });
			return (await owner.call("publishTask", { params: { id } })).warnings.map(({ code }) => code);
		};
		expect(await warned(511_999)).toContain("NO_ROOM");
		expect(await warned(512_000)).not.toContain("NO_ROOM");
	});

	it("counts the usage that operators see of the task", async () => {
		const begun = await begin({ submissions: 2 });
		await begun.lookAtAll();
		const { tasks, posters, days } = await admin.call("getSpend");
		const used = { output_tokens: 400, cost_usd: 0.32 };
		expect(tasks.find(({ task_id }) => task_id === begun.taskId)).toMatchObject(used);
		expect(posters.find(({ agent_id }) => agent_id === begun.poster.agentId)).toMatchObject(used);
		expect(days[0]?.evaluations).toBeGreaterThanOrEqual(2);
	});

	it("gives agents of one network one share together", async () => {
		const begun = await begin({ ceilings: { task_micro_usd: 6_000_000 }, submissions: 0, task: { max_submissions_per_agent: 25 } });
		const { platform, taskId } = begun;
		const outcomes: string[] = [];
		for (let number = 0; number < 5; number += 1) {
			const twin = platform.as(await registerAgent(`Twin ${number}`));
			const { id } = await twin.call("quickSubmit", from(`203.0.113.${number}`, taskId));
			await begun.look(id);
			outcomes.push((await twin.call("getSubmission", { params: { id } })).status);
		}
		expect(outcomes).toEqual(["completed", "completed", "completed", "evaluation_failed", "evaluation_failed"]);
	});

	it("counts only 20 of an evaluation's 40 checks towards the share of its agent", async () => {
		const checks = Array.from({ length: 8 }, (_, index) => `Function number ${index} asserts something`);
		const criteria = CRITERIA.concat(["Style", "Docs", "Speed"].map((name) => ({ name, description: "assert", weight: 20, checks }))).map(
			(criterion) => ({ ...criterion, weight: 20, checks }),
		);
		const begun = await begin({ ceilings: { task_micro_usd: 80_000_000 }, task: { criteria, budget_cents: 1_000_000 }, submissions: 4 });
		for (const id of begun.ids) await begun.look(id);
		expect(await begun.readAll()).toMatchObject(Array(4).fill({ status: "completed" }));
	});

	it("counts a run of the poster once, for any number of paid attempts", async () => {
		const busy: JudgeStep = { kind: "status", status: 429, headers: { "Retry-After": "1" } };
		const rules = [{ contains: "Tests", steps: [busy, honest(), busy, honest(), busy, honest()] }, { steps: [honest()] }];
		const { platform, poster, taskId } = await begin({ ceilings: { task_micro_usd: 6_000_000 }, submissions: 0, rules });
		const runsOf = () => queryTask(taskId, "select poster_runs from usage where holder = 'task'");
		const outcomes: string[] = [];
		for (let number = 0; number < 3; number += 1) {
			const { id } = await poster.call("startDryRun", { params: { id: taskId }, body: { files: GOOD_FILES } });
			platform.clock.advance((await platform.look(id)) ?? 0);
			expect(await runsOf()).toEqual([{ poster_runs: number + 1 }]);
			await platform.look(id);
			outcomes.push((await poster.call("getDryRun", { params: { id } })).status);
		}
		expect(await runsOf()).toEqual([{ poster_runs: 3 }]);
		expect(outcomes).toEqual(["completed", "completed", "completed"]);
	});
});

/** Submits with a day's ceiling that is too low, which the poster's own ceiling is for each test. */
const waitingAtCeiling = (setting: Setting = {}) => begin({ ceilings: { poster_day_micro_usd: 500_000 }, ...setting });

describe("a wait for a day's ceiling", () => {
	it("costs no attempt, time or slot, and everyone who reads the submission sees why", async () => {
		const begun = await waitingAtCeiling();
		const { platform, poster, agent, id, usage } = begun;
		for (const until = platform.clock.now() + 20 * HOUR_MS; platform.clock.now() < until; ) {
			expect(await begun.look()).toBeLessThanOrEqual(HOUR_MS + MINUTE_MS);
			// Many evaluations may wait for the same moment, so this one is looked at late.
			platform.clock.advance(4 * HOUR_MS);
		}
		const of = { params: { id } };
		const waiting = await agent.call("getSubmission", of);
		expect(waiting).toMatchObject({ status: "running", evaluated: false, scores: null, quota: { used: 1 } });
		expect(waiting.waiting_for).toEqual({
			...atCeiling("continues when the ceiling is raised"),
			since: expect.any(String),
			until: new Date(Date.parse(waiting.created_at) + DAY_MS).toISOString(),
		});
		expect((await poster.call("getSubmission", of)).waiting_for).toEqual(waiting.waiting_for);
		expect((await agent.call("getSubmissionDetails", of)).waiting_for).toEqual(waiting.waiting_for);
		expect(await platform.anybody.call("getSubmissionStatus", of)).toEqual({
			id,
			status: "running",
			evaluated: false,
			scores: null,
			position: null,
			waiting_for: waiting.waiting_for,
		});
		expect((await usage())?.calls).toBe(0);
		expect(await begun.job()).toMatchObject({ faults: 0 });
		platform.ceilings.poster_day_micro_usd = 10_000_000;
		expect(await begun.look()).toBeNull();
		const judged = await agent.call("getSubmission", of);
		expect(judged).toMatchObject({ status: "completed", scores: { final_score: 100 }, quota: { used: 1 } });
		expect(judged.waiting_for).toBeNull();
	});

	it("ends after a day, as the platform's fault", async () => {
		const begun = await waitingAtCeiling();
		const { platform, agent, id } = begun;
		const from = platform.clock.now();
		while ((await begun.look()) !== null) platform.clock.advance(4 * HOUR_MS);
		expect(platform.clock.now() - from).toBeGreaterThanOrEqual(DAY_MS);
		expect(platform.clock.now() - from).toBeLessThan(DAY_MS + 5 * HOUR_MS);
		const ended = await agent.call("getSubmission", { params: { id } });
		expect(ended).toMatchObject({ status: "evaluation_failed", quota: { used: 0 } });
		expect(ended.error_message).toMatch(/waited 24 hours in total.*spending ceiling/);
	});
});

describe("an evaluation that has waited for a ceiling for hours", () => {
	it("keeps its time if a provider's rate limit follows: the wait costs no attempt and no time", async () => {
		const limited: JudgeStep = { kind: "status", status: 429, headers: { "Retry-After": "3600" } };
		const begun = await waitingAtCeiling({ rules: [{ steps: [limited, limited, limited, honest()] }] });
		const { platform, agent, id } = begun;
		for (const until = platform.clock.now() + 20 * HOUR_MS; platform.clock.now() < until; ) {
			await begun.look();
			platform.clock.advance(4 * HOUR_MS);
		}
		platform.ceilings.poster_day_micro_usd = 10_000_000;
		for (let look = 0; look < 5; look += 1) {
			const delayMs = await begun.look();
			if (delayMs === null) break;
			platform.clock.advance(delayMs);
		}
		expect(await agent.call("getSubmission", { params: { id } })).toMatchObject({ status: "completed", scores: { final_score: 100 } });
	});

	it("ends after 24 hours of waits in all, also if a provider's rate limit has followed", async () => {
		const limited: JudgeStep = { kind: "status", status: 429, headers: { "Retry-After": "3600" } };
		const begun = await waitingAtCeiling({ rules: [{ steps: [limited] }] });
		const { platform, agent, id } = begun;
		const from = platform.clock.now();
		for (const until = from + 20 * HOUR_MS; platform.clock.now() < until; ) {
			await begun.look();
			platform.clock.advance(4 * HOUR_MS);
		}
		platform.ceilings.poster_day_micro_usd = 10_000_000;
		for (let delayMs = await begun.look(); delayMs !== null; delayMs = await begun.look()) platform.clock.advance(delayMs);
		expect(platform.clock.now() - from).toBeGreaterThanOrEqual(DAY_MS);
		expect(platform.clock.now() - from).toBeLessThan(DAY_MS + HOUR_MS);
		expect(await agent.call("getSubmission", { params: { id } })).toMatchObject({ status: "evaluation_failed", quota: { used: 0 } });
	});
});

/** Judges the leader, and then lets identities without a chance submit until the ceiling stops them. */
async function flood(identities: number) {
	const begun = await begin({ task: { final_round: true, max_submissions_per_agent: 25 } });
	const { platform, taskId, agent } = begun;
	await begun.lookAtAll();
	// The ceiling has room for the final round of three candidates, which may cost 2.56 USD each, if a third is kept.
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
		const ended = await queryTask(taskId, "select 1 from submissions where status = 'evaluation_failed'");
		expect(ended.length).toBeGreaterThan(0);
		expect(floods.length).toBe(16);
		await poster.call("closeTask", { params: { id: taskId } });
		await platform.workOffTask(taskId);
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
		await operator.call("setCeilings", { body: { poster_day_usd: 10, deployment_day_usd: 10, reason: "The first day." } });
		platform.clock.advance(10 * SECOND_MS);
		expect(await platform.look({ id, taskId })).toBeNull();
		expect(await agent.call("getSubmission", { params: { id } })).toMatchObject({ status: "completed", scores: { final_score: 100 } });
		expect((await readPlatformState(platform.deps())).isAtCeiling).toBe(false);
		await operator.call("setCeilings", {
			body: { as_configured: ["poster_day_usd", "deployment_day_usd"], reason: "The test is over." },
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
			if (looks > 0) expect(waiting?.waiting_for).toMatchObject(atCeiling(new Date(tomorrow).toISOString()));
			looks += 1;
			platform.clock.advance(Math.max(...delays));
		}
		expect(looks).toBeLessThanOrEqual(27);
		expect(platform.clock.now()).toBeLessThan(tomorrow + 5 * MINUTE_MS);
		await lookAtAll();
		expect(await statuses(begun)).toEqual(ids.map(() => "completed"));
		const { company } = await poster.call("getDashboardStats", {});
		const days = [utcDayOf(tomorrow), utcDayOf(tomorrow - 1)];
		expect(company.judge_usage_by_day).toMatchObject(days.map((day) => ({ day, evaluations: 1, output_tokens: 200, cost_usd: 0.16 })));
	});

	it("is not exceeded by what is judged in parallel", async () => {
		const slow: JudgeStep = { ...honest(), afterMs: 100 };
		const begun = await begin({ ceilings: { poster_day_micro_usd: 1_100_000 }, rules: [{ steps: [slow] }], submissions: 4 });
		await begun.lookAtAll();
		expect((await begun.usage())?.cost_usd).toBeCloseTo(0.32, 9);
		const waiting = (await begun.readAll()).filter(({ status }) => status === "running");
		expect(waiting.map(({ waiting_for }) => waiting_for)).toMatchObject(Array(2).fill(atCeiling("have reserved")));
		begun.platform.clock.advance(10 * MINUTE_MS);
		await begun.lookAtAll();
		expect((await begun.usage())?.cost_usd).toBeCloseTo(0.48, 9);
	});

	it("gives one network a tenth, and leaves the rest to others", async () => {
		// A tenth of 60 USD is more than three usual evaluations of 1.28 USD, and has room for 28 that cost 0.16 USD and may cost 0.512.
		const begun = await begin({ submissions: 0 });
		const { platform, taskId } = begun;
		const day = utcDayOf(platform.clock.now());
		const row = await queryOne<{ settled: number }>("select settled from judge_days where scope = 'deployment' and day = ?", day);
		platform.ceilings.deployment_day_micro_usd = 60_000_000 + (row?.settled ?? 0) * 2;
		const flooder = platform.as(await registerAgent("Flood"));
		const fill = "update judge_days set settled = ? where scope like 'payer:network:%' and settled > 0 and day = ?";
		const first = await flooder.call("quickSubmit", from("203.0.114.1", taskId));
		await begun.look(first.id);
		await env.DB.prepare(fill).bind(50_000_000, day).run();
		const { id } = await flooder.call("quickSubmit", from("203.0.114.1", taskId));
		await begun.look(id);
		const waiting = await flooder.call("getSubmission", { params: { id } });
		expect(waiting).toMatchObject({ status: "running", waiting_for: atCeiling("ceiling for this person or network") });
		expect((await readPlatformState(platform.deps())).isAtCeiling).toBe(false);
		const other = platform.as(await registerAgent("Other"));
		// A random network may have paid for an evaluation of an earlier test, so it would be full too.
		const honestOne = await other.call("quickSubmit", from("203.0.115.1", taskId));
		await begun.look(honestOne.id);
		expect((await other.call("getSubmission", { params: { id: honestOne.id } })).status).toBe("completed");
	});
});

describe("a re-evaluation without room under its task's ceiling", () => {
	it("is withdrawn: the submission has again what it had", async () => {
		const { platform, agent, poster, id, taskId, look } = await begin({});
		await look();
		const of = { params: { id } };
		const read = async () => ({ ...(await agent.call("getSubmission", of)), artifact: null });
		const before = await read();
		platform.ceilings.task_micro_usd = 250_000;
		for (const client of [agent, poster]) {
			await client.call("requestReEvaluation", of);
			expect(await look()).toBeNull();
			expect(await read()).toEqual(before);
			platform.clock.advance(2 * HOUR_MS);
		}
		const board = await agent.call("getLeaderboard", { params: { id: taskId } });
		expect(board.entries).toMatchObject([{ submissionId: id, finalScore: 100 }]);
		platform.ceilings.task_micro_usd = 10_000_000;
		expect((await agent.call("requestReEvaluation", of)).iteration).toBe(2);
		expect(await look()).toBeNull();
		expect((await agent.call("getSubmission", of)).status).toBe("completed");
	});
});

describe("the reservation of a running evaluation", () => {
	it("counts until its attempt ends, also after a fault of the judge, whose usage counts", async () => {
		const rules: JudgeRule[] = [
			{ contains: "Name: Tests\n", steps: [{ kind: "status", status: 429, headers: { "Retry-After": "60" } }, honest()] },
			{ steps: [honest()] },
		];
		const begun = await begin({ rules, ceilings: { poster_day_micro_usd: 10_000_000 } });
		let seen = 0;
		for (let delayMs = await begun.look(); delayMs !== null; delayMs = await begun.look()) {
			expect(await reservedBy(begun)).toEqual([]);
			expect((await begun.usage())?.calls).toBeGreaterThanOrEqual(seen);
			seen = (await begun.usage())?.calls ?? 0;
			begun.platform.clock.advance(delayMs);
		}
		expect(await statuses(begun)).toEqual(["completed"]);
		expect(await begun.usage()).toMatchObject({ calls: 2, cost_usd: 0.16 });
		const { company } = await begun.poster.call("getDashboardStats", {});
		expect(company.judge_usage_by_day).toMatchObject([{ evaluations: 1, cost_usd: 0.16 }]);
	});

	it("is released when the claim of a consumer that died has expired, and for the day by a sweep", async () => {
		const begun = await begin({ ceilings: { poster_day_micro_usd: 900_000 }, submissions: 2 });
		const { platform, taskId, script } = begun;
		const held = heldJudge();
		const { estimate } = judgeOf(script, DEAR);
		const judge = { ...held.judge, estimate };
		const dying = workOff(platform.deps({ judge, clock: { ...platform.clock, every: () => () => {} } }), taskId);
		await held.started;
		const waiting = await begun.look(begun.ids[1]);
		expect(waiting).toBeLessThanOrEqual(2 * MINUTE_MS);
		expect((await begun.readAll())[1]).toMatchObject({ waiting_for: atCeiling("have reserved") });
		platform.clock.advance(CLAIM_MS + RESERVATION_TTL_MS);
		await runSweep(platform.deps(), "settle");
		for (const id of begun.ids) await begun.look(id);
		expect(await statuses(begun)).toEqual(["completed", "completed"]);
		held.release();
		await dying;
		expect(await reservedBy(begun)).toEqual([]);
	});
});

describe("a dry run", () => {
	it("waits at the same ceilings, says so to its owner, and continues when they are raised", async () => {
		const { platform, poster, taskId } = await waitingAtCeiling({ submissions: 0 });
		const { id } = await poster.call("startDryRun", { params: { id: taskId }, body: { files: GOOD_FILES } });
		for (const until = platform.clock.now() + 20 * HOUR_MS; platform.clock.now() < until; ) {
			expect(await platform.look(id)).toBeGreaterThan(MINUTE_MS);
			platform.clock.advance(4 * HOUR_MS);
		}
		const waiting = await poster.call("getDryRun", { params: { id } });
		expect(waiting).toMatchObject({ status: "running", waiting_for: atCeiling("spending ceiling") });
		delete platform.ceilings.poster_day_micro_usd;
		expect(await platform.look(id)).toBeNull();
		expect(await poster.call("getDryRun", { params: { id } })).toMatchObject({ status: "completed", usage: { calls: 2, cost_usd: 0.16 } });
		expect((await poster.call("getTask", { params: { id: taskId } })).judge_usage).toMatchObject({ calls: 2 });
	});

	it("whose draft is deleted while it is judged still counts for the day", async () => {
		const script = await scriptJudge([{ steps: [{ ...honest(), afterMs: 500 }] }]);
		const platform = judgedPlatform(judgeOf(script, DEAR), { poster_day_micro_usd: 10_000_000 });
		const poster = platform.as(await registerAgent("Poster"));
		const { id: taskId } = await createDraft(poster, { criteria: CRITERIA });
		await poster.call("startDryRun", { params: { id: taskId }, body: { files: GOOD_FILES } });
		const consumer = platform.deps();
		const judging = workOff(consumer, taskId);
		while ((await script.seen()).calls.length === 0) await scheduler.wait(20);
		await poster.call("deleteTask", { params: { id: taskId } });
		await judging;
		await consumer.settled();
		const { company } = await poster.call("getDashboardStats", {});
		expect(company.judge_usage_by_day).toMatchObject([{ evaluations: 1, cost_usd: 0.16 }]);
	});
});

describe("no ceiling applies", () => {
	const CLOSED = {
		task_micro_usd: 1,
		poster_day_micro_usd: 1,
		deployment_day_micro_usd: 1,
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
		const { config: configured } = begun.world.deps();
		const config = { ...configured, spend: { ...configured.spend, ceilings: { ...configured.spend.ceilings, ...CLOSED } } };
		await begun.workOff({ config });
		expect((await begun.read()).status).toBe("completed");
	});
});

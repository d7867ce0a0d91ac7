// Tests messages, consumers and alarms of the evaluations of a Task object.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { workOff } from "../../src/compose/work-off.ts";
import { finishJob, renewJob } from "../../src/core/competition/evaluation/loop.ts";
import { LOST_MESSAGE_MS } from "../../src/core/competition/evaluation/messages.ts";
import { CLAIM_MS } from "../../src/core/competition/evaluation/rules.ts";
import { offlineJudge } from "../../src/core/judging/engine/offline.ts";
import { EvaluationFault } from "../../src/domain/evaluation-fault.ts";
import type { Deps } from "../../src/ports/deps.ts";
import type { Judge } from "../../src/ports/judge.ts";
import { changeSubmissions } from "../support/house.ts";
import { registerAgent } from "../support/scenario.ts";
import { count, listBucket } from "../support/storage.ts";
import { queryTask, snapshotTask } from "../support/task-object.ts";
import { createWorld, failingJudge, findJob, heldJudge, PLATFORM_FAULT, QUEUE, type World } from "../support/world.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

const poster = await registerAgent("Poster");

/** Returns a world with one submission that waits for its evaluation. */
async function begin() {
	const world = createWorld();
	const agent = await registerAgent();
	const taskId = await world.openTask(poster);
	world.tasks.sent.length = 0;
	const { id } = await world.submit(agent, taskId);
	const as = world.enter(agent);
	return {
		world,
		agent,
		taskId,
		id,
		read: () => as.call("getSubmission", { params: { id } }),
		job: () => findJob({ id, taskId }),
		evaluations: async () => (await queryTask(taskId, "select id from evaluations where submission_id = ?", id)).length,
		quotaUsed: async () => (await as.call("getTask", { params: { id: taskId } })).quota.used,
		snapshot: async () => ({ task: await snapshotTask(taskId), bucket: await listBucket(`tasks/${taskId}/`) }),
		/** Returns what was sent to the queue since the last call. */
		sent: () => world.tasks.sent.splice(0).map(({ message: { taskId: id } }) => ({ taskId: id })),
		later: async (ms: number) => {
			world.clock.advance(ms);
			await world.ring(taskId);
		},
	};
}

/** Lets a consumer begin the next job and judge until the test releases it. It renews its claim only when the test does so. */
async function holdJob(world: World, taskId: string) {
	const held = heldJudge();
	const deps = world.deps({ judge: held.judge, clock: { ...world.clock, every: () => () => {} } });
	const working = workOff(deps, taskId);
	await held.started;
	return { deps, held, working };
}

async function claimOf(taskId: string) {
	const [job] = await queryTask<{ kind: "evaluation"; subjectId: string; token: string }>(
		taskId,
		"select kind, subject_id as subjectId, claim_token as token from jobs where claim_token is not null",
	);
	if (job === undefined) throw new Error("No job is claimed.");
	return job;
}

describe("a message", () => {
	it("is sent once for a submission, and contains only the ids of the task and of the request", async () => {
		const { world, taskId } = await begin();
		expect(world.tasks.sent).toEqual([{ message: { taskId, requestId: expect.any(String) }, delaySeconds: 0 }]);
	});

	it("that is delivered twice evaluates once", async () => {
		const { world, taskId, read, evaluations, snapshot } = await begin();
		expect(await world.deliver(QUEUE, [{ taskId }])).toEqual({ acked: [0], retried: [] });
		expect(await read()).toMatchObject({ status: "completed", evaluated: true });
		const before = await snapshot();
		expect(await world.deliver(QUEUE, [{ taskId }])).toEqual({ acked: [0], retried: [] });
		expect(await snapshot()).toEqual(before);
		expect(await evaluations()).toBe(1);
	});

	it("that is delivered many times in parallel evaluates once", async () => {
		const { world, taskId, id, read, evaluations } = await begin();
		const message = { taskId };
		await Promise.all([world.deliver(QUEUE, [message, message, message]), world.deliver(QUEUE, [message, message])]);
		expect(await read()).toMatchObject({ status: "completed" });
		expect(await evaluations()).toBe(1);
		await world.ring(taskId);
		expect(await countTold("submission.completed", id)).toBe(1);
	});

	it("that cannot be read is retried, and does not block others", async () => {
		const { world, taskId, read } = await begin();
		const outcome = await world.deliver(QUEUE, [{ taskId: "no id" }, { taskId }, null, "text"]);
		expect({ acked: outcome.acked, retried: outcome.retried.toSorted() }).toEqual({ acked: [1], retried: [0, 2, 3] });
		expect(await read()).toMatchObject({ status: "completed" });
	});

	it("about a task that does not exist is acknowledged, and creates none", async () => {
		const world = createWorld();
		const taskId = crypto.randomUUID();
		expect(await world.deliver(QUEUE, [{ taskId }])).toEqual({ acked: [0], retried: [] });
		expect(await queryTask(taskId, "select name from sqlite_master where name = 'tasks'")).toEqual([]);
	});

	it("that is lost is sent again after half a minute, and after twice the time from then on, as long as there is work", async () => {
		const { world, taskId, sent, later } = await begin();
		expect(sent()).toEqual([{ taskId }]);
		await later(LOST_MESSAGE_MS - 1);
		expect(sent()).toEqual([]);
		await later(1);
		expect(sent()).toEqual([{ taskId }]);
		await later(2 * LOST_MESSAGE_MS - 1);
		expect(sent()).toEqual([]);
		await later(1);
		expect(sent()).toEqual([{ taskId }]);
		await world.deliver(QUEUE, [{ taskId }]);
		await later(4 * LOST_MESSAGE_MS);
		expect(sent()).toEqual([]);
	});

	it("that waits in a long queue is repeated a few times only, and the next one has its half a minute again", async () => {
		const { world, taskId, agent, sent, later } = await begin();
		sent();
		for (let waited = 0; waited < 10 * MINUTE_MS; waited += LOST_MESSAGE_MS) await later(LOST_MESSAGE_MS);
		// After 30, 90, 210 and 450 seconds.
		expect(sent()).toHaveLength(4);
		await world.deliver(QUEUE, [{ taskId }]);
		await later(MINUTE_MS);
		await world.submit(agent, taskId);
		expect(sent()).toHaveLength(1);
		await later(LOST_MESSAGE_MS);
		expect(sent()).toHaveLength(1);
	});

	it("that cannot be sent is lost", async () => {
		const { world, taskId, agent, sent, later } = await begin();
		await world.visitTask(taskId);
		sent();
		const { send } = world.tasks;
		world.tasks.send = () => Promise.reject(new Error("The queue is gone."));
		const { id } = await world.submit(agent, taskId);
		world.tasks.send = send;
		await later(LOST_MESSAGE_MS);
		expect(sent()).toEqual([{ taskId }]);
		await world.visitTask(taskId);
		expect(await findJob({ id, taskId })).toBeNull();
	});
});

describe("a dead letter", () => {
	it("changes nothing: the task's alarm has sent other messages", async () => {
		const { world, taskId, read, snapshot } = await begin();
		const before = await snapshot();
		expect(await world.deliver(`${QUEUE}-dead`, [{ taskId }])).toEqual({ acked: [0], retried: [] });
		expect(await snapshot()).toEqual(before);
		await world.deliver(QUEUE, [{ taskId }]);
		expect(await read()).toMatchObject({ status: "completed" });
	});
});

describe("a consumer that dies", () => {
	it("while it holds the claim is replaced within two minutes, and its later work changes nothing", async () => {
		const { world, taskId, job, read, evaluations, snapshot, sent, later } = await begin();
		const held = heldJudge();
		// The clock of this consumer is fixed, so it does not renew its claim.
		const dead = world.deps({ judge: held.judge, clock: { ...world.clock, every: () => () => {} } });
		const dying = workOff(dead, taskId);
		await held.started;
		sent();
		await later(CLAIM_MS - 1);
		await world.visitTask(taskId);
		expect(await job()).toMatchObject({ state: "claimed", attempts: 1 });
		await later(1);
		expect(sent()).toEqual([{ taskId }]);
		await world.visitTask(taskId);
		const judged = await read();
		expect(judged).toMatchObject({ status: "completed" });
		const before = await snapshot();
		held.release();
		await dying;
		expect(await snapshot()).toEqual(before);
		expect(await evaluations()).toBe(1);
		expect(await read()).toEqual(judged);
	});
});

describe("a result of an earlier attempt", () => {
	/** Returns an attempt whose judge is held, and whose claim has expired. */
	async function beginLate(judge = heldJudge()) {
		const begun = await begin();
		const own = begun.world.deps({ judge: judge.judge, clock: { ...begun.world.clock, every: () => () => {} } });
		const working = workOff(own, begun.taskId);
		await judge.started;
		await begun.later(CLAIM_MS);
		const end = async () => {
			judge.release();
			await working;
		};
		return { ...begun, end };
	}

	it("changes nothing during the next attempt, whose result counts", async () => {
		const { world, taskId, job, read, evaluations, snapshot, end } = await beginLate();
		const held = heldJudge();
		const working = workOff(world.deps({ judge: held.judge }), taskId);
		await held.started;
		const before = await snapshot();
		await end();
		expect(await snapshot()).toEqual(before);
		expect(await job()).toMatchObject({ state: "claimed", attempts: 2 });
		expect(await read()).toMatchObject({ status: "running" });
		held.release();
		await working;
		expect(await read()).toMatchObject({ status: "completed" });
		expect(await evaluations()).toBe(1);
	});

	it("changes nothing while the job waits after a fault", async () => {
		const { world, taskId, job, snapshot, end } = await beginLate();
		await world.visitTask(taskId, { judge: failingJudge(PLATFORM_FAULT) });
		const before = await snapshot();
		await end();
		expect(await snapshot()).toEqual(before);
		expect(await job()).toMatchObject({ state: "waiting", attempts: 2, faults: 0 });
	});

	it("keeps the usage of its calls to models, which must be paid", async () => {
		const { world, taskId, id, job } = await begin();
		const before = await job();
		const used = [{ model: "model-a", calls: 2, inputTokens: 10, outputTokens: 5, cachedTokens: 0, costMicroUsd: 3 }];
		const claim = { kind: "evaluation", subjectId: id, token: "taken by another consumer" } as const;
		const input = { claim, startedAt: world.clock.now(), used, findings: {}, result: { kind: "done" } } as const;
		expect(await world.deps().hubs.callTask(taskId, finishJob, { input, now: world.clock.now() })).toBe("late");
		const { judge_usage } = await world.enter(poster).call("getTask", { params: { id: taskId } });
		expect(judge_usage).toMatchObject({ calls: 2, input_tokens: 10, output_tokens: 5 });
		expect(await job()).toEqual(before);
	});

	it("costs no attempt if it is a fault", async () => {
		const { promise, reject } = Promise.withResolvers<never>();
		const started = Promise.withResolvers<void>();
		const judge = {
			...offlineJudge,
			evaluate: () => {
				started.resolve();
				return promise;
			},
		};
		promise.catch(() => {});
		const { world, taskId, job, end } = await beginLate({ judge, started: started.promise, release: () => reject(PLATFORM_FAULT) });
		const held = heldJudge();
		const working = workOff(world.deps({ judge: held.judge }), taskId);
		await held.started;
		await end();
		expect(await job()).toMatchObject({ state: "claimed", attempts: 2, faults: 0 });
		held.release();
		await working;
	});
});

describe("a repeated call to the object whose reply was lost", () => {
	it("claims, renews and finishes once", async () => {
		const { world, taskId, id, read, evaluations, quotaUsed } = await begin();
		const { hubs } = world.deps();
		const twice: Deps["hubs"] = {
			...hubs,
			async callTask(...call) {
				await hubs.callTask(...call);
				return hubs.callTask(...call);
			},
		};
		await world.visitTask(taskId, { hubs: twice, judge: failingJudge(PLATFORM_FAULT) });
		expect(await findJob({ id, taskId })).toMatchObject({ attempts: 1, faults: 0, state: "waiting" });
		world.clock.advance(5000);
		await world.visitTask(taskId, { hubs: twice });
		expect(await read()).toMatchObject({ status: "completed", evaluated: true });
		expect({ evaluations: await evaluations(), quota: await quotaUsed() }).toEqual({ evaluations: 1, quota: 1 });
	});
});

describe("a consumer that keeps working", () => {
	it("keeps its claim", async () => {
		const { world, taskId, job, read, evaluations } = await begin();
		const held = heldJudge();
		const own = world.deps({ judge: held.judge });
		const working = workOff(own, taskId);
		await held.started;
		for (let step = 0; step < 20; step += 1) {
			world.clock.advance(20_000);
			await own.settled();
			await world.ring(taskId);
			await world.visitTask(taskId);
			expect(await job()).toMatchObject({ state: "claimed", attempts: 1 });
		}
		held.release();
		await working;
		expect(await read()).toMatchObject({ status: "completed" });
		expect(await evaluations()).toBe(1);
	});
});

describe("faults of the platform", () => {
	it("are waited for with growing delays, end visibly after 24 hours, and return the slot once", async () => {
		const { world, taskId, id, read, quotaUsed, later, sent } = await begin();
		const judge = failingJudge(PLATFORM_FAULT);
		const began = world.clock.now();
		for (const seconds of [5, 5, 5, 7.5, 11.25]) {
			sent();
			expect(await world.deliver(QUEUE, [{ taskId }], { judge })).toEqual({ acked: [0], retried: [] });
			expect(await read()).toMatchObject({
				status: "running",
				evaluated: false,
				waiting_for: { reason: "supplier", since: new Date(began).toISOString(), until: new Date(began + DAY_MS).toISOString() },
			});
			await later(seconds * 1000 - 1);
			await world.visitTask(taskId, { judge });
			expect(sent()).toEqual([]);
			await later(1);
			expect(sent()).toEqual([{ taskId }]);
		}
		expect(await findJob({ id, taskId })).toMatchObject({ faults: 0 });
		expect(await quotaUsed()).toBe(1);
		await later(began + DAY_MS - world.clock.now() - 1);
		await world.deliver(QUEUE, [{ taskId }], { judge });
		expect(await read()).toMatchObject({ status: "running" });
		await later(1);
		const failed = await read();
		expect(failed).toMatchObject({ status: "evaluation_failed", evaluated: false, scores: null, quota: { used: 0 }, waiting_for: null });
		expect(failed.error_message).toMatch(/24 hours.*The judge cannot be reached\./);
		expect(failed.error_message).toContain("slot was given back");
		await world.deliver(QUEUE, [{ taskId }]);
		expect(await findJob({ id, taskId })).toBeNull();
		expect(await read()).toEqual(failed);
		expect(await quotaUsed()).toBe(0);
	});

	it("are also waited for if they are unexpected, and reveal nothing internal", async () => {
		const { world, taskId, id, read } = await begin();
		const reasons = await world.waitOut({ id, taskId }, { judge: failingJudge(new TypeError("secret of the inside")) });
		expect(reasons).toContain("supplier");
		const failed = await read();
		expect(failed.status).toBe("evaluation_failed");
		expect(failed.error_message).not.toContain("secret");
	});
});

describe("faults of the submission", () => {
	it("include files that were erased before they were judged", async () => {
		const { world, taskId, read, quotaUsed } = await begin();
		await changeSubmissions(taskId, "artifact_key = null");
		await world.deliver(QUEUE, [{ taskId }]);
		expect(await read()).toMatchObject({ status: "evaluation_failed" });
		expect(await quotaUsed()).toBe(1);
	});

	it("end immediately and keep the slot", async () => {
		const { world, taskId, job, read, quotaUsed } = await begin();
		const fault = new EvaluationFault("The artifact cannot be read.", { blame: "submission", isRetryable: false });
		await world.visitTask(taskId, { judge: failingJudge(fault) });
		expect(await job()).toBeNull();
		expect(await read()).toMatchObject({ status: "evaluation_failed", error_message: "The artifact cannot be read." });
		expect(await quotaUsed()).toBe(1);
	});
});

describe("attempts that continue in another message", () => {
	const begun = async () => {
		const { world, ...one } = await begin();
		const more = new EvaluationFault("More.", { blame: "platform", isRetryable: true, costsAttempt: false, retryAfterSeconds: 0 });
		const judge: Judge = {
			...offlineJudge,
			evaluate() {
				world.clock.advance(12 * MINUTE_MS);
				return Promise.reject(more);
			},
		};
		return { ...one, world, continueOnce: () => world.visitTask(one.taskId, { judge }) };
	};

	it("take nothing from the 24 hours of waits", async () => {
		const { world, taskId, read, continueOnce } = await begun();
		for (let attempt = 0; attempt < 10; attempt += 1) await continueOnce();
		const since = world.clock.now();
		await world.visitTask(taskId, { judge: failingJudge(PLATFORM_FAULT) });
		expect((await read()).waiting_for).toMatchObject({ reason: "supplier", until: new Date(since + DAY_MS).toISOString() });
	});

	it("end after 24 hours together", async () => {
		const { taskId, read, continueOnce } = await begun();
		await queryTask(taskId, "update jobs set continued_ms = ?", DAY_MS - 24 * MINUTE_MS);
		await continueOnce();
		expect(await read()).toMatchObject({ status: "running" });
		await continueOnce();
		expect(await read()).toMatchObject({ status: "evaluation_failed", error_message: expect.stringContaining("time limit") });
	});
});

describe("an evaluation that is out of time", () => {
	it("ends with the alarm, visibly, returns the slot, and leaves no work", async () => {
		const { world, taskId, job, read, quotaUsed, later, snapshot } = await begin();
		const { deps, held, working } = await holdJob(world, taskId);
		const limitMs = (await job())?.give_up_at ?? 0;
		expect(limitMs - world.clock.now()).toBeLessThanOrEqual(20 * MINUTE_MS);
		for (const untilMs = limitMs - 1; world.clock.now() < untilMs; ) {
			await renewJob(deps, taskId, await claimOf(taskId));
			await later(Math.min(MINUTE_MS, untilMs - world.clock.now()));
		}
		expect(await read()).toMatchObject({ status: "running" });
		await later(1);
		expect(await read()).toMatchObject({ status: "evaluation_failed", error_message: expect.stringContaining("time limit") });
		expect(await quotaUsed()).toBe(0);
		held.release();
		await working;
		const before = await snapshot();
		await world.deliver(QUEUE, [{ taskId }]);
		expect(await snapshot()).toEqual(before);
	});

	it("loses none of it in the platform's own queue, and all of it after 24 hours there", async () => {
		const { world, taskId, job, read, later } = await begin();
		const limitMs = ((await job())?.give_up_at ?? 0) - world.clock.now();
		await later(DAY_MS - 1);
		const { held, working } = await holdJob(world, taskId);
		expect(((await job())?.give_up_at ?? 0) - world.clock.now()).toBe(limitMs);
		held.release();
		await working;
		expect(await read()).toMatchObject({ status: "completed" });
		const other = await begin();
		await other.later(DAY_MS);
		expect(await other.read()).toMatchObject({ status: "evaluation_failed", error_message: expect.stringContaining("24 hours") });
		expect(await other.quotaUsed()).toBe(0);
	});

	it("ends with a message too, if that comes first", async () => {
		const { world, taskId, read } = await begin();
		world.clock.advance(DAY_MS);
		await world.deliver(QUEUE, [{ taskId }]);
		expect(await read()).toMatchObject({ status: "evaluation_failed" });
	});

	it("or has a score, and never both", async () => {
		for (let round = 0; round < 5; round += 1) {
			const { world, taskId, job, read, evaluations, quotaUsed } = await begin();
			const { held, working } = await holdJob(world, taskId);
			world.clock.advance(((await job())?.give_up_at ?? 0) - world.clock.now());
			held.release();
			await Promise.all([working, world.ring(taskId)]);
			const { status } = await read();
			const expected = status === "completed" ? { evaluations: 1, quota: 1 } : { evaluations: 0, quota: 0 };
			expect({ evaluations: await evaluations(), quota: await quotaUsed() }).toEqual(expected);
		}
	});
});

describe("an object that was evicted", () => {
	it("continues with what it has stored: it sends new messages, and the old ones do no harm", async () => {
		const { world, taskId, read, evaluations, sent } = await begin();
		sent();
		await evict(taskId);
		await world.ring(taskId);
		expect(sent().length).toBeLessThanOrEqual(1);
		await Promise.all([world.deliver(QUEUE, [{ taskId }]), world.deliver(QUEUE, [{ taskId }])]);
		expect(await read()).toMatchObject({ status: "completed" });
		expect(await evaluations()).toBe(1);
	});

	it("accepts the result of a consumer that has claimed before", async () => {
		const { world, taskId, read } = await begin();
		const held = heldJudge();
		const working = workOff(world.deps({ judge: held.judge }), taskId);
		await held.started;
		await evict(taskId);
		held.release();
		await working;
		expect(await read()).toMatchObject({ status: "completed" });
	});
});

describe("reports", () => {
	it("are in the object, one for each evaluation", async () => {
		const { world, taskId, id, agent, read } = await begin();
		await world.visitTask(taskId);
		await world.enter(agent).call("requestReEvaluation", { params: { id } });
		await world.visitTask(taskId);
		expect(await read()).toMatchObject({ status: "completed" });
		const rows = await queryTask(taskId, "select e.iteration from evaluations e join reports r on r.subject_id = e.id order by 1");
		expect(rows).toEqual([{ iteration: 1 }, { iteration: 2 }]);
		expect(await queryTask(taskId, "select count(*) as parts from reports")).toEqual([{ parts: 2 }]);
	});
});

/** Counts the events of a type about a submission. */
function countTold(type: string, submissionId: string): Promise<number> {
	return count("select count(*) from _recorded_events where type = ? and payload like ?", type, `%${submissionId}%`);
}

async function evict(taskId: string): Promise<void> {
	await runInDurableObject(env.TASK.getByName(taskId), (_, { abort }) => abort("evicted")).catch(() => {});
}

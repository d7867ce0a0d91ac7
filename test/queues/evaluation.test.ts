import { describe, expect, it } from "vitest";
import { EVALUATION_JOBS, LOST_MESSAGE_MS } from "../../src/db/leases.ts";
import { EvaluationFault } from "../../src/domain/evaluation-fault.ts";
import { abandonEvaluation, runEvaluation, sweepEvaluations } from "../../src/features/evaluation/service.ts";
import { offlineJudge } from "../../src/features/judging/offline.ts";
import { getSubmission } from "../../src/features/submissions/contract.ts";
import { getTask } from "../../src/features/tasks/contract.ts";
import { manualClock } from "../support/deps.ts";
import { openTask, registerAgent } from "../support/scenario.ts";
import { count, listBucket, snapshotStorage } from "../support/storage.ts";
import { createWorld, failingJudge, heldJudge, PLATFORM_FAULT, readJob } from "../support/world.ts";

const QUEUE = "bounty-platform-evaluation";
const DEAD = "bounty-platform-evaluation-dead";
const MINUTE_MS = 60_000;

const poster = await registerAgent("Poster");
const taskId = await openTask(poster);

/** A world with one submission that waits for its evaluation. */
async function begin() {
	const world = createWorld();
	const agent = await registerAgent();
	const submission = await world.submit(agent, taskId);
	const read = () => agent.call(getSubmission, { params: { id: submission.id } });
	const evaluations = () => count("select count(*) from evaluations where submission_id = ?", submission.id);
	const quotaUsed = async () => (await agent.call(getTask, { params: { id: taskId } })).quota.used;
	return { world, agent, ...submission, read, evaluations, quotaUsed };
}

describe("a message", () => {
	it("is sent once for a submission, with the job's id alone", async () => {
		const { world, jobId } = await begin();
		expect(world.queue.sent).toEqual([{ message: { jobId }, delaySeconds: 0 }]);
		// A message stands for a place in the queue: what waits would be judged by the next test's.
		await world.deliver(QUEUE, [{ jobId }]);
	});

	it("that is delivered twice evaluates once", async () => {
		const { world, jobId, read, evaluations } = await begin();
		expect(await world.deliver(QUEUE, [{ jobId }])).toEqual({ acked: [0], retried: [] });
		const judged = await read();
		expect(judged).toMatchObject({ status: "completed", evaluated: true });
		const before = await snapshotStorage();
		expect(await world.deliver(QUEUE, [{ jobId }])).toEqual({ acked: [0], retried: [] });
		expect(await snapshotStorage()).toEqual(before);
		expect(await evaluations()).toBe(1);
	});

	it("that is delivered many times in parallel evaluates once", async () => {
		const { world, jobId, read, evaluations } = await begin();
		await Promise.all([world.deliver(QUEUE, [{ jobId }, { jobId }, { jobId }]), world.deliver(QUEUE, [{ jobId }, { jobId }])]);
		expect(await read()).toMatchObject({ status: "completed" });
		expect(await evaluations()).toBe(1);
		expect(
			await count("select count(*) from _recorded_events where type = 'submission.completed' and payload like ?", `%${(await read()).id}%`),
		).toBe(1);
	});

	it("that cannot be read is retried, and does not block others", async () => {
		const { world, jobId, read } = await begin();
		const outcome = await world.deliver(QUEUE, [{ jobId: "no id" }, { jobId }, null, "text"]);
		expect({ acked: outcome.acked, retried: outcome.retried.toSorted() }).toEqual({ acked: [1], retried: [0, 2, 3] });
		expect(await read()).toMatchObject({ status: "completed" });
	});

	it("about a job that does not exist is acknowledged", async () => {
		const world = createWorld();
		expect(await world.deliver(QUEUE, [{ jobId: world.deps().ids.next() }])).toEqual({ acked: [0], retried: [] });
	});
});

describe("a consumer that dies", () => {
	it("after judging and before acknowledging changes nothing visible", async () => {
		const { world, jobId, read, evaluations } = await begin();
		await runEvaluation(world.deps(), jobId);
		const before = { submission: await read(), storage: await snapshotStorage() };
		world.clock.advance(10 * MINUTE_MS);
		expect(await runEvaluation(world.deps(), jobId)).toBeNull();
		await world.deliver(QUEUE, [{ jobId }]);
		expect({ submission: await read(), storage: await snapshotStorage() }).toEqual(before);
		expect(await evaluations()).toBe(1);
	});

	it("while it holds the lease is replaced within two minutes, and what it still does changes nothing", async () => {
		const { world, jobId, read, evaluations } = await begin();
		const held = heldJudge();
		const dead = runEvaluation(world.deps({ judge: held.judge, clock: manualClock(world.clock.now()) }), jobId);
		await held.started;
		const wait = await runEvaluation(world.deps(), jobId);
		expect(wait?.delayMs).toBeGreaterThan(0);
		expect(wait?.delayMs).toBeLessThanOrEqual(EVALUATION_JOBS.leaseMs);
		expect(await read()).toMatchObject({ status: "running" });
		world.clock.advance(2 * MINUTE_MS);
		expect(await runEvaluation(world.deps(), jobId)).toBeNull();
		const judged = await read();
		expect(judged).toMatchObject({ status: "completed" });
		const before = await snapshotStorage();
		held.release();
		expect(await dead).toBeNull();
		expect({ ...(await snapshotStorage()), bucket: [] }).toEqual({ ...before, bucket: [] });
		expect(await evaluations()).toBe(1);
		expect(await read()).toEqual(judged);
	});

	it("before it has judged gets another message from the sweep", async () => {
		const { world, jobId, read } = await begin();
		const held = heldJudge();
		const dead = runEvaluation(world.deps({ judge: held.judge, clock: manualClock(world.clock.now()) }), jobId);
		await held.started;
		world.clock.advance(2 * MINUTE_MS);
		world.queue.sent.length = 0;
		await sweepEvaluations(world.deps());
		expect(world.queue.sent.map(({ message }) => message)).toContainEqual({ jobId });
		await world.deliver(QUEUE, [{ jobId }]);
		expect(await read()).toMatchObject({ status: "completed" });
		held.release();
		await dead;
	});
});

describe("a consumer that lives", () => {
	it("keeps its lease for as long as it works", async () => {
		const { world, jobId, read, evaluations } = await begin();
		const held = heldJudge();
		const own = world.deps({ judge: held.judge });
		const working = runEvaluation(own, jobId);
		await held.started;
		for (let step = 0; step < 20; step += 1) {
			world.clock.advance(20_000);
			await own.settled();
			expect(await runEvaluation(world.deps(), jobId)).toMatchObject({ delayMs: expect.any(Number) });
		}
		held.release();
		expect(await working).toBeNull();
		expect(await read()).toMatchObject({ status: "completed" });
		expect(await evaluations()).toBe(1);
	});
});

describe("faults of the platform", () => {
	it("are tried five times with growing delays, then end visibly and give the slot back once", async () => {
		const { world, jobId, read, quotaUsed } = await begin();
		const judge = failingJudge(PLATFORM_FAULT);
		for (const seconds of [5, 15, 45, 135]) {
			world.queue.sent.length = 0;
			expect(await world.deliver(QUEUE, [{ jobId }], { judge })).toEqual({ acked: [0], retried: [] });
			expect(world.queue.sent).toEqual([{ message: { jobId }, delaySeconds: seconds }]);
			expect(await read()).toMatchObject({ status: "running", evaluated: false });
			const early = await runEvaluation(world.deps({ judge }), jobId);
			expect(early?.delayMs).toBe(seconds * 1000);
			world.clock.advance(seconds * 1000);
		}
		expect(await quotaUsed()).toBe(1);
		await world.deliver(QUEUE, [{ jobId }], { judge });
		const failed = await read();
		expect(failed).toMatchObject({ status: "evaluation_failed", evaluated: false, scores: null, quota: { used: 0 } });
		expect(failed.error_message).toContain("The judge cannot be reached.");
		expect(failed.error_message).toContain("slot was given back");
		await world.deliver(QUEUE, [{ jobId }]);
		await world.deliver(DEAD, [{ jobId }]);
		expect(await read()).toEqual(failed);
		expect(await quotaUsed()).toBe(0);
	});

	it("that pass are forgotten", async () => {
		const { world, jobId, read, quotaUsed } = await begin();
		await runEvaluation(world.deps({ judge: failingJudge(PLATFORM_FAULT) }), jobId);
		world.clock.advance(5000);
		await runEvaluation(world.deps(), jobId);
		expect(await read()).toMatchObject({ status: "completed", evaluated: true });
		expect(await read()).not.toHaveProperty("error_message");
		expect(await quotaUsed()).toBe(1);
	});

	it("wait for as long as the other side asked", async () => {
		const { world, jobId } = await begin();
		const busy = new EvaluationFault("Busy.", { blame: "platform", isRetryable: true, retryAfterSeconds: 77 });
		expect(await runEvaluation(world.deps({ judge: failingJudge(busy) }), jobId)).toEqual({ delayMs: 77_000, jobId });
	});

	it("that are unexpected are retried too, and reveal nothing internal", async () => {
		const { world, jobId, read } = await begin();
		const judge = failingJudge(new TypeError("secret of the inside"));
		for (let attempt = 0; attempt < 5; attempt += 1) {
			await runEvaluation(world.deps({ judge }), jobId);
			world.clock.advance(10 * MINUTE_MS);
		}
		const failed = await read();
		expect(failed.status).toBe("evaluation_failed");
		expect(failed.error_message).not.toContain("secret");
	});

	it("never become a score", async () => {
		const { world, jobId, read, evaluations } = await begin();
		let calls = 0;
		const judge = {
			...offlineJudge,
			judgeCriterion: (request: Parameters<typeof offlineJudge.judgeCriterion>[0]) => {
				calls += 1;
				return calls % 2 === 0 ? Promise.reject(PLATFORM_FAULT) : offlineJudge.judgeCriterion(request);
			},
		};
		await runEvaluation(world.deps({ judge }), jobId);
		expect(await read()).toMatchObject({ status: "running", scores: null, position: null });
		expect(await evaluations()).toBe(0);
	});
});

describe("faults of the submission", () => {
	it("end immediately and keep the slot", async () => {
		const { world, jobId, read, quotaUsed } = await begin();
		const fault = new EvaluationFault("The artifact cannot be read.", { blame: "submission", isRetryable: false });
		expect(await runEvaluation(world.deps({ judge: failingJudge(fault) }), jobId)).toBeNull();
		expect(await read()).toMatchObject({ status: "evaluation_failed", error_message: "The artifact cannot be read." });
		expect(await quotaUsed()).toBe(1);
	});
});

describe("endings without a score", () => {
	it("come from the dead letter, visibly, with the slot", async () => {
		const { world, jobId, read, quotaUsed } = await begin();
		expect(await world.deliver(DEAD, [{ jobId }])).toEqual({ acked: [0], retried: [] });
		expect(await read()).toMatchObject({ status: "evaluation_failed", evaluated: false });
		expect(await quotaUsed()).toBe(0);
		const before = await snapshotStorage();
		await world.deliver(DEAD, [{ jobId }]);
		await world.deliver(QUEUE, [{ jobId }]);
		expect(await snapshotStorage()).toEqual(before);
	});

	it("come when the time is over: by a message, and by the sweep where there is none", async () => {
		for (const end of ["message", "sweep"]) {
			const { world, id, jobId, read, quotaUsed } = await begin();
			const { give_up_at } = await readJob(id);
			expect(give_up_at - world.clock.now()).toBeLessThanOrEqual(20 * MINUTE_MS);
			world.clock.advance(give_up_at - world.clock.now());
			if (end === "message") await world.deliver(QUEUE, [{ jobId }]);
			else await sweepEvaluations(world.deps());
			expect(await read()).toMatchObject({ status: "evaluation_failed", error_message: expect.stringContaining("time limit") });
			expect(await quotaUsed()).toBe(0);
		}
	});

	it("return the slot once, also when several end it at the same time", async () => {
		const { world, jobId, read, quotaUsed } = await begin();
		await Promise.all([
			abandonEvaluation(world.deps(), jobId),
			abandonEvaluation(world.deps(), jobId),
			abandonEvaluation(world.deps(), jobId),
		]);
		expect(await read()).toMatchObject({ status: "evaluation_failed" });
		expect(await quotaUsed()).toBe(0);
		expect(
			await count("select count(*) from _recorded_events where type = 'submission.failed' and payload like ?", `%${(await read()).id}%`),
		).toBe(1);
	});

	it("and a score at the same time are one or the other", async () => {
		for (let round = 0; round < 5; round += 1) {
			const { world, jobId, read, evaluations, quotaUsed } = await begin();
			await Promise.all([runEvaluation(world.deps(), jobId), abandonEvaluation(world.deps(), jobId)]);
			const { status } = await read();
			const expected = status === "completed" ? { evaluations: 1, quota: 1 } : { evaluations: 0, quota: 0 };
			expect({ evaluations: await evaluations(), quota: await quotaUsed() }).toEqual(expected);
		}
	});
});

describe("the sweep", () => {
	it("sends a message for a job that has lost its own, once", async () => {
		const { world, jobId } = await begin();
		const swept = async () => {
			world.queue.sent.length = 0;
			await sweepEvaluations(world.deps());
			return world.queue.sent.filter(({ message }) => message.jobId === jobId).length;
		};
		expect(await swept()).toBe(0);
		world.clock.advance(LOST_MESSAGE_MS + 1);
		expect(await swept()).toBe(1);
		expect(await swept()).toBe(0);
		world.clock.advance(LOST_MESSAGE_MS + 1);
		expect(await swept()).toBe(1);
		await world.deliver(QUEUE, [{ jobId }]);
		world.clock.advance(LOST_MESSAGE_MS + 1);
		expect(await swept()).toBe(0);
	});

	it("skips jobs that wait for their next attempt", async () => {
		const { world, jobId } = await begin();
		const busy = new EvaluationFault("Busy.", { blame: "platform", isRetryable: true, retryAfterSeconds: 300 });
		await runEvaluation(world.deps({ judge: failingJudge(busy) }), jobId);
		world.clock.advance(2 * MINUTE_MS);
		world.queue.sent.length = 0;
		await sweepEvaluations(world.deps());
		expect(world.queue.sent.filter(({ message }) => message.jobId === jobId)).toEqual([]);
	});
});

describe("reports", () => {
	it("lie in the bucket, one for each evaluation", async () => {
		const { world, id, jobId } = await begin();
		await runEvaluation(world.deps(), jobId);
		expect(await listBucket(`reports/${id}/`)).toHaveLength(1);
	});
});

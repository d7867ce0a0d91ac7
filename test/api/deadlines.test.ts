// What happens around a deadline, in every order, on a clock that the test moves.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { deleteExpiredRows } from "../../src/db/expired-rows.ts";
import { runEvaluation } from "../../src/features/evaluation/service.ts";
import { getLeaderboard } from "../../src/features/leaderboard/contract.ts";
import { getSubmission, quickSubmit } from "../../src/features/submissions/contract.ts";
import { closeTask, getTask, listPublicTasks, listTasks } from "../../src/features/tasks/contract.ts";
import { settleOverdueTasks, settleTask } from "../../src/features/tasks/service.ts";
import { createClient } from "../support/client.ts";
import { GOOD_FILES, hoursFromNow, openTask, registerAgent } from "../support/scenario.ts";
import { count } from "../support/storage.ts";
import { createWorld, failingJudge, PLATFORM_FAULT, type World } from "../support/world.ts";

const [poster, agent] = [await registerAgent("Poster"), await registerAgent("Builder")];
const at = (id: string) => ({ params: { id } });
const HOUR_MS = 3_600_000;

const statusOf = async (taskId: string) => (await poster.call(getTask, at(taskId))).status;
const events = (type: string, taskId: string) =>
	count("select count(*) from _recorded_events where type = ? and payload like ?", type, `%${taskId}%`);

/** A task with submissions under way, and the time just past its deadline. */
async function pastDeadline(submissions: number) {
	const world = createWorld();
	const taskId = await openTask(poster, { deadline: hoursFromNow(25) });
	const jobs = [];
	world.clock.advance(25 * HOUR_MS - 60_000);
	for (let n = 0; n < submissions; n += 1) jobs.push(await world.submit(agent, taskId));
	world.clock.advance(2 * 60_000);
	return { world, taskId, jobs };
}

describe("at its deadline a task", () => {
	it("without running evaluations closes", async () => {
		const { world, taskId } = await pastDeadline(0);
		await settleTask(world.deps(), taskId);
		expect(await statusOf(taskId)).toBe("closed");
		expect([await events("task.closed", taskId), await events("task.status_changed", taskId)]).toEqual([1, 2]);
	});

	it("with a running evaluation is evaluating, takes nothing, and closes by itself when the last one ends", async () => {
		const { world, taskId, jobs } = await pastDeadline(2);
		await settleTask(world.deps(), taskId);
		expect(await statusOf(taskId)).toBe("evaluating");
		await world.enter(agent).refused(quickSubmit, "TASK_NOT_OPEN", { ...at(taskId), body: { files: GOOD_FILES } });
		expect(await world.enter(agent).call(getLeaderboard, at(taskId))).toMatchObject({ revealed: true, taskStatus: "evaluating" });
		await runEvaluation(world.deps(), jobs[0]?.jobId ?? "");
		expect(await statusOf(taskId)).toBe("evaluating");
		await runEvaluation(world.deps(), jobs[1]?.jobId ?? "");
		expect(await statusOf(taskId)).toBe("closed");
		expect((await poster.call(getLeaderboard, at(taskId))).entries).toHaveLength(1);
	});

	it("closes too when the last evaluation ends without a score", async () => {
		const { world, taskId, jobs } = await pastDeadline(1);
		await settleTask(world.deps(), taskId);
		const judge = failingJudge(PLATFORM_FAULT);
		for (let attempt = 0; attempt < 5; attempt += 1) {
			await runEvaluation(world.deps({ judge }), jobs[0]?.jobId ?? "");
			world.clock.advance(3 * 60_000);
		}
		expect(await statusOf(taskId)).toBe("closed");
	});

	it("that is evaluating can be closed by its owner; what was running still counts", async () => {
		const { world, taskId, jobs } = await pastDeadline(1);
		await settleTask(world.deps(), taskId);
		await world.enter(poster).call(closeTask, at(taskId));
		expect(await statusOf(taskId)).toBe("closed");
		await runEvaluation(world.deps(), jobs[0]?.jobId ?? "");
		expect(await agent.call(getSubmission, at(jobs[0]?.id ?? ""))).toMatchObject({ status: "completed", evaluated: true, position: 1 });
		expect(await statusOf(taskId)).toBe("closed");
		expect(await events("task.closed", taskId)).toBe(1);
	});

	it("leaves the lists, before it is closed as well", async () => {
		const { world, taskId } = await pastDeadline(0);
		const listed = async () => [
			...(await world.enter(agent).call(listTasks, { query: { limit: 100 } })).data,
			...(await world.enter(createClient()).call(listPublicTasks)).data,
		];
		expect((await listed()).map(({ id }) => id)).not.toContain(taskId);
		expect(await statusOf(taskId)).toBe("open");
	});
});

describe("an owner's close", () => {
	it("lets running evaluations finish and count", async () => {
		const world = createWorld();
		const taskId = await openTask(poster);
		const { id, jobId } = await world.submit(agent, taskId);
		await poster.call(closeTask, at(taskId));
		await runEvaluation(world.deps(), jobId);
		expect(await agent.call(getSubmission, at(id))).toMatchObject({ status: "completed", position: 1 });
		expect((await agent.call(getLeaderboard, at(taskId))).entries).toHaveLength(1);
	});
});

describe("in every order of events", () => {
	type Step = "settle" | "sweep" | "evaluate first" | "evaluate second" | "fail third";
	const steps: readonly Step[] = ["settle", "sweep", "evaluate first", "evaluate second", "fail third", "settle"];

	async function take(step: Step, world: World, taskId: string, jobs: readonly { jobId: string }[]): Promise<unknown> {
		switch (step) {
			case "settle":
				return settleTask(world.deps(), taskId);
			case "sweep":
				return settleOverdueTasks(world.deps());
			case "evaluate first":
				return runEvaluation(world.deps(), jobs[0]?.jobId ?? "");
			case "evaluate second":
				return runEvaluation(world.deps(), jobs[1]?.jobId ?? "");
			case "fail third":
				return world.deliver("bounty-platform-evaluation-dead", [{ jobId: jobs[2]?.jobId ?? "" }]);
		}
	}

	it("a task ends closed, is closed once, and is never closed while something runs", async () => {
		await fc.assert(
			fc.asyncProperty(fc.shuffledSubarray([...steps], { minLength: steps.length }), fc.boolean(), async (order, atOnce) => {
				const { world, taskId, jobs } = await pastDeadline(3);
				if (atOnce) await Promise.all(order.map((step) => take(step, world, taskId, jobs)));
				else {
					for (const step of order) {
						await take(step, world, taskId, jobs);
						const running = await count("select count(*) from submissions where task_id = ? and status = 'running'", taskId);
						if (running > 0) expect(await statusOf(taskId)).not.toBe("closed");
					}
				}
				await settleOverdueTasks(world.deps());
				expect(await statusOf(taskId)).toBe("closed");
				expect(await events("task.closed", taskId)).toBe(1);
				expect(await events("task.status_changed", taskId)).toBeLessThanOrEqual(3);
			}),
			{ numRuns: 8 },
		);
	});

	it("a submission at the very deadline is either taken and judged, or refused", async () => {
		for (let round = 0; round < 4; round += 1) {
			const world = createWorld();
			const deadline = new Date(world.clock.now() + 25 * HOUR_MS).toISOString();
			const taskId = await openTask(poster, { deadline });
			world.clock.advance(25 * HOUR_MS - 1);
			const before = world.enter(agent).send(quickSubmit, { ...at(taskId), body: { files: GOOD_FILES } });
			world.clock.advance(1);
			const [response] = await Promise.all([before, settleTask(world.deps(), taskId)]);
			const rows = await count("select count(*) from submissions where task_id = ?", taskId);
			expect(rows).toBe(response.status === 201 ? 1 : 0);
			expect(await statusOf(taskId)).toBe(rows === 1 ? "evaluating" : "closed");
		}
	});
});

describe("the sweep", () => {
	it("closes what no alarm has closed", async () => {
		const { world, taskId } = await pastDeadline(0);
		const other = await pastDeadline(1);
		await settleOverdueTasks(world.deps());
		await settleOverdueTasks(world.deps());
		expect([await statusOf(taskId), await statusOf(other.taskId)]).toEqual(["closed", "evaluating"]);
	});
});

describe("an Idempotency-Key", () => {
	it("is remembered for 24 hours and no longer", async () => {
		const world = createWorld();
		const own = await registerAgent();
		const taskId = await openTask(poster, { deadline: hoursFromNow(100) });
		const call = { ...at(taskId), body: { files: { "a.js": "1" } }, headers: { "Idempotency-Key": "day" } };
		const first = await world.enter(own).call(quickSubmit, call);
		world.clock.advance(24 * HOUR_MS - 1);
		expect(await world.enter(own).call(quickSubmit, call)).toEqual(first);
		await deleteExpiredRows(world.deps().db, "idempotency_keys", world.clock.now());
		expect(await world.enter(own).call(quickSubmit, call)).toEqual(first);
		world.clock.advance(1);
		const second = await world.enter(own).call(quickSubmit, { ...call, body: { files: { "a.js": "2" } } });
		expect(second.id).not.toBe(first.id);
		expect(await world.enter(own).call(quickSubmit, { ...call, body: { files: { "a.js": "2" } } })).toEqual(second);
		world.clock.advance(25 * HOUR_MS);
		await deleteExpiredRows(world.deps().db, "idempotency_keys", world.clock.now());
		expect(await count("select count(*) from idempotency_keys where agent_id = ?", own.agentId)).toBe(0);
	});
});

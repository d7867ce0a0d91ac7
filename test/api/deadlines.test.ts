// Requests meet a deadline in every order, on a clock that the test moves.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EvaluationFault } from "../../src/domain/evaluation-fault.ts";
import { createClient } from "../support/client.ts";
import { GOOD_FILES, registerAgent } from "../support/scenario.ts";
import { countEvents } from "../support/storage.ts";
import { countInTask } from "../support/task-object.ts";
import { HOUR_MS } from "../support/times.ts";
import { createWorld, failingJudge, type World } from "../support/world.ts";

const [poster, agent] = [await registerAgent("Poster"), await registerAgent("Builder")];
const at = (id: string) => ({ params: { id } });

const statusOf = async (taskId: string) => (await poster.call("getTask", at(taskId))).status;

type SubmittedJob = Awaited<ReturnType<World["submit"]>>;

/** A consumer works on the job of a submission. */
async function look(world: World, job: SubmittedJob | undefined, change: Parameters<World["look"]>[1] = {}): Promise<void> {
	if (job !== undefined) await world.look(job, change);
}

/** This is a fault of the submission, so no consumer tries again. */
const SUBMISSION_FAULT = new EvaluationFault("The work cannot be judged.", { blame: "submission", isRetryable: false });

/** Returns a task with submissions under way, and the time just past its deadline. */
async function pastDeadline(submissions: number) {
	const world = createWorld();
	const taskId = await world.openTask(poster, { deadline: new Date(world.clock.now() + 25 * HOUR_MS).toISOString() });
	const jobs = [];
	world.clock.advance(25 * HOUR_MS - 60_000);
	for (let n = 0; n < submissions; n += 1) jobs.push(await world.submit(agent, taskId));
	world.clock.advance(2 * 60_000);
	return { world, taskId, jobs };
}

describe("at its deadline a task", () => {
	it("is evaluating while an evaluation runs, refuses submissions, and closes when the last one ends", async () => {
		const { world, taskId, jobs } = await pastDeadline(2);
		await world.ring(taskId);
		expect(await statusOf(taskId)).toBe("evaluating");
		await world.enter(agent).refused("quickSubmit", "TASK_NOT_OPEN", { ...at(taskId), body: { files: GOOD_FILES } });
		expect(await world.enter(agent).call("getLeaderboard", at(taskId))).toMatchObject({ revealed: true, taskStatus: "evaluating" });
		await look(world, jobs[0]);
		expect(await statusOf(taskId)).toBe("evaluating");
		await look(world, jobs[1]);
		expect(await statusOf(taskId)).toBe("closed");
		expect((await poster.call("getLeaderboard", at(taskId))).entries).toHaveLength(1);
	});

	it("can be closed by its owner while it is evaluating, and the running evaluation still counts", async () => {
		const { world, taskId, jobs } = await pastDeadline(1);
		await world.ring(taskId);
		await world.enter(poster).call("closeTask", at(taskId));
		expect(await statusOf(taskId)).toBe("closed");
		await look(world, jobs[0]);
		expect(await agent.call("getSubmission", at(jobs[0]?.id ?? ""))).toMatchObject({ status: "completed", evaluated: true, position: 1 });
		expect(await statusOf(taskId)).toBe("closed");
		expect(await countEvents("task.closed", taskId)).toBe(1);
	});

	it("refuses submissions and shows names, even before it is closed", async () => {
		const { world, taskId } = await pastDeadline(0);
		await world.enter(agent).refused("quickSubmit", "DEADLINE_PASSED", { ...at(taskId), body: { files: GOOD_FILES } });
		expect(await world.enter(agent).call("getLeaderboard", at(taskId))).toMatchObject({ revealed: true, taskStatus: "open" });
	});

	it("leaves the lists, even before it is closed", async () => {
		const { world, taskId } = await pastDeadline(0);
		const listed = async () => [
			...(await world.enter(agent).call("listTasks", { query: { limit: 100 } })).data,
			...(await world.enter(createClient()).call("listPublicTasks")).data,
		];
		expect((await listed()).map(({ id }) => id)).not.toContain(taskId);
		expect(await statusOf(taskId)).toBe("open");
	});
});

describe("in every order of events", () => {
	type Step = "alarm" | "evaluate first" | "evaluate second" | "fail third";
	const steps: readonly Step[] = ["alarm", "alarm", "evaluate first", "evaluate second", "fail third", "alarm"];

	async function take(step: Step, world: World, taskId: string, jobs: readonly SubmittedJob[]): Promise<unknown> {
		switch (step) {
			case "alarm":
				return world.ring(taskId);
			case "evaluate first":
				return look(world, jobs[0]);
			case "evaluate second":
				return look(world, jobs[1]);
			case "fail third":
				return look(world, jobs[2], { judge: failingJudge(SUBMISSION_FAULT) });
		}
	}

	it("a task ends closed, is closed once, and is never closed while an evaluation runs", async () => {
		await fc.assert(
			fc.asyncProperty(fc.shuffledSubarray([...steps], { minLength: steps.length }), fc.boolean(), async (order, atOnce) => {
				const { world, taskId, jobs } = await pastDeadline(3);
				if (atOnce) await Promise.all(order.map((step) => take(step, world, taskId, jobs)));
				else {
					for (const step of order) {
						await take(step, world, taskId, jobs);
						const running = await countInTask(taskId, "select count(*) from submissions where status = 'running'");
						if (running > 0) expect(await statusOf(taskId)).not.toBe("closed");
					}
				}
				// Of several consumers at once, one may find that another has taken its job.
				for (const job of jobs) await look(world, job);
				expect(await statusOf(taskId)).toBe("closed");
				await expect.poll(() => countEvents("task.closed", taskId)).toBe(1);
				expect(await countEvents("task.status_changed", taskId)).toBeLessThanOrEqual(3);
			}),
			{ numRuns: 8 },
		);
	});

	it("a submission at the very deadline is either accepted and judged, or refused", async () => {
		for (let round = 0; round < 4; round += 1) {
			const world = createWorld();
			const deadline = new Date(world.clock.now() + 25 * HOUR_MS).toISOString();
			const taskId = await world.openTask(poster, { deadline });
			world.clock.advance(25 * HOUR_MS - 1);
			const before = world.enter(agent).send("quickSubmit", { ...at(taskId), body: { files: GOOD_FILES } });
			world.clock.advance(1);
			const [response] = await Promise.all([before, world.ring(taskId)]);
			const rows = await countInTask(taskId, "select count(*) from submissions");
			expect(rows).toBe(response.status === 201 ? 1 : 0);
			await world.ring(taskId);
			expect(await statusOf(taskId)).toBe(rows === 1 ? "evaluating" : "closed");
		}
	});
});

// A container evaluation ends once after any crash, its runs are stopped, and nothing of it is left.
import { describe, expect, it } from "vitest";
import { workOff } from "../../src/compose/work-off.ts";
import { CLAIM_MS } from "../../src/core/competition/evaluation/rules.ts";
import { forgetListedKeys } from "../../src/core/judging/receipts.ts";
import { GIVE_UP_MARGIN_MS } from "../../src/core/judging/rules.ts";
import { MODES } from "../../src/domain/modes.ts";
import type { DirectTransfers } from "../../src/platform/direct-transfers.ts";
import { createContainerTask } from "../support/container-judging.ts";
import { done, RUNNING } from "../support/grader-script.ts";
import { mortal } from "../support/mortality.ts";
import { openTask, registerAgent } from "../support/scenario.ts";
import { createWorld, jobsOf, readJob } from "../support/world.ts";

const MINUTE_MS = 60_000;
const UNAVAILABLE = { kind: "status", status: 503 } as const;

const kindsOf = async (taskId: string) => (await jobsOf(taskId)).map(({ kind }) => kind);

describe("a consumer that dies", () => {
	/** This is one more step than the work takes, so the consumer has done everything before it dies. */
	const BEYOND = 13;

	it.each(Array.from({ length: BEYOND + 1 }, (_, step) => step))(
		"around step %i is replaced: one run, one score, nothing left",
		async (atStep) => {
			// An isolate lists the key of its receipts once, so the test makes it forget them to give each consumer this step.
			forgetListedKeys();
			const begun = await createContainerTask({ find: [done()] });
			const { world, taskId } = begun;
			const own = world.deps();
			const dying = mortal(own, { atStep });
			for (let visit = 0; visit < 2; visit += 1) {
				await workOff(dying, taskId).catch(() => null);
				await own.settled();
				world.clock.advance(2_000);
				await world.ring(taskId);
			}
			expect(dying.hasDied()).toBe(atStep < BEYOND);
			if (atStep === BEYOND) expect(await kindsOf(taskId)).toEqual(["stop_runs"]);
			world.clock.advance(2 * CLAIM_MS);
			await begun.workOff();
			expect(await begun.read()).toMatchObject({ status: "completed", scores: { final_score: 80 } });
			expect(await begun.evaluations()).toHaveLength(1);
			const runs = await begun.runs();
			expect(runs).toHaveLength(1);
			await begun.stopRuns();
			expect(await begun.stopped()).toEqual(runs);
			world.clock.advance(2 * CLAIM_MS);
			await begun.stopRuns();
			expect(await jobsOf(taskId)).toEqual([]);
		},
	);
});

describe("an evaluation that is out of time", () => {
	it("ends with the state of the image, returns the slot, and stops the run", async () => {
		const begun = await createContainerTask({ find: [RUNNING] });
		const startedAt = begun.world.clock.now();
		await begun.workOff();
		const limitMs = MODES.container.timeLimitMs(600);
		expect(begun.world.clock.now() - startedAt).toBeLessThanOrEqual(limitMs + 5 * MINUTE_MS);
		const submission = await begun.read();
		expect(submission).toMatchObject({ status: "evaluation_failed", scores: null, quota: { used: 0 } });
		expect(submission.error_message).toMatch(/time limit.*The image was running/);
		await begun.stopRuns();
		expect(await begun.stopped()).toEqual(await begun.runs());
	});

	it("is ended by the task's alarm, together with its run, if no consumer visits it any more", async () => {
		const begun = await createContainerTask({ find: [RUNNING] });
		await begun.look();
		begun.world.clock.advance(((await begun.job())?.give_up_at ?? 0) - begun.world.clock.now());
		await begun.world.ring(begun.taskId);
		expect(await begun.read()).toMatchObject({ status: "evaluation_failed", quota: { used: 0 } });
		await begun.stopRuns();
		expect(await begun.runs()).toHaveLength(1);
		expect(await begun.stopped()).toEqual(await begun.runs());
	});

	it("gives a rubric of many criteria more time for its calls to models", async () => {
		const world = createWorld();
		const [poster, agent] = [await registerAgent(), await registerAgent()];
		const criteria = Array.from({ length: 50 }, (_, index) => ({ name: `Criterion ${index}`, weight: 2 }));
		const { give_up_at } = await readJob(await world.submit(agent, await openTask(poster, { criteria })));
		expect(give_up_at - world.clock.now() - GIVE_UP_MARGIN_MS).toBe(50 * MINUTE_MS);
	});
});

describe("runs that are no longer needed", () => {
	it("are stopped later if the grader cannot be reached now", async () => {
		const begun = await createContainerTask({
			find: [done()],
			stop: [UNAVAILABLE, { kind: "hang" }, UNAVAILABLE, { kind: "status", status: 200 }],
		});
		const { world, taskId, jobId } = begun;
		const stops = async () => (await begun.seen()).filter(({ call }) => call === "stop").length;
		const stopLater = async () => world.clock.advance((await world.look({ id: jobId, taskId })) ?? 0);
		await begun.workOff();
		expect(await begun.read()).toMatchObject({ status: "completed" });
		await stopLater();
		expect(await stops()).toBe(1);
		const stopping = stopLater();
		await expect.poll(stops).toBe(2);
		world.clock.advance(MINUTE_MS);
		await stopping;
		await stopLater();
		expect(await stops()).toBe(3);
		expect(await kindsOf(taskId)).toEqual(["stop_runs"]);
		await stopLater();
		await stopLater();
		expect(await jobsOf(taskId)).toEqual([]);
	});

	it("are not requested by a consumer that comes too late", async () => {
		const begun = await createContainerTask({ find: [done()] });
		const { world, taskId } = begun;
		const endsAt = (await begun.job())?.give_up_at ?? 0;
		const directTransfers: DirectTransfers = {
			presignPut: () => Promise.reject(new Error("not used")),
			copy: () => Promise.reject(new Error("not used")),
			presignGet: async () => {
				world.clock.advance(endsAt - world.clock.now());
				await world.ring(taskId);
				return { url: "https://bucket.example/a.zip", token: "", path: "/a.zip", ttlMs: 1_000 };
			},
		};
		await world.visitTask(taskId, { directTransfers });
		expect(await begun.runs()).toEqual([]);
		expect(await begun.read()).toMatchObject({ status: "evaluation_failed" });
		expect(await jobsOf(taskId)).toEqual([]);
	});

	it("are not stopped while they are needed", async () => {
		const begun = await createContainerTask({ find: [RUNNING] });
		await begun.look();
		begun.world.clock.advance(5 * MINUTE_MS);
		await begun.look();
		expect(await kindsOf(begun.taskId)).toEqual(["evaluation"]);
		expect(await begun.stopped()).toEqual([]);
	});
});

describe("parallel consumers", () => {
	it("make one run and one score", async () => {
		const begun = await createContainerTask({ find: [done()] });
		for (let look = 0; look < 2; look += 1) {
			await Promise.all([1, 2, 3, 4].map(() => begun.look()));
			begun.world.clock.advance(5_000);
		}
		expect(await begun.submitted()).toHaveLength(1);
		expect(await begun.read()).toMatchObject({ status: "completed" });
		expect(await begun.evaluations()).toHaveLength(1);
	});
});

// Nothing of a container evaluation outlives it: whoever dies, it ends, once, and its runs are stopped.
import { describe, expect, it } from "vitest";
import { EVALUATION_JOBS } from "../../src/db/leases.ts";
import { MODES } from "../../src/domain/modes.ts";
import { GIVE_UP_MARGIN_MS } from "../../src/features/evaluation/rules.ts";
import { abandonEvaluation, runEvaluation, sweepEvaluations } from "../../src/features/evaluation/service.ts";
import type { DirectTransfers } from "../../src/platform/direct-transfers.ts";
import { createContainerTask } from "../support/container-judging.ts";
import { done, RUNNING } from "../support/grader-script.ts";
import { mortal } from "../support/mortality.ts";
import { openTask, registerAgent } from "../support/scenario.ts";
import { count } from "../support/storage.ts";
import { createWorld, readJob } from "../support/world.ts";

const MINUTE_MS = 60_000;
const UNAVAILABLE = { kind: "status", status: 503 } as const;

const notedRuns = (jobId: string) => count("select count(*) from grader_runs where job_id = ?", jobId);

describe("a consumer that dies", () => {
	/** More steps than it takes: at this one it has done everything. */
	const BEYOND = 18;

	it.each(Array.from({ length: BEYOND + 1 }, (_, step) => step))(
		"around step %i is replaced: one run, one score, nothing left",
		async (atStep) => {
			for (const isAfter of [false, true]) {
				const begun = await createContainerTask({ find: [done()] });
				const dying = mortal(begun.deps(), { atStep, isAfter });
				for (let look = 0; look < 2; look += 1) {
					await runEvaluation(dying, begun.jobId).catch(() => null);
					begun.world.clock.advance(2_000);
				}
				if (atStep === BEYOND) await expect.poll(begun.stopped).toHaveLength(1);
				begun.world.clock.advance(2 * EVALUATION_JOBS.leaseMs);
				await begun.workOff();
				expect(await begun.read()).toMatchObject({ status: "completed", scores: { final_score: 80 } });
				expect(await count("select count(*) from evaluations where submission_id = ?", begun.id)).toBe(1);
				const runs = await begun.runs();
				expect(runs).toHaveLength(1);
				begun.world.clock.advance(2 * EVALUATION_JOBS.leaseMs);
				await begun.sweepRuns();
				expect(await begun.stopped()).toEqual(runs);
				expect(await notedRuns(begun.jobId)).toBe(0);
			}
		},
	);
});

describe("an evaluation that is out of time", () => {
	it("ends with what the image was doing, gives the slot back, and stops the run", async () => {
		const begun = await createContainerTask({ find: [RUNNING] });
		const startedAt = begun.world.clock.now();
		await begun.workOff();
		const limitMs = MODES.container.timeLimitMs(600);
		expect(begun.world.clock.now() - startedAt).toBeLessThanOrEqual(limitMs + 5 * MINUTE_MS);
		const submission = await begun.read();
		expect(submission).toMatchObject({ status: "evaluation_failed", scores: null, quota: { used: 0 } });
		expect(submission.error_message).toMatch(/time limit.*The image was running/);
		expect(await begun.stopped()).toEqual(await begun.runs());
	});

	it("is ended by the sweep together with its run when no consumer visits it any more", async () => {
		const begun = await createContainerTask({ find: [RUNNING] });
		await begun.look();
		begun.world.clock.advance((await begun.job()).give_up_at - begun.world.clock.now());
		const own = begun.deps();
		await sweepEvaluations(own);
		await own.settled();
		expect(await begun.read()).toMatchObject({ status: "evaluation_failed", quota: { used: 0 } });
		expect(await begun.stopped()).toEqual(await begun.runs());
	});

	it("gives a rubric of many criteria more time for its calls to models", async () => {
		const world = createWorld();
		const [poster, agent] = [await registerAgent(), await registerAgent()];
		const criteria = Array.from({ length: 50 }, (_, index) => ({ name: `Criterion ${index}`, weight: 2 }));
		const { id } = await world.submit(agent, await openTask(poster, { criteria }));
		const { give_up_at } = await readJob(id);
		expect(give_up_at - world.clock.now() - GIVE_UP_MARGIN_MS).toBe(50 * MINUTE_MS);
	});
});

describe("runs that are no longer needed", () => {
	it("are stopped later when the grader cannot be reached now", async () => {
		const begun = await createContainerTask({
			find: [done()],
			stop: [UNAVAILABLE, { kind: "hang" }, UNAVAILABLE, { kind: "status", status: 200 }],
		});
		begun.world.clock.advance((await begun.look()) ?? 0);
		expect(await begun.look()).toBeNull();
		expect(await begun.read()).toMatchObject({ status: "completed" });
		begun.world.clock.advance(2 * EVALUATION_JOBS.leaseMs);
		const sweeping = begun.sweepRuns();
		await expect.poll(async () => (await begun.seen()).filter(({ call }) => call === "stop")).toHaveLength(2);
		begun.world.clock.advance(MINUTE_MS);
		await sweeping;
		await begun.sweepRuns();
		expect(await notedRuns(begun.jobId)).toBe(1);
		await begun.sweepRuns();
		expect(await notedRuns(begun.jobId)).toBe(0);
	});

	it("are not asked for by a consumer that comes too late", async () => {
		const begun = await createContainerTask({ find: [done()] });
		const own = begun.deps();
		const directTransfers: DirectTransfers = {
			presignPut: () => Promise.reject(new Error("not used")),
			copy: () => Promise.reject(new Error("not used")),
			presignGet: async () => {
				await abandonEvaluation(begun.deps(), begun.jobId);
				return { url: "https://bucket.example/a.zip", token: "", path: "/a.zip", ttlMs: 1_000 };
			},
		};
		const late = { ...own, directTransfers };
		expect(await runEvaluation(late, begun.jobId)).toBeNull();
		expect(await begun.runs()).toEqual([]);
		expect(await begun.read()).toMatchObject({ status: "evaluation_failed" });
	});

	it("are not stopped while they are needed", async () => {
		const begun = await createContainerTask({ find: [RUNNING] });
		await begun.look();
		begun.world.clock.advance(20 * MINUTE_MS);
		await begun.sweepRuns();
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
		expect(await count("select count(*) from evaluations where submission_id = ?", begun.id)).toBe(1);
	});
});

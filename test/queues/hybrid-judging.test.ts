// Tests mode hybrid: an image and a judge, joined by the task's weights.
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { EvaluationFault } from "../../src/domain/evaluation-fault.ts";
import { createContainerTask } from "../support/container-judging.ts";
import { DIGEST, done, ended, type GraderScript, RUNNING } from "../support/grader-script.ts";
import { GOOD_FILES, registerAgent } from "../support/scenario.ts";
import { listBucket } from "../support/storage.ts";
import { failingJudge, PLATFORM_FAULT } from "../support/world.ts";

const begin = (script: GraderScript = { find: [done({ notes: "From the image." })] }, task: Readonly<Record<string, unknown>> = {}) =>
	createContainerTask(script, { task: { eval_mode: "hybrid", test_weight: 70, llm_weight: 30, ...task } });

describe("a hybrid evaluation", () => {
	it("has the image's score, the judge's score and comments, and the task's weights for the final one", async () => {
		const begun = await begin();
		await begun.workOff();
		const { status, scores, dimensions } = await begun.read();
		expect(status).toBe("completed");
		expect(scores).toMatchObject({ test_score: 80, container_score: 80, eval_mode: "hybrid" });
		const llmScore = scores?.llm_score ?? -1;
		expect(llmScore).toBeGreaterThan(0);
		expect(scores?.final_score).toBeCloseTo(0.7 * 80 + 0.3 * llmScore, 1);
		expect(dimensions.map(({ criterion_name }) => criterion_name)).toEqual(["Parser", "Tests"]);
		const { breakdown, reasoning } = await begun.details();
		expect(breakdown).toMatchObject({ outcome: "graded", image_digest: DIGEST, judge: "offline", usage: expect.anything() });
		expect(reasoning).toMatch(/^From the image\.\n\nJudged by/);
		expect(await begun.evaluations()).toMatchObject([{ image_digest: DIGEST, judge: "offline" }]);
		await begun.stopRuns();
		expect(await begun.stopped()).toEqual(await begun.runs());
	});

	it("with weights 100/0 also gets comments", async () => {
		const begun = await begin(undefined, { test_weight: 100, llm_weight: 0 });
		await begun.workOff();
		const { scores, dimensions } = await begun.read();
		expect(scores).toMatchObject({ final_score: 80, llm_score: expect.any(Number) });
		expect(dimensions).toMatchObject([{ reasoning: expect.stringMatching(/./) }, { reasoning: expect.stringMatching(/./) }]);
	});

	it("of an invalid submission has an image score of 0", async () => {
		const begun = await begin({ find: [ended("submission_invalid")] });
		await begun.workOff();
		const { scores } = await begun.read();
		expect(scores?.test_score).toBe(0);
		expect(scores?.final_score).toBeCloseTo(0.3 * (scores?.llm_score ?? 0), 1);
	});

	it("runs the image once, even if the judge is often busy", async () => {
		const begun = await begin();
		const busy = failingJudge(PLATFORM_FAULT);
		for (let look = 0; look < 5; look += 1) begun.world.clock.advance((await begun.look({ judge: busy })) ?? 0);
		expect(await begun.read()).toMatchObject({ status: "running" });
		await begun.workOff();
		expect(await begun.read()).toMatchObject({ status: "completed", scores: { test_score: 80 } });
		expect(await begun.submitted()).toHaveLength(1);
	});

	it("fails with the judge, and returns the slot", async () => {
		const begun = await begin();
		await begun.workOff({ judge: failingJudge(new EvaluationFault("No.", { blame: "platform", isRetryable: false })) });
		expect(await begun.read()).toMatchObject({ status: "evaluation_failed", scores: null, quota: { used: 0 } });
		await begun.stopRuns();
		expect(await begun.stopped()).toEqual(await begun.runs());
	});

	it("fails with the image, and does not call the judge", async () => {
		const begun = await begin({ find: [ended("grader_oom")] });
		await begun.workOff({ judge: failingJudge(new Error("asked")) });
		expect(await begun.read()).toMatchObject({
			status: "evaluation_failed",
			error_message: expect.stringMatching(/^grader_oom/),
			quota: { used: 1 },
		});
	});

	it.each([
		["hybrid", [done(), ended("grader_oom")]],
		["hybrid", [done(), ended("grader_oom"), RUNNING]],
		["container", [done(), ended("grader_oom")]],
		["container", [done(), ended("grader_oom"), RUNNING]],
	] as const)("in mode %s confirms no candidate whose image fails in the final round: %#", async (mode, find) => {
		const begun = await createContainerTask({ find: [...find] }, { task: { final_round: true, eval_mode: mode } });
		await begun.workOff();
		const { scores: provisional } = await begun.read();
		expect(provisional).toMatchObject({ test_score: 80 });
		await begun.poster.call("closeTask", { params: { id: begun.taskId } });
		await begun.world.workOffTask(begun.taskId);
		expect(await begun.read()).toMatchObject({ status: "completed", scores: provisional });
		const board = await begun.poster.call("getLeaderboard", { params: { id: begun.taskId } });
		expect(board).toMatchObject({ provisional: false, entries: [{ submissionId: begun.id, confirmed: false, testScore: 80 }] });
	});

	it("runs the image once for all samples of a candidate", async () => {
		const begun = await begin({ find: [done()] }, { final_round: true });
		const other = { body: { files: { ...GOOD_FILES, "other.txt": "It differs." } } };
		await begun.world.submit(await registerAgent(), begun.taskId, other);
		await begun.world.workOffTask(begun.taskId);
		expect(await begun.submitted()).toHaveLength(2);
		await begun.poster.call("closeTask", { params: { id: begun.taskId } });
		await begun.world.workOffTask(begun.taskId);
		// Both candidates have their files judged further, but graded once.
		expect(await begun.submitted()).toHaveLength(4);
		const { data } = await begun.poster.call("listEvaluations", { params: { id: begun.id } });
		expect(data.at(-1)).toMatchObject({ round: "final", test_score: 80 });
		expect(Object.values(data.at(-1)?.samples ?? {}).map(({ length }) => length)).toEqual([13, 13]);
	});

	it("runs no image if there is no judge", async () => {
		const begun = await begin();
		await begun.workOff({ judge: null });
		expect(await begun.read()).toMatchObject({ status: "evaluation_failed", error_message: expect.stringContaining("no judge") });
		expect(await begun.submitted()).toEqual([]);
	});

	it("runs the image again if its result is lost", async () => {
		const begun = await begin();
		for (let look = 0; look < 2; look += 1) begun.world.clock.advance((await begun.look()) ?? 0);
		const kept = await listBucket(`tasks/${begun.taskId}/jobs/${begun.jobId}/graded`);
		expect(kept).toHaveLength(1);
		await env.BUCKET.delete(kept);
		await begun.workOff();
		expect(await begun.read()).toMatchObject({ status: "completed", scores: { test_score: 80 } });
		expect(await begun.runs()).toHaveLength(2);
	});
});

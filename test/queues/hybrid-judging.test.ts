// Tests mode hybrid: an image and a judge, joined by the task's weights.
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { EvaluationFault } from "../../src/domain/evaluation-fault.ts";
import { createContainerTask } from "../support/container-judging.ts";
import { DIGEST, done, ended, type GraderScript, RUNNING } from "../support/grader-script.ts";
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

	it("has 0 for the image's part if the candidate makes its image fail in the final round", async () => {
		const begun = await begin({ find: [done(), ended("grader_oom")] }, { final_round: true });
		await begun.workOff();
		const { scores: provisional } = await begun.read();
		expect(provisional).toMatchObject({ test_score: 80 });
		await begun.poster.call("closeTask", { params: { id: begun.taskId } });
		await begun.workOff();
		const { scores } = await begun.read();
		expect(scores?.test_score).toBe(0);
		expect(scores?.final_score).toBeCloseTo(0.3 * (scores?.llm_score ?? -1), 1);
		const board = await begun.poster.call("getLeaderboard", { params: { id: begun.taskId } });
		expect(board).toMatchObject({ provisional: false, entries: [{ submissionId: begun.id, confirmed: true, testScore: 0 }] });
	});

	it.each(["hybrid", "container"])("in mode %s has 0 for the image's part if the candidate's second run does not end", async (mode) => {
		const begun = await createContainerTask(
			{ find: [done(), ended("grader_oom"), RUNNING] },
			{ task: { final_round: true, eval_mode: mode } },
		);
		await begun.workOff();
		expect((await begun.read()).scores).toMatchObject({ test_score: 80 });
		await begun.poster.call("closeTask", { params: { id: begun.taskId } });
		await begun.workOff();
		const { scores } = await begun.read();
		expect(scores?.test_score).toBe(0);
		const board = await begun.poster.call("getLeaderboard", { params: { id: begun.taskId } });
		expect(board).toMatchObject({ provisional: false, entries: [{ submissionId: begun.id, confirmed: true, testScore: 0 }] });
		expect(JSON.stringify(await begun.details())).toContain("the second one did not end in time");
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

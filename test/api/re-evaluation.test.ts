import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { EvaluationFault } from "../../src/domain/evaluation-fault.ts";
import { median } from "../../src/domain/scores.ts";
import type { Judge } from "../../src/ports/judge.ts";
import { admin } from "../support/admin.ts";
import { buildZip, goodZipWith } from "../support/archives.ts";
import { finishedWith } from "../support/final-round.ts";
import { changeSubmissions } from "../support/house.ts";
import { openTask, type RegisteredClient, registerAgent } from "../support/scenario.ts";
import { readArtifactOf } from "../support/task-object.ts";
import { HOUR_MS, SECOND_MS } from "../support/times.ts";
import { putTo, register } from "../support/uploads.ts";
import { createWorld, failingJudge, findJob, ownJudge, PLATFORM_FAULT, type World } from "../support/world.ts";

const of = (id: string) => ({ params: { id } });

/** Returns a judge that gives every criterion the same score. */
function judgeOf(score: number): Judge {
	return { ...ownJudge(), evaluate: async (request) => finishedWith(request, () => [score]) };
}

/** Works on a submission's job when it is due. */
async function judge(world: World, submissionId: string, by: Judge): Promise<void> {
	await world.look(submissionId, { judge: by });
}

/** Returns a submission that has been evaluated once, with its own clock. */
async function evaluatedOnce({ score = 50, task = {} }: { score?: number; task?: Record<string, unknown> } = {}) {
	const world = createWorld();
	const [poster, agent] = [await registerAgent("Poster"), await registerAgent("Builder")];
	const taskId = await openTask(poster, { deadline: new Date(Date.now() + 30 * 24 * HOUR_MS).toISOString(), ...task });
	const { id } = await world.submit(agent, taskId);
	await judge(world, id, judgeOf(score));
	return { world, id, taskId, agent: world.enter(agent), poster: world.enter(poster), anybody: world.enter(await registerAgent()) };
}

/** Returns a submission whose artifact was refused by complete, so that another judging may be requested. */
async function failedAtOnce(agent: RegisteredClient, taskId: string, zip: Uint8Array) {
	const { id, upload_url } = await register(agent, taskId);
	await putTo(agent, upload_url, zip);
	expect((await agent.send("completeSubmission", of(id))).status).toBe(400);
	return id;
}

describe("asking for another evaluation", () => {
	it("queues one under the next number, hides the score until it ends, and uses no slot", async () => {
		const { world, id, agent } = await evaluatedOnce({ score: 50 });
		const before = await agent.call("getSubmission", of(id));
		expect(before).toMatchObject({ evaluated: true, iteration: 1, scores: { final_score: 50 }, quota: { used: 1 } });
		const answer = await agent.call("requestReEvaluation", of(id));
		expect(answer).toMatchObject({ submission_id: id, iteration: 2, enqueued_at: new Date(world.clock.now()).toISOString() });
		expect(await agent.call("getSubmission", of(id))).toMatchObject({
			status: "running",
			evaluated: false,
			scores: null,
			quota: { used: 1 },
		});
		await judge(world, id, judgeOf(80));
		expect(await agent.call("getSubmission", of(id))).toMatchObject({ status: "completed", iteration: 2, scores: { final_score: 65 } });
		expect(await agent.call("getSubmissionDetails", of(id))).toMatchObject({
			dimensions: [{ score: 65, reasoning: "as asked" }, { score: 65 }],
			breakdown: { evaluations: 2 },
		});
	});

	it("is allowed once an hour, and the error says how long to wait", async () => {
		const { world, id, agent, poster } = await evaluatedOnce();
		await agent.call("requestReEvaluation", of(id));
		await judge(world, id, judgeOf(50));
		const { headers } = await agent.refused("requestReEvaluation", "RE_EVAL_COOLDOWN", of(id));
		expect(headers.get("Retry-After")).toBe("3600");
		world.clock.advance(HOUR_MS - 90 * SECOND_MS - 1);
		expect((await poster.refused("requestReEvaluation", "RE_EVAL_COOLDOWN", of(id))).headers.get("Retry-After")).toBe("91");
		world.clock.advance(90 * SECOND_MS);
		expect((await agent.refused("requestReEvaluation", "RE_EVAL_COOLDOWN", of(id))).headers.get("Retry-After")).toBe("1");
		world.clock.advance(1);
		expect(await agent.call("requestReEvaluation", of(id))).toMatchObject({ iteration: 3 });
	});

	it.each([
		[[10, 90, 30], 30],
		[[10, 90, 30, 35], 32.5],
	])("of %j gives the median %d, and all scores are kept", async (scores, expected) => {
		const [first = 0, ...others] = scores;
		const { world, id, taskId, agent } = await evaluatedOnce({ score: first });
		for (const score of others) {
			await agent.call("requestReEvaluation", of(id));
			await judge(world, id, judgeOf(score));
			world.clock.advance(HOUR_MS);
		}
		expect((await agent.call("getSubmission", of(id))).scores?.final_score).toBe(expected);
		expect((await agent.call("getLeaderboard", of(taskId))).me?.finalScore).toBe(expected);
		const { data } = await agent.call("listEvaluations", of(id));
		const stored = data.map(({ iteration, final_score }) => ({ iteration, final_score }));
		expect(stored).toEqual(scores.map((score, index) => ({ iteration: index + 1, final_score: score })));
		expect(median(scores)).toBe(expected);
	});

	it("is refused while an evaluation runs, and before the first one", async () => {
		const { id, taskId, agent } = await evaluatedOnce();
		const registered = await register(agent, taskId);
		await agent.refused("requestReEvaluation", "WRONG_STATUS", of(registered.id));
		await putTo(agent, registered.upload_url, goodZipWith());
		await agent.refused("requestReEvaluation", "WRONG_STATUS", of(registered.id));
		await agent.call("completeSubmission", of(registered.id));
		await agent.refused("requestReEvaluation", "SUBMISSION_IN_PROGRESS", of(registered.id));
		expect(await findJob({ id, taskId })).toBeNull();
	});

	it("is refused after the close, and past the deadline even if the task is not settled yet", async () => {
		const closed = await evaluatedOnce();
		await closed.poster.call("closeTask", of(closed.taskId));
		await closed.agent.refused("requestReEvaluation", "TASK_CLOSED", of(closed.id));
		const late = await evaluatedOnce();
		late.world.clock.advance(30 * 24 * HOUR_MS + SECOND_MS);
		await late.agent.refused("requestReEvaluation", "TASK_CLOSED", of(late.id));
	});

	it("is refused when the artifact is gone", async () => {
		const { id, taskId, agent } = await evaluatedOnce();
		const { key } = await readArtifactOf(taskId, id);
		await env.BUCKET.delete(key ?? "");
		await agent.refused("requestReEvaluation", "NO_ARTIFACT", of(id));
		expect(await agent.call("getSubmission", of(id))).toMatchObject({ status: "completed", evaluated: true, iteration: 1 });
	});

	it("is refused after 200 evaluations, because each later one would have to read them", async () => {
		const { id, taskId, agent, poster } = await evaluatedOnce();
		const pretend = (iteration: number) => changeSubmissions(taskId, `iteration = ${iteration}`);
		await pretend(200);
		for (const caller of [agent, poster]) {
			expect((await caller.refused("requestReEvaluation", "CONFLICT", of(id))).message).toContain("200");
		}
		await pretend(199);
		expect(await agent.call("requestReEvaluation", of(id))).toMatchObject({ iteration: 200 });
	});

	it("ten times in parallel queues one", async () => {
		const { world, id, agent, poster } = await evaluatedOnce();
		const sent = world.tasks.sent.length;
		const answers = await Promise.all(
			Array.from({ length: 10 }, (_, call) => (call % 2 === 0 ? agent : poster).send("requestReEvaluation", of(id))),
		);
		const bodies = await Promise.all(answers.map((answer) => answer.json<{ error?: { code: string } }>()));
		expect(bodies.filter(({ error }) => error === undefined)).toHaveLength(1);
		expect(bodies.filter(({ error }) => error?.code === "SUBMISSION_IN_PROGRESS")).toHaveLength(9);
		expect(world.tasks.sent).toHaveLength(sent + 1);
		await world.workOff(id);
		expect((await agent.call("listEvaluations", of(id))).data.map(({ iteration }) => iteration)).toEqual([1, 2]);
	});
});

describe("a voided submission", () => {
	it("is not evaluated again for its agent or the task's owner, because it has no rank to gain", async () => {
		const { world, id, agent, poster } = await evaluatedOnce();
		const reason = { body: { reason: "It is stolen." } };
		await world.enter(admin).call("voidSubmission", { ...of(id), ...reason });
		for (const caller of [agent, poster]) {
			const { message } = await caller.refused("requestReEvaluation", "CONFLICT", of(id));
			expect(message).toContain("excluded");
		}
		expect(await agent.call("getSubmission", of(id))).toMatchObject({ status: "completed", iteration: 1 });
		await world.enter(admin).call("reEvaluateSubmission", { ...of(id), ...reason });
	});
});

describe("another evaluation", () => {
	it("that ends without a score is withdrawn: status, scores and place are as before", async () => {
		const own = new EvaluationFault("Something in your files.", { blame: "submission", isRetryable: false });
		for (const fault of [PLATFORM_FAULT, own]) {
			const { world, id, taskId, agent } = await evaluatedOnce({ score: 70 });
			const before = await agent.call("getSubmission", of(id));
			await agent.call("requestReEvaluation", of(id));
			const board = async () => (await agent.call("getLeaderboard", of(taskId))).me;
			expect(await board()).toMatchObject({ rank: 1, finalScore: 70 });
			// A fault of the platform is waited for, for 24 hours in all.
			for (let delayMs: number | null = 0; delayMs !== null; ) {
				world.clock.advance(Math.max(delayMs, 4 * HOUR_MS));
				delayMs = await world.look(id, { judge: failingJudge(fault) });
				expect(await board()).toMatchObject({ rank: 1, finalScore: 70 });
			}
			expect(await findJob({ id, taskId })).toBeNull();
			expect({ ...(await agent.call("getSubmission", of(id))), artifact: null }).toEqual({ ...before, artifact: null });
			expect(await board()).toMatchObject({ rank: 1, finalScore: 70 });
		}
	});

	it("is possible also after failures of the submission's own files", async () => {
		const silenced = failingJudge(new EvaluationFault("Something in your files.", { blame: "submission", isRetryable: false }));
		const { world, id, agent } = await evaluatedOnce({ score: 60 });
		for (const by of [silenced, silenced, silenced]) {
			await agent.call("requestReEvaluation", of(id));
			await judge(world, id, by);
			world.clock.advance(HOUR_MS);
		}
		// Withdrawn ones do not count.
		expect(await agent.call("requestReEvaluation", of(id))).toMatchObject({ iteration: 2 });
		await judge(world, id, judgeOf(60));
		expect(await agent.call("getSubmission", of(id))).toMatchObject({ status: "completed", scores: { final_score: 60 } });
	});

	it("of a submission whose evaluation failed brings its first score", async () => {
		const world = createWorld();
		const [poster, agent] = [await registerAgent(), await registerAgent()];
		const { id } = await world.submit(agent, await openTask(poster));
		await judge(world, id, failingJudge(new EvaluationFault("No judge.", { blame: "platform", isRetryable: false })));
		expect(await world.enter(agent).call("getSubmission", of(id))).toMatchObject({
			status: "evaluation_failed",
			error_message: expect.any(String),
		});
		await world.enter(agent).call("requestReEvaluation", of(id));
		await judge(world, id, judgeOf(44));
		const judged = await world.enter(agent).call("getSubmission", of(id));
		expect(judged).toMatchObject({ status: "completed", iteration: 2, scores: { final_score: 44 } });
		expect(judged).not.toHaveProperty("error_message");
	});

	it.each([
		["that is broken", goodZipWith().subarray(0, 300), /not a zip|cut off/],
		["without SUBMISSION.md", buildZip({ entries: [{ name: "a.txt", content: "x" }] }), /SUBMISSION\.md/],
	])("of an artifact %s is withdrawn without a call to the judge", async (_, zip, reason) => {
		const world = createWorld();
		const agent = await registerAgent();
		const id = await failedAtOnce(agent, await openTask(await registerAgent()), zip);
		const own = world.enter(agent);
		expect((await own.call("getSubmission", of(id))).error_message).toMatch(reason);
		expect(await own.call("requestReEvaluation", of(id))).toMatchObject({ iteration: 1 });
		expect((await own.call("getSubmission", of(id))).status).toBe("running");
		await judge(world, id, judgeOf(100));
		const judged = await own.call("getSubmission", of(id));
		expect(judged).toMatchObject({ status: "failed", evaluated: false, iteration: 0, scores: null, quota: { used: 1 } });
		expect(judged.error_message).toMatch(reason);
	});
});

// Tests appeals against scores, the list of submissions for a person to look at, and what the owner's decision changes.
import { describe, expect, it } from "vitest";
import { verifyReceipt } from "../../../packages/sdk/src/receipt/verify.ts";
import { updateSubmission } from "../../../src/core/competition/submissions/store.ts";
import { readWorks } from "../../../src/extensions/similarity/compared-works.ts";
import type { Judge } from "../../../src/ports/judge.ts";
import { admin } from "../../support/admin.ts";
import type { Client } from "../../support/client.ts";
import { createExternalTask } from "../../support/external-judging.ts";
import { createRound, finishedWith, scriptedJudge } from "../../support/final-round.ts";
import { createFleet } from "../../support/identities.ts";
import { registerAgent } from "../../support/scenario.ts";
import { insertScored, inTask, queryTask } from "../../support/task-object.ts";
import { HOUR_MS } from "../../support/times.ts";
import { readLog } from "../../support/webhooks.ts";

const at = (id: string) => ({ params: { id } });
const appealed = (id: string, change: object = {}) => ({ ...at(id), body: { reason: "It does that.", ...change } });
const upheld = (id: string) => ({ ...at(id), body: { decision: "upheld", reason: "It does not." } });
const changed = (id: string, scores: object) => ({ ...at(id), body: { decision: "changed", reason: "You are right.", scores } });
const worth = (score: number) => ({ now: score, final: score });

/** Returns a task without a final round, whose submissions contain the score that they get. Its criteria weigh 60 and 40. */
const createTask = (options: { judge?: Judge; task?: Readonly<Record<string, unknown>> } = {}) =>
	createRound({ ...options, task: { final_round: false, ...options.task } });

/** Returns a submission with its appeal. */
async function createAppealed(score = 50) {
	const task = await createTask();
	const entry = await task.enter(worth(score));
	const appeal = await entry.agent.call("createAppeal", appealed(entry.id));
	return { ...task, ...entry, appeal };
}

const listedBy = async (poster: Client, taskId: string, query: Readonly<Record<string, string | number>> = {}) =>
	(await poster.call("listReviews", { ...at(taskId), query })).data;

describe("an appeal", () => {
	it("is for the submitter to make, and for submitter and owner to read", async () => {
		const { taskId, poster, agent, id, appeal } = await createAppealed();
		expect(appeal).toMatchObject({ submission_id: id, task_id: taskId, criterion_name: null, reason: "It does that.", status: "open" });
		expect(appeal).toMatchObject({ decision_reason: null, decided_at: null });
		for (const reader of [agent, poster]) {
			expect(await reader.call("getAppeal", at(id))).toEqual(appeal);
			expect((await reader.call("getSubmission", at(id))).appeal).toEqual(appeal);
		}
		const statusIn = async (query: Readonly<Record<string, string>>) => {
			const { data } = await agent.call("listSubmissions", { query });
			return data.find((row) => row.id === id)?.appeal_status;
		};
		for (const query of [{}, { task_id: taskId }]) expect(await statusIn(query)).toBe("open");
		await poster.call("reviewSubmission", upheld(id));
		for (const query of [{}, { task_id: taskId }]) expect(await statusIn(query)).toBe("upheld");
	});

	it("names a criterion of the rubric, and has a reason", async () => {
		const task = await createTask();
		const { agent, id } = await task.enter(worth(50));
		await agent.refused("getAppeal", "NOT_FOUND", at(id));
		await agent.refused("createAppeal", "INVALID_BODY", appealed(id, { criterion_name: "Speed" }));
		for (const reason of ["", "x".repeat(2001), null]) await agent.refused("createAppeal", "INVALID_BODY", appealed(id, { reason }));
		expect(await agent.call("createAppeal", appealed(id, { criterion_name: "Tests" }))).toMatchObject({ criterion_name: "Tests" });
	});

	it("is made once, also in parallel", async () => {
		const task = await createTask();
		const { agent, id } = await task.enter(worth(50));
		const calls = await Promise.all(Array.from({ length: 10 }, () => agent.send("createAppeal", appealed(id))));
		expect(calls.map(({ status }) => status).toSorted()).toEqual([201, ...Array.from({ length: 9 }, () => 409)]);
		await agent.refused("createAppeal", "CONFLICT", appealed(id));
	});

	it("needs a completed submission", async () => {
		const task = await createTask();
		const running = await task.submit(worth(50));
		await running.agent.refused("createAppeal", "WRONG_STATUS", appealed(running.id));
		const registered = await running.agent.call("createSubmission", at(task.taskId));
		await running.agent.refused("createAppeal", "WRONG_STATUS", appealed(registered.id));
		await task.workOff();
		await admin.call("voidSubmission", { ...at(running.id), body: { reason: "Stolen." } });
		await running.agent.refused("createAppeal", "WRONG_STATUS", appealed(running.id));
	});

	it("is accepted until 72 hours after the end", async () => {
		const task = await createTask();
		const [first, second] = [await task.enter(worth(50)), await task.enter(worth(60))];
		await task.close();
		task.world.clock.advance(72 * HOUR_MS - 60_000);
		await first.agent.call("createAppeal", appealed(first.id));
		task.world.clock.advance(120_000);
		await second.agent.refused("createAppeal", "TASK_CLOSED", appealed(second.id));
	});

	it("counts its 72 hours from the end of the final round, and reviews their 14 days", async () => {
		const round = await createRound();
		const [first, second] = [await round.enter(worth(50)), await round.enter(worth(60))];
		await round.close();
		round.world.clock.advance(100 * HOUR_MS);
		await round.workOff();
		round.world.clock.advance(71 * HOUR_MS);
		await first.agent.call("createAppeal", appealed(first.id));
		round.world.clock.advance(2 * HOUR_MS);
		await second.agent.refused("createAppeal", "TASK_CLOSED", appealed(second.id));
		round.world.clock.advance((14 * 24 - 74) * HOUR_MS);
		await round.poster.call("reviewSubmission", upheld(first.id));
	});

	it("and reviews go on after the deal, until 14 days after the end", async () => {
		const task = await createAppealed();
		const other = await task.enter(worth(40));
		await task.close();
		const deal = { taskId: task.taskId, agentId: task.agentId, dealType: "output_purchase", dealValueCents: 100 };
		await task.poster.call("createDeal", { body: deal });
		await other.agent.call("createAppeal", appealed(other.id));
		await task.poster.call("reviewSubmission", changed(task.id, { Tests: 90 }));
		task.world.clock.advance(14 * 24 * HOUR_MS + HOUR_MS);
		await task.poster.refused("reviewSubmission", "TASK_CLOSED", upheld(other.id));
	});
});

describe("a review", () => {
	it("that upholds changes no score, and is decided once, also in parallel", async () => {
		const { taskId, poster, agent, id, appeal } = await createAppealed();
		const before = await agent.call("getSubmission", at(id));
		expect(before).toMatchObject({ reviewed: false, review: null });
		const calls = await Promise.all(Array.from({ length: 10 }, () => poster.send("reviewSubmission", upheld(id))));
		expect(calls.map(({ status }) => status).toSorted()).toEqual([200, ...Array.from({ length: 9 }, () => 409)]);
		const decided = await agent.call("getAppeal", at(id));
		expect(decided).toEqual({ ...appeal, status: "upheld", decision_reason: "It does not.", decided_at: expect.any(String) });
		const review = { decision: "upheld", from: null, to: null, criteria: null, reason: "It does not.", decided_at: decided.decided_at };
		for (const reader of [agent, poster]) {
			expect(await reader.call("getSubmissionDetails", at(id))).toMatchObject({ reviewed: false, review });
			expect(await reader.call("getSubmission", at(id))).toMatchObject({ scores: before.scores, reviewed: false, review });
		}
		expect(await listedBy(poster, taskId)).toEqual([]);
		expect(await listedBy(poster, taskId, { status: "decided" })).toMatchObject([
			{ submission_id: id, causes: ["appeal"], appeal: decided },
		]);
		expect((await agent.call("listEvaluations", at(id))).data).toHaveLength(1);
	});

	it("that changes scores has a receipt, and the leaderboard says so", async () => {
		const { taskId, poster, agent, id, world } = await createAppealed();
		const rival = await registerAgent();
		expect(await poster.call("reviewSubmission", changed(id, { Tests: 99.999 }))).toMatchObject({ submission_id: id, status: "changed" });
		// 0.6 * 50 + 0.4 * 100
		const submission = await agent.call("getSubmission", at(id));
		expect(submission).toMatchObject({ status: "completed", evaluated: true, reviewed: true });
		const decision = { from: 50, to: 70, criteria: ["Tests"], reason: "You are right.", decided_at: expect.any(String) };
		expect(submission.review).toEqual({ decision: "changed", ...decision });
		expect(submission.scores).toMatchObject({ final_score: 70, llm_score: 70, test_score: null });
		expect(submission.dimensions).toMatchObject([
			{ criterion_name: "Parser", score: 50, reasoning: "as asked" },
			{ criterion_name: "Tests", score: 100, reasoning: expect.stringContaining("You are right.") },
		]);
		const { data } = await agent.call("listEvaluations", at(id));
		expect(data).toHaveLength(2);
		const review = data[1];
		const sample = (score: number) => [{ model: "human", found: [], score }];
		expect(review).toMatchObject({ round: "review", judge: "human", models: [], prompt_version: null, final_score: 70, iteration: 2 });
		expect(review?.samples).toEqual({ Parser: sample(50), Tests: sample(100) });
		const keys = await world.enter({ key: null }).call("getReceiptKeys");
		const verified = await verifyReceipt(JSON.parse(JSON.stringify(review)), keys);
		expect(verified.claims).toMatchObject({ round: "review", judge: "human", scores: { final: 70 } });
		expect(verified.recomputed).toEqual(["criteria", "llm", "final"]);
		const board = await world.enter(rival).call("getLeaderboard", at(taskId));
		expect(board.entries).toMatchObject([{ finalScore: 70, reviewed: true, review: decision }]);
		expect(board.comparisonGroups).toHaveLength(1);
		const inPublic = await world.enter({ key: null }).call("getPublicLeaderboard", at(taskId));
		expect(inPublic.entries).toMatchObject([{ reviewed: true, review: decision }]);
	});

	it("never lowers a score", async () => {
		const { taskId, poster, agent, id } = await createAppealed();
		const lower = await poster.refused("reviewSubmission", "CONFLICT", changed(id, { Tests: 49 }));
		expect(lower.message).toContain("lower");
		await poster.refused("reviewSubmission", "CONFLICT", changed(id, { Tests: 0, Parser: 83 }));
		expect(await listedBy(poster, taskId)).toMatchObject([{ submission_id: id, final_score: 50 }]);
		expect((await agent.call("getAppeal", at(id))).status).toBe("open");
		await poster.call("reviewSubmission", changed(id, { Tests: 0, Parser: 100 }));
		expect(await agent.call("getSubmission", at(id))).toMatchObject({
			scores: { final_score: 60 },
			review: { from: 50, to: 60, criteria: ["Parser", "Tests"] },
		});
	});

	it.each([
		[
			"raises little if little is raised",
			[
				[90, 0],
				[0, 90],
				[90, 90],
			],
			54,
			{ Parser: 91 },
			54.6,
		],
		[
			"raises a score whose criteria have lower medians",
			[
				[90, 0],
				[0, 90],
				[0, 0],
			],
			36,
			{ Parser: 50 },
			66,
		],
	])("starts from one evaluation, so it %s", async (_, scores, from, given, to) => {
		const judges = scores.map(([parser = 0, tests = 0]) => {
			const evaluate: Judge["evaluate"] = async (request) => finishedWith(request, (name) => [name === "Parser" ? parser : tests]);
			return scriptedJudge({ evaluate });
		});
		const task = await createTask();
		const { agent, id } = await task.submit(worth(50));
		for (const [index, judge] of judges.entries()) {
			if (index > 0) await agent.call("requestReEvaluation", at(id));
			await task.workOff({ judge });
			task.world.clock.advance(2 * HOUR_MS);
		}
		await agent.call("createAppeal", appealed(id));
		await task.poster.call("reviewSubmission", changed(id, given));
		const expected = { scores: { final_score: to }, review: { from, to, criteria: ["Parser"] } };
		expect(await agent.call("getSubmission", at(id))).toMatchObject(expected);
	});

	it("leaves the reputation with the judge's score", async () => {
		const { poster, agent, agentId, id, close } = await createAppealed();
		await poster.call("reviewSubmission", changed(id, { Tests: 100, Parser: 100 }));
		expect((await agent.call("getSubmission", at(id))).scores?.final_score).toBe(100);
		await close();
		await expect
			.poll(async () => (await agent.call("getAgent", at(agentId))).as_competitor)
			.toMatchObject({ evaluated_submissions: 1, best_final_score: 50, average_final_score: 50 });
	});

	it("that has changed scores ends re-evaluations", async () => {
		const { poster, agent, id, world } = await createAppealed();
		await poster.call("reviewSubmission", changed(id, { Tests: 90, Parser: 90 }));
		world.clock.advance(2 * HOUR_MS);
		for (const asker of [agent, poster]) await asker.refused("requestReEvaluation", "CONFLICT", at(id));
		expect((await agent.call("getSubmission", at(id))).scores?.final_score).toBe(90);
	});

	it("is replaced by a re-evaluation of an operator", async () => {
		const { taskId, poster, agent, id, workOff } = await createAppealed();
		await poster.call("reviewSubmission", changed(id, { Tests: 90, Parser: 90 }));
		await admin.call("reEvaluateSubmission", { ...at(id), body: { reason: "The scores are made up." } });
		const board = async () => (await poster.call("getLeaderboard", at(taskId))).entries;
		expect(await board()).toMatchObject([{ finalScore: 90, reviewed: true }]);
		await workOff();
		expect(await board()).toMatchObject([{ finalScore: 50, reviewed: false, review: null }]);
		expect(await agent.call("getSubmission", at(id))).toMatchObject({ reviewed: false, review: null, scores: { final_score: 50 } });
		expect((await agent.call("listEvaluations", at(id))).data.map(({ round }) => round)).toEqual(["submission", "review", "re_evaluation"]);
	});

	it("waits for a running re-evaluation", async () => {
		const { poster, agent, id, world, workOff } = await createAppealed();
		world.clock.advance(2 * HOUR_MS);
		await agent.call("requestReEvaluation", at(id));
		await poster.refused("reviewSubmission", "SUBMISSION_IN_PROGRESS", changed(id, { Tests: 90 }));
		await workOff();
		await poster.call("reviewSubmission", changed(id, { Tests: 100 }));
		expect((await agent.call("getSubmission", at(id))).scores?.final_score).toBe(70);
	});

	it("is for the owner, and for a submission in the list", async () => {
		const task = await createAppealed();
		const other = await task.enter(worth(90));
		await task.agent.refused("reviewSubmission", "FORBIDDEN", upheld(task.id));
		await task.poster.refused("reviewSubmission", "NO_SUBMISSION", upheld(other.id));
		await task.poster.refused("reviewSubmission", "INVALID_BODY", changed(task.id, { Speed: 90 }));
		await task.poster.refused("reviewSubmission", "INVALID_BODY", changed(task.id, {}));
		for (const score of [-1, 101, "90"]) await task.poster.refused("reviewSubmission", "INVALID_BODY", changed(task.id, { Tests: score }));
		for (const body of [{ decision: "changed", reason: "x" }, { decision: "upheld" }, { decision: "maybe", reason: "x" }]) {
			await task.poster.refused("reviewSubmission", "INVALID_BODY", { ...at(task.id), body });
		}
		await task.poster.call("reviewSubmission", upheld(task.id));
		await task.poster.refused("reviewSubmission", "CONFLICT", changed(task.id, { Tests: 90 }));
	});

	it("of an external task can only uphold", async () => {
		const { poster, agent, token, submit, anybody, taskId } = await createExternalTask();
		const id = await submit();
		await anybody.call("postExternalScore", { ...at(id), body: { callback_token: token, final_score: 40 } });
		await agent.call("createAppeal", appealed(id, { criterion_name: "Tests" }));
		await poster.refused("reviewSubmission", "WRONG_EVAL_MODE", changed(id, { Tests: 90 }));
		expect(await listedBy(poster, taskId)).toMatchObject([{ submission_id: id, causes: ["appeal"], final_score: 40 }]);
		expect(await poster.call("reviewSubmission", upheld(id))).toMatchObject({ status: "upheld" });
	});

	it("is replaced by the final round", async () => {
		const round = await createRound();
		const { agent, id } = await round.enter({ now: 50, final: 40 });
		await agent.call("createAppeal", appealed(id));
		await round.poster.call("reviewSubmission", changed(id, { Tests: 100, Parser: 100 }));
		expect((await round.board()).entries).toMatchObject([{ finalScore: 100, reviewed: true, confirmed: false }]);
		await round.close();
		await round.workOff();
		expect((await round.board()).entries).toMatchObject([{ finalScore: 40, reviewed: false, confirmed: true }]);
		expect(await agent.call("getSubmission", at(id))).toMatchObject({ scores: { final_score: 40 }, reviewed: false, review: null });
		expect((await agent.call("listEvaluations", at(id))).data.map(({ round }) => round)).toEqual(["submission", "review", "final"]);
	});

	it("after a final round changes the confirmed score", async () => {
		const round = await createRound();
		const { agent, id } = await round.enter({ now: 50, final: 40 });
		await round.close();
		await round.workOff();
		await agent.call("createAppeal", appealed(id));
		await round.poster.call("reviewSubmission", changed(id, { Tests: 100 }));
		// 0.6 * 40 + 0.4 * 100
		expect((await round.board()).entries).toMatchObject([{ finalScore: 64, reviewed: true }]);
	});

	it("is opened again by a later appeal, and the decision stays until the next one", async () => {
		const task = await createTask();
		const [first, second] = [await task.enter(worth(50)), await task.enter(worth(50))];
		await task.close();
		expect(await task.poster.call("reviewSubmission", upheld(first.id))).toEqual({
			submission_id: first.id,
			decision: "upheld",
			reason: "It does not.",
			decided_at: expect.any(String),
		});
		await task.poster.refused("reviewSubmission", "CONFLICT", upheld(first.id));
		const decided = () => listedBy(task.poster, task.taskId, { status: "decided" });
		expect(await decided()).toMatchObject([{ submission_id: first.id, causes: ["tie"], appeal: null }]);
		task.world.clock.advance(HOUR_MS);
		const { created_at } = await first.agent.call("createAppeal", appealed(first.id));
		expect(await decided()).toEqual([]);
		expect(await listedBy(task.poster, task.taskId)).toMatchObject([
			{ submission_id: first.id, causes: ["appeal", "tie"], created_at },
			{ submission_id: second.id, causes: ["tie"] },
		]);
		expect((await first.agent.call("getSubmission", at(first.id))).review).toMatchObject({ decision: "upheld" });
		expect(await task.poster.call("reviewSubmission", upheld(first.id))).toMatchObject({ status: "upheld" });
		expect(await decided()).toMatchObject([{ submission_id: first.id, causes: ["appeal", "tie"], created_at }]);
	});

	it("that upholds a changed score leaves what the leaderboards show of the change", async () => {
		const task = await createTask();
		const { agent, id } = await task.enter(worth(50));
		await task.enter(worth(50));
		await task.close();
		await task.poster.call("reviewSubmission", changed(id, { Tests: 90 }));
		const entryOf = async () => (await task.board()).entries.find(({ submissionId }) => submissionId === id);
		const before = await entryOf();
		expect(before).toMatchObject({ finalScore: 66, reviewed: true, review: { from: 50, to: 66, reason: "You are right." } });
		await agent.call("createAppeal", appealed(id));
		await task.poster.call("reviewSubmission", upheld(id));
		expect(await entryOf()).toEqual(before);
		expect((await agent.call("getSubmission", at(id))).review).toMatchObject({ decision: "upheld", from: null, reason: "It does not." });
		await admin.call("eraseAgent", { ...at(task.posterAgent.agentId), body: { reason: "Asked for." } });
		const reasons = await queryTask(task.taskId, "select reason, change->>'reason' as why from reviews");
		expect(reasons).toEqual([{ reason: "", why: "" }]);
	});
});

describe("the list of reviews", () => {
	it("has submissions whose judge reported an injection", async () => {
		const judge = scriptedJudge({
			evaluate(request) {
				const outcome = finishedWith(request, () => [50]);
				if (outcome.kind === "waiting") throw new Error("It has finished.");
				const { judgement } = outcome;
				const criteria = judgement.criteria.map((criterion) => ({ ...criterion, isInjectionSuspected: true }));
				return Promise.resolve({ ...outcome, judgement: { ...judgement, criteria } });
			},
		});
		const task = await createTask({ judge });
		const { id } = await task.enter(worth(50));
		expect(await listedBy(task.poster, task.taskId)).toMatchObject([
			{ submission_id: id, causes: ["injection"], appeal: null, final_score: 50 },
		]);
	});

	it("has submissions whose newest samples vary by 10 points or more", async () => {
		const varying = (scores: readonly number[]) =>
			scriptedJudge({ evaluate: (request) => Promise.resolve(finishedWith(request, () => scores)) });
		const task = await createTask({ judge: varying([20, 50, 80]) });
		const { id, agent } = await task.enter(worth(50));
		expect(await listedBy(task.poster, task.taskId)).toMatchObject([{ submission_id: id, causes: ["spread"] }]);
		task.world.clock.advance(2 * HOUR_MS);
		await agent.call("requestReEvaluation", at(id));
		await task.workOff({ judge: varying([49, 50, 51]) });
		expect(await listedBy(task.poster, task.taskId)).toEqual([]);
	});

	it("has work that is nearly the same as an earlier one of another party, but neither that one nor an agent's own versions", async () => {
		const task = await createTask();
		const original = await task.enter({ ...worth(50), salt: "same" });
		await task.enter({ ...worth(60), salt: "other" });
		const agent = await registerAgent();
		const versions = [await task.enter({ ...worth(70), salt: "own" }, agent), await task.enter({ ...worth(71), salt: "own" }, agent)];
		expect(await listedBy(task.poster, task.taskId)).toEqual([]);
		for (const { id } of versions) await task.poster.refused("reviewSubmission", "NO_SUBMISSION", upheld(id));
		const copy = await task.enter({ ...worth(55), salt: "same", tweak: "a" });
		expect(await listedBy(task.poster, task.taskId)).toMatchObject([
			{ submission_id: copy.id, causes: ["copy"], copy_of: { submission_id: original.id, similarity: expect.any(Number) } },
		]);
		await task.poster.refused("reviewSubmission", "NO_SUBMISSION", upheld(original.id));
		await task.poster.call("reviewSubmission", upheld(copy.id));
		expect(await listedBy(task.poster, task.taskId)).toEqual([]);
		expect(await listedBy(task.poster, task.taskId, { status: "decided" })).toMatchObject([
			{ submission_id: copy.id, copy_of: { submission_id: original.id } },
		]);
	});

	it("treats children of one operator as one party", async () => {
		const fleet = await createFleet();
		const [one, two] = [await fleet.mint(), await fleet.mint()];
		const task = await createTask();
		for (const child of [one, two]) await task.enter({ ...worth(50), salt: "fleet" }, child);
		expect(await listedBy(task.poster, task.taskId)).toEqual([]);
	});

	it("has ties for the first three places, after the end", async () => {
		const task = await createTask();
		const scores = [90, 80, 70, 70, 60, 60];
		const ids: string[] = [];
		for (const score of scores) ids.push((await task.enter(worth(score))).id);
		expect(await listedBy(task.poster, task.taskId)).toEqual([]);
		await task.close();
		const listed = await listedBy(task.poster, task.taskId);
		expect(listed.map(({ submission_id, causes }) => [submission_id, causes])).toEqual([
			[ids[3], ["tie"]],
			[ids[2], ["tie"]],
		]);
	});

	it("has pages, newest cause first", async () => {
		const task = await createTask();
		const ids: string[] = [];
		for (const score of [40, 50, 60]) {
			const { agent, id } = await task.enter(worth(score));
			await agent.call("createAppeal", appealed(id));
			task.world.clock.advance(1_000);
			ids.unshift(id);
		}
		const first = await task.poster.call("listReviews", { ...at(task.taskId), query: { limit: 2 } });
		const cursor = first.pagination.next_cursor ?? "";
		const rest = await task.poster.call("listReviews", { ...at(task.taskId), query: { limit: 2, cursor } });
		expect([...first.data, ...rest.data].map(({ submission_id }) => submission_id)).toEqual(ids);
		expect(rest.pagination).toEqual({ has_more: false, next_cursor: null });
		await task.poster.refused("listReviews", "VALIDATION_ERROR", { ...at(task.taskId), query: { status: "all" } });
		// A page compares the works again only if there are others.
		const by = task.posterAgent.agentId;
		const read = (known: string | null) => inTask(task.taskId, (store) => readWorks.run(store, { by, known }));
		const { version, works } = await read(null);
		expect(works).toHaveLength(3);
		expect(await read(version)).toEqual({ version, works: null });
		await task.enter(worth(70));
		expect((await read(version)).works).toHaveLength(4);
	});

	it("has full pages of the highest limit", async () => {
		const task = await createTask();
		const { agentId } = await task.enter(worth(50));
		const idOf = (number: number) => `01900000-0000-7000-8000-${String(number).padStart(12, "0")}`;
		await inTask(task.taskId, (store) => {
			for (let number = 1; number <= 101; number += 1) {
				insertScored(store, { submissionId: idOf(number), agentId, score: 10, createdAt: store.now });
				updateSubmission(store, idOf(number), { spread: 20 });
			}
		});
		const query = { limit: 100 };
		const first = await task.poster.call("listReviews", { ...at(task.taskId), query });
		expect(first.data).toHaveLength(100);
		const rest = await task.poster.call("listReviews", {
			...at(task.taskId),
			query: { ...query, cursor: first.pagination.next_cursor ?? "" },
		});
		expect(new Set([...first.data, ...rest.data].map(({ submission_id }) => submission_id)).size).toBe(101);
	});
});

describe("events and operators", () => {
	it("tell the owner about an appeal, and the submitter about the decision", async () => {
		const task = await createTask();
		const { agent, id } = await task.enter(worth(50));
		const events = ["appeal.created", "review.decided", "evaluation.completed", "submission.completed"];
		const subscribe = async (client: Client) => {
			const body = { url: `https://${crypto.randomUUID()}.example/`, events };
			return (await client.call("createWebhook", { body })).id;
		};
		const [ownersId, agentsId] = [await subscribe(task.poster), await subscribe(agent)];
		const appeal = await agent.call("createAppeal", appealed(id));
		await task.poster.call("reviewSubmission", changed(id, { Tests: 90 }));
		const told = async (client: Client, webhookId: string) =>
			(await readLog(client, webhookId))
				.map(({ payload }) => payload)
				.filter((payload) => payload["event"] !== "webhook.test")
				.toSorted((a, b) => String(a["event"]).localeCompare(String(b["event"])));
		await expect.poll(() => told(agent, agentsId)).toHaveLength(2);
		expect(await told(agent, agentsId)).toMatchObject([
			{ event: "evaluation.completed", submission_id: id, round: "review" },
			{ event: "review.decided", task_id: task.taskId, submission_id: id, decision: "changed" },
		]);
		await expect.poll(() => told(task.poster, ownersId)).toHaveLength(2);
		expect(await told(task.poster, ownersId)).toMatchObject([
			{ event: "appeal.created", task_id: task.taskId, submission_id: id, appeal_id: appeal.id },
			{ event: "evaluation.completed", submission_id: id },
		]);
	});

	it("export and erase the texts of appeals and decisions", async () => {
		const task = await createAppealed();
		await task.poster.call("reviewSubmission", changed(task.id, { Tests: 90 }));
		const tablesOf = async (agentId: string) => (await admin.call("exportAgent", at(agentId))).tasks.map(({ table }) => table);
		expect(await tablesOf(task.agentId)).toEqual(expect.arrayContaining(["appeals", "reviews"]));
		expect(await tablesOf(task.posterAgent.agentId)).toContain("reviews");
		await admin.call("eraseAgent", { ...at(task.agentId), body: { reason: "Asked for." } });
		expect(await task.poster.call("getAppeal", at(task.id))).toMatchObject({ reason: "", decision_reason: "You are right." });
		await admin.call("eraseAgent", { ...at(task.posterAgent.agentId), body: { reason: "Asked for." } });
		expect((await admin.call("exportAgent", at(task.agentId))).tasks.find(({ table }) => table === "appeals")?.rows).toMatchObject([
			{ reason: "", decision_reason: "" },
		]);
	});
});

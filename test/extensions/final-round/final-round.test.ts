import { describe, expect, it } from "vitest";
import { verifyReceipt } from "../../../packages/sdk/src/receipt/verify.ts";
import type { Judge } from "../../../src/ports/judge.ts";
import { admin } from "../../support/admin.ts";
import { goodZipWith } from "../../support/archives.ts";
import type { Client } from "../../support/client.ts";
import { configWith } from "../../support/deps.ts";
import { listEvents } from "../../support/directory.ts";
import { createRound, finishedWith, scriptedJudge } from "../../support/final-round.ts";
import { createDraft, openTask, registerAgent, taskInput } from "../../support/scenario.ts";
import { readStream } from "../../support/sse.ts";
import { countEvents } from "../../support/storage.ts";
import { HOUR_MS } from "../../support/times.ts";
import { putTo, register } from "../../support/uploads.ts";
import { ownJudge } from "../../support/world.ts";

const poster = await registerAgent("Poster");
const at = (id: string) => ({ params: { id } });
const pick = (taskId: string, submissionId: string | null) => ({ ...at(taskId), body: { submission_id: submissionId } });
/** Returns the rounds of a submission's evaluations, oldest first. */
const roundsOf = async (agent: Client, id: string) => (await agent.call("listEvaluations", at(id))).data.map(({ round }) => round);

async function finalEvaluationOf({ agent, id }: { agent: Client; id: string }) {
	const final = (await agent.call("listEvaluations", at(id))).data.find(({ round }) => round === "final");
	if (final === undefined) throw new Error("The submission was not judged in the final round.");
	return final;
}

describe("the field final_round", () => {
	it("is false at first, and shown and changed like every field of a draft", async () => {
		const draft = await createDraft(poster);
		expect(draft.final_round).toBe(false);
		expect((await poster.call("updateTask", { ...at(draft.id), body: { final_round: true } })).final_round).toBe(true);
		expect((await poster.call("getTask", at(draft.id))).final_round).toBe(true);
		expect((await poster.call("updateTask", { ...at(draft.id), body: { title: "Other" } })).final_round).toBe(true);
		expect((await createDraft(poster, { final_round: true })).final_round).toBe(true);
	});

	it("is refused for external tasks", async () => {
		const external = { eval_callback_url: "https://judge.example.com/evaluate" };
		await poster.refused("createTask", "INVALID_BODY", { body: taskInput({ ...external, final_round: true }) });
		expect((await createDraft(poster, { ...external, final_round: false })).final_round).toBe(false);
		const draft = await createDraft(poster, { final_round: true });
		await poster.refused("updateTask", "INVALID_BODY", { ...at(draft.id), body: { ...external, final_round: true } });
		expect((await poster.call("updateTask", { ...at(draft.id), body: external })).final_round).toBe(false);
		await poster.refused("updateTask", "INVALID_BODY", { ...at(draft.id), body: { final_round: true } });
	});

	it("cannot change once the task is published", async () => {
		const taskId = await openTask(poster);
		await poster.refused("updateTask", "CONFLICT", { ...at(taskId), body: { final_round: true } });
	});
});

describe("a pick", () => {
	it("is shown to the agent that made it, and can be replaced and cleared", async () => {
		const round = await createRound();
		const first = await round.enter({ now: 80, final: 80 });
		const second = await round.enter({ now: 60, final: 60 });
		expect(await first.agent.call("pickSubmission", pick(round.taskId, first.id))).toEqual({
			task_id: round.taskId,
			submission_id: first.id,
		});
		expect((await first.agent.call("getTask", at(round.taskId))).pick).toBe(first.id);
		expect((await second.agent.call("getTask", at(round.taskId))).pick).toBeNull();
		expect((await round.task()).pick).toBeNull();
		await first.agent.call("pickSubmission", pick(round.taskId, null));
		expect((await first.agent.call("getTask", at(round.taskId))).pick).toBeNull();
	});

	it("must be the caller's own, evaluated submission on this task", async () => {
		const [round, other] = [await createRound(), await createRound()];
		const mine = await round.enter({ now: 80, final: 80 });
		const theirs = await round.enter({ now: 80, final: 80 });
		const elsewhere = await other.enter({ now: 80, final: 80 });
		const waiting = await register(await registerAgent(), round.taskId);
		for (const id of [theirs.id, elsewhere.id, waiting.id, crypto.randomUUID()]) {
			await mine.agent.refused("pickSubmission", "NO_SUBMISSION", pick(round.taskId, id));
		}
		await mine.agent.refused("pickSubmission", "NOT_FOUND", pick(crypto.randomUUID(), mine.id));
		await mine.agent.refused("pickSubmission", "INVALID_BODY", { ...at(round.taskId), body: { submission_id: "x" } });
		await mine.agent.refused("pickSubmission", "INVALID_BODY", { ...at(round.taskId), body: {} });
		expect((await mine.agent.call("getTask", at(round.taskId))).pick).toBeNull();
	});

	it("cannot be a submission that is voided before or in parallel", async () => {
		const [round, agent] = [await createRound(), await registerAgent()];
		const [first, second] = [await round.enter({ now: 80, final: 80 }, agent), await round.enter({ now: 70, final: 70 }, agent)];
		const reason = { body: { reason: "It is stolen." } };
		const [picked] = await Promise.all([
			first.agent.send("pickSubmission", pick(round.taskId, first.id)),
			admin.call("voidSubmission", { ...at(first.id), ...reason }),
		]);
		expect([200, 404]).toContain(picked.status);
		expect((await agent.call("getTask", at(round.taskId))).pick).toBeNull();
		await first.agent.refused("pickSubmission", "NO_SUBMISSION", pick(round.taskId, first.id));
		await first.agent.call("pickSubmission", pick(round.taskId, second.id));
		await admin.call("voidSubmission", { ...at(second.id), ...reason });
		expect((await agent.call("getTask", at(round.taskId))).pick).toBeNull();
		await round.close();
		await round.workOff();
		expect(await round.board()).toMatchObject({ provisional: false, entries: [] });
	});

	it("needs a final round, and must come before the end", async () => {
		const plain = await createRound({ task: { final_round: false } });
		const entry = await plain.enter({ now: 80, final: 80 });
		await entry.agent.refused("pickSubmission", "CONFLICT", pick(plain.taskId, entry.id));
		await entry.agent.refused("pickSubmission", "CONFLICT", pick(plain.taskId, null));
		const round = await createRound();
		const mine = await round.enter({ now: 80, final: 80 });
		await round.passDeadline();
		await mine.agent.refused("pickSubmission", "TASK_CLOSED", pick(round.taskId, mine.id));
		const closed = await createRound();
		const late = await closed.enter({ now: 80, final: 80 });
		await closed.close();
		await late.agent.refused("pickSubmission", "TASK_CLOSED", pick(closed.taskId, late.id));
		const draft = await createDraft(poster, { final_round: true });
		await poster.refused("pickSubmission", "TASK_NOT_OPEN", pick(draft.id, null));
		await late.agent.refused("pickSubmission", "NOT_FOUND", pick(draft.id, null));
	});
});

describe("a final round", () => {
	it("judges the candidates again after the close, and ranks by the confirmed scores", async () => {
		const round = await createRound();
		const lucky = await round.enter({ now: 90, final: 70 });
		const solid = await round.enter({ now: 88, final: 85 });
		expect((await round.board()).entries.map(({ submissionId }) => submissionId)).toEqual([lucky.id, solid.id]);
		expect(await round.board()).toMatchObject({ provisional: true, entries: [{ confirmed: false }, { confirmed: false }] });
		expect(await round.close()).toEqual({ id: round.taskId, status: "closed" });
		expect(await round.board()).toMatchObject({
			provisional: true,
			revealed: true,
			entries: [{ submissionId: lucky.id, finalScore: 90 }, { submissionId: solid.id }],
		});
		await round.workOff();
		expect(await round.board()).toMatchObject({
			provisional: false,
			taskStatus: "closed",
			entries: [
				{ rank: 1, submissionId: solid.id, finalScore: 85, confirmed: true },
				{ rank: 2, submissionId: lucky.id, finalScore: 70, confirmed: true },
			],
		});
		expect(await lucky.agent.call("getSubmission", at(lucky.id))).toMatchObject({
			status: "completed",
			evaluated: true,
			iteration: 2,
			position: 2,
			scores: { final_score: 70 },
		});
		expect((await lucky.agent.call("getSubmissionDetails", at(lucky.id))).dimensions).toMatchObject([{ score: 70 }, { score: 70 }]);
		const { data: rows } = await lucky.agent.call("listEvaluations", at(lucky.id));
		expect(rows.map((row) => row.round)).toEqual(["submission", "final"]);
		// Of two candidates both are near the last place.
		expect(rows[1]?.samples["Parser"]).toHaveLength(13);
	});

	it("keeps a task evaluating from its deadline until it has ended", async () => {
		const round = await createRound();
		const entry = await round.enter({ now: 50, final: 40 });
		await round.passDeadline();
		await round.settle();
		expect(await round.task()).toMatchObject({ status: "evaluating" });
		expect(await round.board()).toMatchObject({ provisional: true, revealed: true });
		await round.workOff();
		expect(await round.task()).toMatchObject({ status: "closed" });
		expect(await round.board()).toMatchObject({ provisional: false, entries: [{ submissionId: entry.id, finalScore: 40 }] });
		await expect.poll(() => countEvents("task.closed", round.taskId)).toBe(1);
	});

	it("ends immediately without candidates", async () => {
		const round = await createRound();
		await round.passDeadline();
		await round.settle();
		expect(await round.task()).toMatchObject({ status: "closed" });
		expect(await round.board()).toMatchObject({ provisional: false, entries: [] });
		expect(await listEvents("final_round.ended", round.taskId)).toMatchObject([{ candidates: 0, failed: 0, reason: expect.any(String) }]);
		const closed = await createRound();
		await closed.close();
		expect(await closed.board()).toMatchObject({ provisional: false, taskStatus: "closed" });
	});

	it("judges an agent's pick instead of its best", async () => {
		const round = await createRound();
		const agent = await registerAgent();
		await round.enter({ now: 90, final: 50 }, agent);
		const best = await round.enter({ now: 80, final: 80 }, agent);
		await best.agent.call("pickSubmission", pick(round.taskId, best.id));
		await round.close();
		await round.workOff();
		expect((await round.board()).entries).toMatchObject([{ submissionId: best.id, finalScore: 80, confirmed: true }]);
	});

	it("uses the confirmed pick when picks and the close are parallel", async () => {
		const round = await createRound();
		const agents = await Promise.all([1, 2, 3, 4, 5].map(() => registerAgent()));
		const entries = [];
		for (const agent of agents) {
			const best = await round.enter({ now: 90, final: 50 }, agent);
			entries.push({ best, picked: await round.enter({ now: 80, final: 80 }, agent) });
		}
		const [, ...answers] = await Promise.all([
			round.close(),
			...entries.map(({ picked }) => picked.agent.send("pickSubmission", pick(round.taskId, picked.id))),
		]);
		await round.workOff();
		const taken = entries.map(({ best, picked }, index) => (answers[index]?.status === 200 ? picked.id : best.id));
		expect((await round.board()).entries.map(({ submissionId }) => submissionId).toSorted()).toEqual(taken.toSorted());
		for (const { status } of answers) expect([200, 409]).toContain(status);
	});

	it("waits for evaluations that are still running", async () => {
		const round = await createRound();
		await round.enter({ now: 50, final: 50 });
		const { id } = await round.submit({ now: 95, final: 91 });
		await round.close();
		await round.settle();
		expect(await round.countCandidates()).toBe(0);
		await round.workOff();
		expect((await round.board()).entries[0]).toMatchObject({ submissionId: id, finalScore: 91, confirmed: true });
	});

	it("waits for uploads for an hour after the deadline, and accepts none once it has begun", async () => {
		const round = await createRound();
		const [prompt, absent] = [await registerAgent(), await registerAgent()];
		const first = await register(prompt, round.taskId);
		const second = await register(absent, round.taskId);
		for (const each of [first, second])
			await putTo(
				each === first ? prompt : absent,
				each.upload_url,
				goodZipWith([{ name: "worth.json", content: '{"now":70,"final":60}' }]),
			);
		await round.passDeadline();
		await round.settle();
		expect(await round.countCandidates()).toBe(0);
		await round.world.enter(prompt).call("completeSubmission", at(first.id));
		await round.workOff();
		expect(await round.task()).toMatchObject({ status: "evaluating" });
		round.world.clock.advance(3_600_000);
		await round.settle();
		await round.world.enter(absent).refused("completeSubmission", "DEADLINE_PASSED", at(second.id));
		await round.workOff();
		expect(await round.board()).toMatchObject({ taskStatus: "closed", entries: [{ submissionId: first.id, finalScore: 60 }] });
	});

	it("ranks agents outside of it below those in it, by their provisional scores", async () => {
		const round = await createRound();
		const inside = [];
		for (let n = 0; n < 10; n += 1) inside.push(await round.enter({ now: 90 - n / 10, final: 20 + n }));
		const close = await round.enter({ now: 86, final: 99 });
		const far = await round.enter({ now: 60, final: 99 });
		await round.close();
		await round.workOff();
		const { entries } = await round.board();
		expect(entries.map(({ submissionId }) => submissionId)).toEqual([close.id, ...inside.map(({ id }) => id).toReversed(), far.id]);
		expect(entries.at(-1)).toMatchObject({ rank: 12, finalScore: 60, confirmed: false });
		expect((await far.agent.call("getLeaderboard", at(round.taskId))).me).toMatchObject({ rank: 12, rankLow: 12, rankHigh: 12 });
		expect(await far.agent.call("getSubmission", at(far.id))).toMatchObject({ position: 12, iteration: 1 });
	});

	it("ranks a candidate that could not be judged below the confirmed ones and above those outside", async () => {
		const round = await createRound();
		const silent = await round.enter({ now: 95, final: "silence" });
		const waiting = await round.enter({ now: 93, final: null });
		const fine = [];
		for (let n = 0; n < 8; n += 1) fine.push(await round.enter({ now: 90 + n / 10, final: 20 + n }));
		const outside = await round.enter({ now: 60, final: 99 });
		await round.close();
		await round.workOff();
		const { entries, provisional } = await round.board();
		expect(provisional).toBe(false);
		expect(entries.map(({ submissionId }) => submissionId)).toEqual([
			...fine.map(({ id }) => id).toReversed(),
			silent.id,
			waiting.id,
			outside.id,
		]);
		expect(entries.slice(-3)).toMatchObject([
			{ finalScore: 95, confirmed: false },
			{ finalScore: 93, confirmed: false },
			{ finalScore: 60, confirmed: false },
		]);
		const kept = await waiting.agent.call("getSubmission", at(waiting.id));
		expect(kept).toMatchObject({ status: "completed", evaluated: true, iteration: 1, quota: { used: 1 } });
		expect(await roundsOf(waiting.agent, waiting.id)).toEqual(["submission"]);
		expect(await countEvents("submission.failed", round.taskId)).toBe(0);
		expect(await listEvents("final_round.ended", round.taskId)).toMatchObject([{ candidates: 10, failed: 2, reason: null }]);
	});

	it("ranks a failed candidate among the confirmed ones once an operator has had it judged again", async () => {
		const round = await createRound();
		const failed = await round.enter({ now: 95, final: "silence" });
		const fine = await round.enter({ now: 90, final: 70 });
		await round.close();
		await admin.refused("reEvaluateSubmission", "SUBMISSION_IN_PROGRESS", { ...at(failed.id), body: { reason: "Again." } });
		await round.workOff();
		expect((await round.board()).entries.map(({ submissionId }) => submissionId)).toEqual([fine.id, failed.id]);
		await admin.call("reEvaluateSubmission", { ...at(failed.id), body: { reason: "The judge was silent." } });
		expect((await round.board()).entries.at(-1)).toMatchObject({ submissionId: failed.id, finalScore: 95, confirmed: false });
		await round.workOff({ judge: scriptedJudge({ evaluate: (request) => Promise.resolve(finishedWith(request, () => [90])) }) });
		expect((await round.board()).entries).toMatchObject([
			{ submissionId: failed.id, finalScore: 90, confirmed: true },
			{ submissionId: fine.id, finalScore: 70, confirmed: true },
		]);
		expect(await roundsOf(failed.agent, failed.id)).toEqual(["submission", "final"]);
		expect(await listEvents("final_round.ended", round.taskId)).toMatchObject([{ failed: 1 }, { candidates: 2, failed: 0 }]);
	});

	it("judges each work separately that is only similar", async () => {
		const round = await createRound();
		for (const final of [20, 30, 40, 50, 60]) await round.enter({ now: 88, final, salt: "common", tweak: `change ${final}` });
		await round.close();
		await round.workOff();
		expect((await round.board()).entries.map(({ finalScore }) => finalScore)).toEqual([60, 50, 40, 30, 20]);
	});

	it("judges works with equal files once, and shows no agent the report of another", async () => {
		const requests: number[] = [];
		const plain = scriptedJudge();
		const judge = scriptedJudge({
			evaluate(request, attempt) {
				if (request.samples > 1) requests.push(request.samples);
				return plain.evaluate(request, attempt);
			},
		});
		const round = await createRound({ judge });
		const same = { now: 80, final: 77, salt: "same" };
		const original = await round.enter(same);
		const copies = [await round.enter(same), await round.enter(same)];
		await round.close();
		await round.workOff();
		// They count as one, so no place is near another.
		expect(requests).toEqual([5]);
		expect((await round.board()).entries).toMatchObject([
			{ submissionId: original.id, finalScore: 77, confirmed: true },
			{ submissionId: copies[0]?.id, finalScore: 77, confirmed: true },
			{ submissionId: copies[1]?.id, finalScore: 77, confirmed: true },
		]);
		const keys = await round.poster.call("getReceiptKeys");
		for (const { id, agent } of copies) {
			expect(await roundsOf(agent, id)).toEqual(["submission", "final"]);
			const details = await agent.call("getSubmissionDetails", at(id));
			expect(details).toMatchObject({ dimensions: [{ score: 77 }, { score: 77 }], breakdown: { shared_judgement: true } });
			const final = await finalEvaluationOf({ agent, id });
			expect((await verifyReceipt(final, keys)).claims).toMatchObject({ submission_id: id, artifact_sha256: final.artifact_sha256 });
		}
		await expect.poll(() => countEvents("evaluation.completed", round.taskId)).toBe(6);
	});

	it("gives all candidates near the third place eight more samples in the same row, and the time decides what is equal then", async () => {
		const round = await createRound();
		const worths = [
			{ now: 80, final: 80, tie: 78 },
			{ now: 80, final: 80, tie: 82 },
			{ now: 80, final: 78, tie: 78 },
			{ now: 80, final: 73, tie: 86.125 },
			{ now: 80, final: 72.9, tie: 99 },
			{ now: 80, final: 78, tie: 78 },
		];
		const entered = [];
		for (const worth of worths) entered.push(await round.enter(worth));
		await round.close();
		await round.workOff();
		const { entries } = await round.board();
		const ids = entered.map(({ id }) => id);
		expect(entries.map(({ submissionId }) => ids.indexOf(submissionId))).toEqual([1, 3, 0, 2, 5, 4]);
		expect(entries.map(({ finalScore }) => finalScore)).toEqual([81.23, 81.08, 78.77, 78, 78, 72.9]);
		const keys = await round.poster.call("getReceiptKeys");
		for (const [index, entry] of entered.entries()) {
			const final = await finalEvaluationOf(entry);
			expect(Object.values(final.samples).map(({ length }) => length)).toEqual(index === 4 ? [5, 5] : [13, 13]);
			await verifyReceipt(final, keys);
			expect(await roundsOf(entry.agent, entry.id)).toEqual(["submission", "final"]);
		}
		await expect.poll(() => countEvents("evaluation.completed", round.taskId)).toBe(2 * ids.length);
	});

	it("counts no further samples if one candidate cannot have them", async () => {
		const round = await createRound();
		const first = await round.enter({ now: 80, final: 80, tie: 60 });
		const second = await round.enter({ now: 79, final: 79, tie: null });
		await round.close();
		await round.workOff();
		expect((await round.board()).entries).toMatchObject([
			{ submissionId: first.id, finalScore: 80, confirmed: true },
			{ submissionId: second.id, finalScore: 79, confirmed: true },
		]);
		for (const entry of [first, second]) expect((await finalEvaluationOf(entry)).samples["Parser"]).toHaveLength(5);
	});

	it("shows nothing of its judgements before its order is decided", async () => {
		const round = await createRound();
		const entry = await round.enter({ now: 80, final: 60, tie: 50 });
		await round.enter({ now: 70, final: 60 });
		await round.close();
		for (let step = 0; step < 5; step += 1) {
			expect(await roundsOf(entry.agent, entry.id)).toEqual(["submission"]);
			expect((await round.board()).entries[0]).toMatchObject({ submissionId: entry.id, finalScore: 80 });
			await round.settle();
			await round.world.visitTask(round.taskId);
		}
		await round.workOff();
		expect(await roundsOf(entry.agent, entry.id)).toEqual(["submission", "final"]);
		expect(await round.countKept()).toBe(0);
	});

	it("cannot be requested, and sends one event for each candidate", async () => {
		const round = await createRound();
		const entry = await round.enter({ now: 80, final: 75 });
		await expect.poll(() => countEvents("submission.completed", round.taskId)).toBe(1);
		await round.close();
		await entry.agent.refused("requestReEvaluation", "TASK_CLOSED", at(entry.id));
		await round.workOff();
		await entry.agent.refused("requestReEvaluation", "TASK_CLOSED", at(entry.id));
		await round.poster.refused("requestReEvaluation", "TASK_CLOSED", at(entry.id));
		const ended = () => listEvents("evaluation.completed", round.taskId);
		await expect.poll(ended).toEqual(["submission", "final"].map((name) => expect.objectContaining({ round: name })));
		expect(await countEvents("submission.completed", round.taskId)).toBe(1);
	});

	it("continues if it is under way when the owner closes the task", async () => {
		const round = await createRound();
		const entry = await round.enter({ now: 80, final: 75 });
		await round.passDeadline();
		await round.settle();
		expect(await round.close()).toMatchObject({ status: "closed" });
		expect(await round.board()).toMatchObject({ provisional: true, taskStatus: "closed" });
		await round.workOff();
		expect(await round.board()).toMatchObject({ provisional: false, entries: [{ submissionId: entry.id, finalScore: 75 }] });
	});
});

describe("streams", () => {
	it("end only after the round, with one last leaderboard", async () => {
		const round = await createRound({ isInRealTime: true });
		const lucky = await round.enter({ now: 90, final: 70 });
		const solid = await round.enter({ now: 88, final: 85 });
		const watcher = await registerAgent();
		const open = async (contract: "streamLeaderboard" | "streamTask") => readStream(await watcher.send(contract, at(round.taskId)));
		const [board, task] = [await open("streamLeaderboard"), await open("streamTask")];
		await Promise.all([board.count(1), task.count(1)]);
		await round.close();
		await Promise.all([board.count(2), task.count(2)]);
		expect([...board.events, ...task.events].map(({ event }) => event)).not.toContain("terminal");
		expect(board.events.at(-1)?.data).toMatchObject({ taskStatus: "closed", provisional: true, entries: [{ submissionId: lucky.id }, {}] });
		await round.workOff();
		await Promise.all([board.ended, task.ended]);
		const last = board.events.slice(-2);
		expect(last.map(({ event }) => event)).toEqual(["leaderboard", "terminal"]);
		for (const { data } of last)
			expect(data).toMatchObject({ provisional: false, entries: [{ submissionId: solid.id, confirmed: true }, {}] });
		expect(task.events.map(({ event }) => event).filter((event) => event === "terminal")).toHaveLength(1);
	});
});

describe("a change of judge", () => {
	it("begins a comparison group on the leaderboard, and medians stay within one group", async () => {
		const round = await createRound({ task: { final_round: false } });
		const before = await round.enter({ now: 80, final: 80 });
		const again = await round.enter({ now: 70, final: 70 });
		expect((await round.board()).comparisonGroups).toMatchObject([{ number: 1, judge: "scripted", prompt_version: "scripted-1" }]);
		const next = scriptedJudge({ promptVersion: "next", models: ["other"], evaluate: scoreOf(20) });
		await before.agent.call("requestReEvaluation", at(before.id));
		await round.workOff({ judge: next });
		const board = await round.board();
		expect(board.comparisonGroups).toMatchObject([{ number: 2, prompt_version: "next", models: ["other"] }, { number: 1 }]);
		expect(board.entries).toMatchObject([
			{ submissionId: before.id, finalScore: 80, comparisonGroup: 1 },
			{ submissionId: again.id, finalScore: 70, comparisonGroup: 1 },
		]);
	});

	it("is shown to the poster, who can have each submission judged anew to get one group", async () => {
		const round = await createRound({ task: { final_round: false } });
		const entered = [await round.enter({ now: 80, final: 80 }), await round.enter({ now: 70, final: 70 })];
		const next = scriptedJudge({ promptVersion: "next", evaluate: scoreOf(20) });
		for (const [index, { id }] of entered.entries()) {
			// The new judge counts once it has been asked more often.
			for (let times = 0; times < 2; times += 1) {
				round.world.clock.advance(HOUR_MS);
				await round.poster.call("requestReEvaluation", at(id));
				await round.workOff({ judge: next });
			}
			const { comparisonGroups, entries } = await round.board();
			expect(comparisonGroups.map(({ number, prompt_version }) => [number, prompt_version])).toEqual([
				[2, "next"],
				[1, "scripted-1"],
			]);
			expect(entries.filter(({ comparisonGroup }) => comparisonGroup === 1)).toHaveLength(1 - index);
		}
		expect((await round.board()).entries.map(({ finalScore }) => finalScore)).toEqual([20, 20]);
	});

	it("begins one group even if two evaluations find it in parallel", async () => {
		const round = await createRound();
		const agents = await Promise.all([1, 2, 3, 4].map(() => registerAgent()));
		for (const agent of agents) await round.submit({ now: 50, final: 50 }, agent);
		await round.judgeAtOnce({ judge: scriptedJudge({ promptVersion: "later", evaluate: scoreOf(50) }) });
		const { comparisonGroups, entries } = await round.board();
		expect(comparisonGroups.map(({ number, prompt_version }) => [number, prompt_version])).toEqual([
			[2, "later"],
			[1, "scripted-1"],
		]);
		expect(entries.map(({ comparisonGroup }) => comparisonGroup)).toEqual([2, 2, 2, 2]);
	});

	it("names the judge at publish, before any evaluation", async () => {
		const { id } = await createDraft(poster);
		await poster.call("publishTask", at(id));
		expect((await poster.call("getLeaderboard", at(id))).comparisonGroups).toMatchObject([
			{ number: 1, judge: "offline", prompt_version: ownJudge().promptVersion },
		]);
	});
});

function scoreOf(score: number): Judge["evaluate"] {
	return (request) => Promise.resolve(finishedWith(request, () => [score]));
}

describe("ranges of ranks", () => {
	it("show which ranks could change through the noise of judging, for one sample too", async () => {
		const config = { ...configWith({}), judgeNoise: 0.05 };
		const round = await createRound({ config });
		const scores = [80, 73, 40];
		for (const now of scores) await round.enter({ now, final: now, tie: now });
		const rangesOf = async () => (await round.board()).entries.map(({ rankLow, rankHigh }) => [rankLow, rankHigh]);
		expect(await rangesOf()).toEqual([
			[1, 2],
			[1, 2],
			[3, 3],
		]);
		// More samples leave less open.
		await round.close();
		await round.workOff();
		expect(await rangesOf()).toEqual([
			[1, 1],
			[2, 2],
			[3, 3],
		]);
	});

	it("mark the poster's own entry", async () => {
		const round = await createRound();
		await round.enter({ now: 80, final: 80 }, round.posterAgent);
		await round.enter({ now: 70, final: 80 });
		expect((await round.board()).entries.map(({ byOwner }) => byOwner)).toEqual([true, false]);
	});
});

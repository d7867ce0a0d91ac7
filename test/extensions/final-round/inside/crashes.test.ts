// A final round ends, once, even if any process dies and many work on it in parallel.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { workOff } from "../../../../src/compose/work-off.ts";
import { LOST_MESSAGE_MS } from "../../../../src/core/competition/evaluation/messages.ts";
import { CLAIM_MS } from "../../../../src/core/competition/evaluation/rules.ts";
import type { Deps } from "../../../../src/ports/deps.ts";
import { createRound, scriptedJudge } from "../../../support/final-round.ts";
import { mortal } from "../../../support/mortality.ts";
import { registerAgent } from "../../../support/scenario.ts";
import { multiplyEntry } from "../../../support/seed.ts";
import { queryAll } from "../../../support/storage.ts";
import { queryTask } from "../../../support/task-object.ts";
import { QUEUE } from "../../../support/world.ts";

const agents = await Promise.all([registerAgent(), registerAgent(), registerAgent()]);
const poster = await registerAgent("Poster");

/** Returns a round past its deadline whose leader was lucky, with two equal submissions. The alarm has not come yet. */
async function endedTask() {
	const round = await createRound({ poster });
	const worths = [
		{ now: 90, final: 60 },
		{ now: 85, final: 80, salt: "same" },
		{ now: 85, final: 80, salt: "same" },
	];
	const entries = [];
	for (const [index, worth] of worths.entries()) entries.push(await round.enter(worth, agents[index]));
	await round.passDeadline();
	return { ...round, ids: entries.map(({ id }) => id) };
}

type Ended = Awaited<ReturnType<typeof endedTask>>;

const kindsOf = async (taskId: string) =>
	(await queryTask<{ kind: string }>(taskId, "select kind from jobs order by kind")).map(({ kind }) => kind);

const jobsOf = (taskId: string) => queryTask<{ round: string }>(taskId, "select round from jobs");

/** Returns a judge that counts the samples of its requests in final rounds. */
function countingJudge() {
	const asked: number[] = [];
	const plain = scriptedJudge();
	const judge = scriptedJudge({
		evaluate(request, attempt) {
			asked.push(request.samples);
			return plain.evaluate(request, attempt);
		},
	});
	return { asked, judge };
}

/** A round estimates, judges two works, judges them further, and signs. */
const STEPS = 6;

/** Does all work of a round in one process. */
async function workAlone(deps: Deps, { settle, taskId }: Pick<Ended, "settle" | "taskId">): Promise<void> {
	for (let visit = 0; visit < STEPS; visit += 1) {
		await settle();
		await workOff(deps, taskId);
	}
}

/** Plays the minutes after a crash. */
async function recover({ world, settle, workOff: workOffAll }: Ended): Promise<void> {
	world.clock.advance(CLAIM_MS + LOST_MESSAGE_MS);
	await settle();
	await workOffAll();
}

async function expectEnded({ taskId, ids, board }: Ended): Promise<void> {
	expect(await board()).toMatchObject({
		provisional: false,
		taskStatus: "closed",
		entries: [
			{ submissionId: ids[1], finalScore: 80, confirmed: true },
			{ submissionId: ids[2], finalScore: 80, confirmed: true },
			{ submissionId: ids[0], finalScore: 60, confirmed: true },
		],
	});
	const evaluated = await queryTask(
		taskId,
		"select submission_id as id, count(*) as total, max(iteration) as iteration from evaluations where round = 'final' group by 1 order by 1",
	);
	expect(evaluated).toEqual(ids.toSorted().map((id) => ({ id, total: 1, iteration: 2 })));
	expect(await queryTask(taskId, "select distinct iteration from submissions")).toEqual([{ iteration: 2 }]);
	expect(await jobsOf(taskId)).toEqual([]);
	const events = () =>
		queryAll<{ type: string; total: number }>(
			`select type, count(*) as total from _recorded_events where payload->>'taskId' = ?
				and (payload->>'round' = 'final' or type in ('final_round.ended', 'task.closed')) group by type order by type`,
			taskId,
		);
	await expect.poll(events).toEqual([
		{ type: "evaluation.completed", total: 3 },
		{ type: "final_round.ended", total: 1 },
		{ type: "task.closed", total: 1 },
	]);
}

describe("a round", () => {
	it("advances by the alarm, and judges each candidate once", async () => {
		const round = await endedTask();
		const { asked, judge } = countingJudge();
		expect(await round.countCandidates()).toBe(0);
		await round.settle();
		expect(await round.task()).toMatchObject({ status: "evaluating" });
		expect(await round.countCandidates()).toBe(3);
		expect(await kindsOf(round.taskId)).toEqual(["final_round"]);
		await round.world.visitTask(round.taskId);
		expect(await jobsOf(round.taskId)).toEqual([{ round: "final" }, { round: "final" }]);
		await round.settle();
		await round.workOff({ judge });
		await expectEnded(round);
		// Both works are near the last of two places, so each gets further samples.
		expect(asked.toSorted()).toEqual([5, 5, 8, 8]);
	});

	it("continues if all of its messages are lost", async () => {
		const round = await endedTask();
		await round.settle();
		round.world.tasks.sent.length = 0;
		round.world.clock.advance(LOST_MESSAGE_MS);
		await round.settle();
		const resent = round.world.tasks.sent.splice(0).map(({ message }) => message);
		expect(resent).toContainEqual({ taskId: round.taskId });
		await round.world.deliver(QUEUE, resent);
		await round.workOff();
		await expectEnded(round);
	});
});

describe("a process that works on a final round", () => {
	it("and dies at any step is replaced: the round ends, once", { timeout: 180_000 }, async () => {
		for (let atStep = 0, died = true; died; atStep += 1) {
			const round = await endedTask();
			const own = round.world.deps();
			const dying = mortal(own, { atStep });
			await workAlone(dying, round).catch(() => null);
			await own.settled().catch(() => {});
			died = dying.hasDied();
			await recover(round);
			await expectEnded(round);
		}
	});

	it("in parallel with others ends it once", async () => {
		const round = await endedTask();
		const workers = Array.from({ length: 5 }, () => round.world.deps());
		await Promise.all(workers.map((deps) => workAlone(deps, round)));
		await recover(round);
		await expectEnded(round);
	});

	it("continues with an object that is evicted after each of its steps", async () => {
		const round = await endedTask();
		for (let visit = 0; visit < STEPS; visit += 1) {
			await round.settle();
			await evict(round.taskId);
			await round.world.visitTask(round.taskId);
			await evict(round.taskId);
		}
		await recover(round);
		await expectEnded(round);
	});
});

async function evict(taskId: string): Promise<void> {
	await runInDurableObject(env.TASK.getByName(taskId), (_, { abort }) => abort("evicted")).catch(() => {});
}

describe("a round of many candidates", () => {
	it("gives each submission that shares a judgement its own receipt", async () => {
		const round = await createRound({ poster });
		const first = await round.enter({ now: 80, final: 77 });
		await multiplyEntry({ taskId: round.taskId, submissionId: first.id, times: 130, family: 1 });
		await round.close();
		expect(await jobsOf(round.taskId)).toHaveLength(1);
		await round.workOff();
		expect(await round.board()).toMatchObject({ provisional: false });
		expect(await queryTask(round.taskId, "select count(*) as total from board where tier = 0 and final_score = 77")).toEqual([
			{ total: 131 },
		]);
		const rows = await queryTask<{ id: string; submission_id: string; receipt: string }>(
			round.taskId,
			"select id, submission_id, receipt from evaluations where round = 'final'",
		);
		expect(new Set(rows.map(({ submission_id }) => submission_id)).size).toBe(131);
		for (const { id, submission_id, receipt } of rows) expect(claimsIn(receipt)).toMatchObject({ submission_id, evaluation_id: id });
	});

	it("judges thirty works at most, with few messages in flight", async () => {
		const round = await createRound({ poster });
		const first = await round.enter({ now: 80, final: 77 });
		await multiplyEntry({ taskId: round.taskId, submissionId: first.id, times: 449, family: 2, areDifferent: true });
		await round.close();
		round.world.tasks.sent.length = 0;
		await round.world.visitTask(round.taskId);
		expect(await jobsOf(round.taskId)).toHaveLength(30);
		expect(round.world.tasks.sent).toHaveLength(round.world.deps().config.parallelJobsPerTask);
	});
});

function claimsIn(receipt: string): unknown {
	return JSON.parse(atob((receipt.split(".")[1] ?? "").replaceAll("-", "+").replaceAll("_", "/")));
}

// A final round ends, once, whoever dies on the way and however many work on it at once.
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { EVALUATION_JOBS } from "../../src/db/leases.ts";
import { dispatchRecorded } from "../../src/events/dispatch.ts";
import { runEvaluation, sweepEvaluations } from "../../src/features/evaluation/service.ts";
import { advanceRound, followRounds, sweepRounds } from "../../src/features/final-round/service.ts";
import { settleOverdueTasks, settleTask } from "../../src/features/tasks/service.ts";
import type { Deps } from "../../src/ports/deps.ts";
import { createTableRound, scriptedJudge } from "../support/final-round.ts";
import { mortal } from "../support/mortality.ts";
import { registerAgent } from "../support/scenario.ts";
import { multiplyEntry } from "../support/seed.ts";
import { count, queryAll } from "../support/storage.ts";

const agents = await Promise.all([registerAgent(), registerAgent(), registerAgent()]);
const poster = await registerAgent("Poster");
const judge = scriptedJudge();

/** A round whose leader was lucky, with two equal submissions, past its deadline. */
async function endedTask() {
	const round = await createTableRound({ poster });
	const worths = [
		{ now: 90, final: 60 },
		{ now: 85, final: 80, salt: "same" },
		{ now: 85, final: 80, salt: "same" },
	];
	const entries = [];
	for (const [index, worth] of worths.entries()) entries.push(await round.enter(worth, agents[index]));
	await round.passDeadline();
	await settleTask(round.world.deps(), round.taskId);
	return { ...round, ids: entries.map(({ id }) => id) };
}

type Ended = Awaited<ReturnType<typeof endedTask>>;

const jobsOf = (taskId: string) =>
	queryAll<{ id: string }>(
		"select j.id from evaluation_jobs j join submissions s on s.id = j.submission_id where s.task_id = ? and j.round = 'final'",
		taskId,
	);

/** Everything that a round takes, in one process. */
async function workAlone(deps: Deps, { taskId }: Ended): Promise<void> {
	await advanceRound(deps, taskId);
	for (const { id } of await jobsOf(taskId)) await runEvaluation(deps, id);
	await dispatchRecorded(deps);
	await advanceRound(deps, taskId);
}

/** What the minutes after a crash bring. */
async function recover({ world, workOff }: Ended): Promise<void> {
	for (let minute = 0; minute < 4; minute += 1) {
		world.clock.advance(EVALUATION_JOBS.leaseMs + 60_000);
		for (const sweep of [sweepEvaluations, sweepRounds, settleOverdueTasks]) {
			const own = world.deps({ judge });
			await sweep(own);
			await own.settled();
		}
		await workOff();
	}
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
	for (const id of ids) {
		expect(await count("select count(*) from evaluations where submission_id = ? and round = 'final'", id)).toBe(1);
		expect(await count("select iteration from submissions where id = ?", id)).toBe(2);
	}
	expect(await jobsOf(taskId)).toHaveLength(2);
	const events = await queryAll<{ type: string; total: number }>(
		`select type, count(*) as total from _recorded_events where payload->>'taskId' = ?
			and (payload->>'round' = 'final' or type in ('final_round.ended', 'task.closed')) group by type order by type`,
		taskId,
	);
	expect(events).toEqual([
		{ type: "evaluation.completed", total: 3 },
		{ type: "final_round.ended", total: 1 },
		{ type: "task.closed", total: 1 },
	]);
}

describe("a process that works on a final round", () => {
	/** More steps than a round takes: at this one everything is done. */
	const BEYOND = 60;

	it.each(Array.from({ length: BEYOND + 1 }, (_, step) => step))(
		"and dies after step %i is replaced: the round ends, once",
		async (atStep) => {
			const round = await endedTask();
			const dying = mortal(round.world.deps({ judge, listeners: [followRounds] }), { atStep, isAfter: true });
			await workAlone(dying, round).catch(() => null);
			if (atStep === BEYOND) expect(dying.hasDied()).toBe(false);
			round.world.queue.sent.length = 0;
			await recover(round);
			await expectEnded(round);
		},
	);

	it("is one of many: the round ends once", async () => {
		const round = await endedTask();
		const workers = Array.from({ length: 5 }, () => round.world.deps({ judge, listeners: [followRounds] }));
		await Promise.all(workers.map((deps) => workAlone(deps, round)));
		await Promise.all(workers.map((deps) => workAlone(deps, round)));
		await recover(round);
		await expectEnded(round);
	});
});

const countJobs = async (taskId: string) => (await jobsOf(taskId)).length;

describe("a round that cannot go on", () => {
	it("does not hold up the rounds that have only the sweep", async () => {
		const broken = await endedTask();
		const alone = broken.world.deps({ judge, listeners: [] });
		await advanceRound(alone, broken.taskId);
		for (const { id } of await jobsOf(broken.taskId)) await runEvaluation(alone, id);
		const waiting = await endedTask();
		const failing = new Proxy(env.BUCKET, {
			get: (bucket, name) => {
				if (name === "put") return () => Promise.reject(new Error("The bucket is full."));
				const value: unknown = Reflect.get(bucket, name);
				return typeof value === "function" ? value.bind(bucket) : value;
			},
		});
		await sweepRounds(waiting.world.deps({ judge, listeners: [], bucket: failing }));
		expect(await countJobs(waiting.taskId)).toBe(2);
		for (const round of [broken, waiting]) {
			await recover(round);
			await expectEnded(round);
		}
	});
});

describe("a round of many candidates", () => {
	it("gives all that share a judgement a receipt of their own, page by page", async () => {
		const round = await createTableRound({ poster });
		const first = await round.enter({ now: 80, final: 77 });
		await multiplyEntry({ taskId: round.taskId, submissionId: first.id, times: 130, family: 1 });
		await round.close();
		await round.workOff();
		expect(await countJobs(round.taskId)).toBe(1);
		expect(await round.board()).toMatchObject({ provisional: false });
		const confirmed = "select count(*) from leaderboard_entries where task_id = ? and confirmed = 1 and final_score = 77";
		expect(await count(confirmed, round.taskId)).toBe(131);
		const rows = await queryAll<{ id: string; submission_id: string; receipt: string }>(
			"select e.id, e.submission_id, e.receipt from evaluations e join submissions s on s.id = e.submission_id where s.task_id = ? and e.round = 'final'",
			round.taskId,
		);
		expect(new Set(rows.map(({ submission_id }) => submission_id)).size).toBe(131);
		for (const { id, submission_id, receipt } of rows) expect(claimsIn(receipt)).toMatchObject({ submission_id, evaluation_id: id });
	});

	it("takes its jobs a part at a time, and leaves queries to the rest of the invocation", async () => {
		const round = await createTableRound({ poster });
		const first = await round.enter({ now: 80, final: 77 });
		await multiplyEntry({ taskId: round.taskId, submissionId: first.id, times: 449, family: 2, areDifferent: true });
		await round.close();
		const parts = [await countJobs(round.taskId)];
		while ((parts.at(-1) ?? 0) < 450 && parts.length < 10) {
			const own = round.world.deps({ judge, listeners: [] });
			await advanceRound(own, round.taskId);
			expect(own.db.use.calls).toBeLessThan(60);
			parts.push(await countJobs(round.taskId));
		}
		expect(parts).toEqual([180, 380, 450]);
	});
});

function claimsIn(receipt: string): unknown {
	return JSON.parse(atob((receipt.split(".")[1] ?? "").replaceAll("-", "+").replaceAll("_", "/")));
}

// That the platform itself scores, selects and confirms as test/support/farming.ts does, which test/rules/farming.test.ts plays
// thousands of times: the same noise through the real recordScore and the real round, in D1.
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { EVALUATION_JOBS, guardUnfinished } from "../../src/db/leases.ts";
import { recordScore } from "../../src/features/evaluation/outcome.ts";
import { guardSubmission } from "../../src/features/evaluation/statements.ts";
import { findWork } from "../../src/features/evaluation/store.ts";
import { pickSubmission } from "../../src/features/final-round/contract.ts";
import { advanceRound } from "../../src/features/final-round/service.ts";
import type { EvaluationResult } from "../../src/features/judging/work.ts";
import { closeTask } from "../../src/features/tasks/contract.ts";
import {
	bestOf,
	COPIES,
	DEVIATION,
	FINAL_SAMPLES,
	HOURS,
	handIn,
	type Judgement,
	judge,
	type Random,
	RUBRIC,
	SAMPLES,
	scoreOf,
	seeded,
	type Try,
} from "../support/farming.ts";
import { openTask, registerAgent } from "../support/scenario.ts";
import { queryAll } from "../support/storage.ts";
import { createWorld } from "../support/world.ts";

const TASKS = 24;
const QUALITY = 60;
const [poster, farmer, honest, improver] = await Promise.all(["Poster", "Farmer", "Honest", "Improver"].map((name) => registerAgent(name)));
const at = (id: string) => ({ params: { id } });

function resultOf({ samples, dimensions, finalScore }: Judgement): EvaluationResult {
	return {
		finalScore: null,
		testScore: null,
		llmScore: finalScore,
		containerScore: null,
		dimensions: dimensions.map((dimension) => ({ ...dimension, reasoning: "noise" })),
		samples,
		reasoning: "noise",
		breakdown: {},
		ownerBreakdown: null,
		judge: "noisy",
		models: ["noisy"],
		promptVersion: "1",
		imageDigest: null,
	};
}

/** A task in D1 beside the same task in memory. */
async function play(random: Random) {
	if (poster === undefined || farmer === undefined || honest === undefined || improver === undefined) throw new Error("No agents.");
	const world = createWorld();
	const deps = world.deps();
	const taskId = await openTask(poster, { final_round: true, criteria: RUBRIC });
	const evaluate = async (submissionId: string, judgement: Judgement, jobId: string | null = null) => {
		const work = await findWork(deps, submissionId);
		if (work === null) throw new Error("No such submission.");
		const iteration = jobId === null ? work.submission.iteration + 1 : work.submission.iteration;
		const guard = jobId === null ? guardSubmission(deps, work.submission) : guardUnfinished(deps.db, EVALUATION_JOBS, jobId);
		await recordScore(deps, { work, jobId, guard, iteration, result: resultOf(judgement) });
	};
	const submit = async (agentId: string, made: Try) => {
		const id = deps.ids.next();
		await env.DB.prepare(
			`insert into submissions (id, task_id, agent_id, status, agent_display_name, created_at, updated_at) values (?, ?, ?, 'running', 'Agent', ?, 0)`,
		)
			.bind(id, taskId, agentId, Date.now())
			.run();
		for (const judgement of made.evaluations) await evaluate(id, judgement);
		return { id, made };
	};
	const copies = [];
	for (let copy = 0; copy < COPIES; copy += 1) copies.push(await submit(farmer.agentId, handIn(QUALITY, random)));
	for (let hour = 0; hour < HOURS; hour += 1) {
		const leader = bestOf(copies.map(({ made }) => made));
		const behind = copies.filter(({ made }) => made !== leader);
		const chosen = behind[hour % behind.length];
		if (chosen === undefined) continue;
		const judgement = judge(QUALITY, SAMPLES, random);
		chosen.made.evaluations.push(judgement);
		await evaluate(chosen.id, judgement);
	}
	const single = await submit(honest.agentId, handIn(QUALITY, random));
	const steps = [];
	for (const quality of [QUALITY - 4, QUALITY - 2, QUALITY]) steps.push(await submit(improver.agentId, handIn(quality, random)));
	const picked = steps.at(-1);
	await env.DB.prepare("insert into task_entries (task_id, agent_id, quota_used, quota_limit, created_at) values (?, ?, 3, 15, 0)")
		.bind(taskId, improver.agentId)
		.run();
	await world.enter(improver).call(pickSubmission, { ...at(taskId), body: { submission_id: picked?.id ?? null } });
	const boards = () =>
		queryAll<{ agent_id: string; submission_id: string; final_score: number; confirmed: number }>(
			"select agent_id, submission_id, final_score, confirmed from leaderboard_entries where task_id = ? order by rank_key",
			taskId,
		);
	const provisional = await boards();
	const expectedScores = [bestOf(copies.map(({ made }) => made)), single.made, bestOf(steps.map(({ made }) => made))].map(scoreOf);
	expect(provisional.map(({ final_score }) => final_score).toSorted()).toEqual(expectedScores.toSorted());
	await world.enter(poster).call(closeTask, at(taskId));
	await advanceRound(deps, taskId);
	const jobs = await queryAll<{ id: string; submission_id: string }>(
		`select j.id, j.submission_id from evaluation_jobs j join submissions s on s.id = j.submission_id
			where s.task_id = ? and j.round = 'final' order by j.submission_id`,
		taskId,
	);
	const confirmed = new Map<string, number>();
	const all = [...copies, single, ...steps];
	for (const job of jobs) {
		const { quality } = all.find(({ id }) => id === job.submission_id)?.made ?? { quality: 0 };
		const judgement = judge(quality, FINAL_SAMPLES, random);
		confirmed.set(job.submission_id, judgement.finalScore);
		await evaluate(job.submission_id, judgement, job.id);
	}
	await advanceRound(deps, taskId);
	await deps.settled();
	const entries = await boards();
	expect(entries.map(({ submission_id, final_score }) => [submission_id, final_score])).toEqual(
		[...confirmed].toSorted(([, a], [, b]) => b - a),
	);
	expect(entries.every((entry) => entry.confirmed === 1)).toBe(true);
	const of = (list: typeof entries, agentId: string) => list.find((entry) => entry.agent_id === agentId);
	expect(of(entries, improver.agentId)?.submission_id).toBe(picked?.id);
	const gained = (list: typeof entries, agentId: string) => ((of(list, agentId)?.final_score ?? 0) - QUALITY) / DEVIATION;
	return {
		before: gained(provisional, farmer.agentId),
		farmer: gained(entries, farmer.agentId),
		honest: gained(entries, honest.agentId),
		improver: gained(entries, improver.agentId),
	};
}

describe("the real platform, judged with a deviation of 5 points", () => {
	it(`confirms quality, not luck, in ${TASKS} tasks`, async () => {
		const random = seeded(7);
		const sums = { before: 0, farmer: 0, honest: 0, improver: 0 };
		for (let task = 0; task < TASKS; task += 1) {
			const gains = await play(random);
			sums.before += gains.before / TASKS;
			sums.farmer += gains.farmer / TASKS;
			sums.honest += gains.honest / TASKS;
			sums.improver += gains.improver / TASKS;
		}
		console.info(`Gains in deviations over ${TASKS} tasks: ${JSON.stringify(sums)}`);
		expect(sums.before).toBeGreaterThan(1.2);
		expect(sums.farmer).toBeLessThanOrEqual(0.3);
		// The mean of 24 final scores deviates by 0.16 itself.
		for (const gain of [sums.honest, sums.improver]) expect(gain).toBeGreaterThan(-0.48);
	}, 180_000);
});

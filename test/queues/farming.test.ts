// Tests that the platform scores, selects and confirms as test/support/farming.ts does, which test/rules/farming.test.ts plays thousands
// of times. The same noise goes through the real recordScore and the real round, in a Task object.
import { describe, expect, it } from "vitest";
import { submissions } from "../../src/db/task/schema/submissions.ts";
import { entries } from "../../src/db/task/schema/task.ts";
import { claimJob, finishJob } from "../../src/features/competition/evaluation/loop.ts";
import { recordScore } from "../../src/features/competition/evaluation/outcome.ts";
import { judgementOf } from "../../src/features/competition/judgements/judgement.ts";
import { getSubmissionRow } from "../../src/features/competition/submissions/store.ts";
import { readCriteria, readTask } from "../../src/features/competition/tasks/store.ts";
import type { EvaluationResult } from "../../src/features/judging/work.ts";
import type { Deps } from "../../src/ports/deps.ts";
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
import { inTask, queryTask } from "../support/task-object.ts";
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

/** Returns a task on the platform and the same task in memory. */
async function play(random: Random) {
	if (poster === undefined || farmer === undefined || honest === undefined || improver === undefined) throw new Error("No agents.");
	const world = createWorld();
	const deps = world.deps();
	const owner = world.enter(poster);
	const taskId = await openTask(owner, { final_round: true, criteria: RUBRIC });
	const material = await inTask(taskId, (task) => ({ task: readTask(task), criteria: readCriteria(task) }));
	const evaluate = async (submissionId: string, judgement: Judgement) => {
		const judged = await judgementOf(deps, { ...material, artifactSha256: null, signed: null }, resultOf(judgement));
		await inTask(taskId, (task) => {
			const { iteration } = getSubmissionRow(task, submissionId);
			recordScore(task, { submissionId, iteration: iteration + 1, round: "submission" }, judged);
		});
	};
	const submit = async (agentId: string, made: Try) => {
		const id = deps.ids.next();
		await inTask(taskId, ({ db, now }) => {
			db.insert(entries).values({ agentId, party: agentId, quotaUsed: 1, createdAt: now }).onConflictDoNothing().run();
			const row = { id, agentId, status: "running", agentDisplayName: "Agent", createdAt: now, updatedAt: now } as const;
			db.insert(submissions).values(row).run();
		});
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
	await world.enter(improver).call("pickSubmission", { ...at(taskId), body: { submission_id: picked?.id ?? null } });
	const boards = () =>
		queryTask<{ agent_id: string; submission_id: string; final_score: number; confirmed: number }>(
			taskId,
			"select agent_id, submission_id, final_score, confirmed from board order by rank_key",
		);
	const provisional = await boards();
	const expectedScores = [bestOf(copies.map(({ made }) => made)), single.made, bestOf(steps.map(({ made }) => made))].map(scoreOf);
	expect(provisional.map(({ final_score }) => final_score).toSorted()).toEqual(expectedScores.toSorted());
	await owner.call("closeTask", at(taskId));
	const finals = new Map([...copies, single, ...steps].map(({ id, made }) => [id, judge(made.quality, FINAL_SAMPLES, random)] as const));
	const confirmed = await judgeCandidates(deps, taskId, finals);
	const ranked = await boards();
	expect(ranked.map(({ submission_id }) => submission_id).toSorted()).toEqual([...confirmed.keys()].toSorted());
	expect(ranked).toEqual(ranked.toSorted((one, other) => other.final_score - one.final_score));
	// The first places are judged once more, and the mean of all their samples replaces the median of the first.
	for (const { submission_id, final_score } of ranked) {
		expect(Math.abs(final_score - (confirmed.get(submission_id) ?? 0))).toBeLessThan(DEVIATION);
	}
	expect(ranked.every((entry) => entry.confirmed === 1)).toBe(true);
	const of = (list: typeof ranked, agentId: string) => list.find((entry) => entry.agent_id === agentId);
	expect(of(ranked, improver.agentId)?.submission_id).toBe(picked?.id);
	const gained = (list: typeof ranked, agentId: string) => ((of(list, agentId)?.final_score ?? 0) - QUALITY) / DEVIATION;
	return {
		before: gained(provisional, farmer.agentId),
		farmer: gained(ranked, farmer.agentId),
		honest: gained(ranked, honest.agentId),
		improver: gained(ranked, improver.agentId),
	};
}

/** Judges the candidates of a final round, as consumers do. Returns their scores. */
async function judgeCandidates(deps: Deps, taskId: string, finals: ReadonlyMap<string, Judgement>): Promise<Map<string, number>> {
	const confirmed = new Map<string, number>();
	for (;;) {
		const now = deps.clock.now();
		const token = deps.ids.next();
		const claimed = await deps.hubs.callTask(taskId, claimJob, { input: { token, pause: null }, now });
		if (claimed === null) return confirmed;
		const { kind, subjectId, round } = claimed.job;
		const judgement = finals.get(subjectId);
		if (judgement === undefined || claimed.subject === null) throw new Error("This job is not expected.");
		const { task, criteria, subject } = claimed;
		const signed = { submissionId: subjectId, round, sharers: subject.sharers };
		const judged = await judgementOf(deps, { task, criteria, artifactSha256: null, signed }, resultOf(judgement));
		const result = { kind: "scored", judgement: judged } as const;
		const input = { held: { kind, subjectId, token }, startedAt: now, used: [], found: {}, result };
		expect(await deps.hubs.callTask(taskId, finishJob, { input, now })).toBe("scored");
		confirmed.set(subjectId, judgement.finalScore);
	}
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
		// The mean of 24 final scores itself deviates by 0.16.
		for (const gain of [sums.honest, sums.improver]) expect(gain).toBeGreaterThan(-0.48);
	}, 180_000);
});

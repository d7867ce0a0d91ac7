// Candidates that contest one of the first places are judged by further samples and compared in pairs, before the time decides.
import { and, eq, isNotNull, sql } from "drizzle-orm";
import { evaluations, finalCandidates, submissions } from "../../../db/task/schema/submissions.ts";
import { entries } from "../../../db/task/schema/task.ts";
import { MODES } from "../../../domain/modes.ts";
import { finalScore } from "../../../domain/scores.ts";
import type { TaskStore } from "../../../ports/task.ts";
import { enqueueEvaluation } from "../judgements/jobs.ts";
import { updateSubmission } from "../submissions/store.ts";
import { readCriteria, readTask } from "../tasks/store.ts";
import * as rules from "./rules.ts";

/**
 * Queues the next step for the candidates that contest the first places: further samples, then comparisons of those that still tie.
 * Returns false when nothing is left to judge. Contract: ruling "Ties in a final round".
 */
export function judgeContests(task: TaskStore): boolean {
	const contests = readContests(task);
	const open = contests.flat().filter(({ tieStatus, hasModels }) => tieStatus === null && hasModels);
	for (const candidate of open) queueStep(task, candidate, "open");
	return open.length > 0;
}

type Contestant = ReturnType<typeof selectContestants>[number];

function queueStep(task: TaskStore, { submissionId, iteration: last, party }: Contestant, tieStatus: "open"): void {
	const iteration = last + 1;
	task.db.update(finalCandidates).set({ tieStatus }).where(eq(finalCandidates.submissionId, submissionId)).run();
	updateSubmission(task, submissionId, { iteration });
	enqueueEvaluation(task, readTask(task), { submissionId, party, iteration, round: "final" });
}

function readContests(task: TaskStore): Contestant[][] {
	const { evalMode, llmWeight } = readTask(task);
	const weights = readCriteria(task).map(({ weight }) => weight);
	return rules.findContests(selectContestants(task), rules.resolutionOf(weights, MODES[evalMode].usesJudge ? llmWeight : 0));
}

/** Selects the candidates with a confirmed score, one for each work that was judged, best first. */
function selectContestants({ db }: TaskStore) {
	return db
		.select({
			submissionId: finalCandidates.submissionId,
			finalScore: evaluations.finalScore,
			dimensions: evaluations.dimensions,
			tieStatus: finalCandidates.tieStatus,
			tieScore: finalCandidates.tieScore,
			/** A judge without a model says the same again. */
			hasModels: sql<boolean>`json_array_length(${evaluations.models}) > 0`.mapWith(Boolean),
			iteration: submissions.iteration,
			artifactKey: submissions.artifactKey,
			party: entries.party,
		})
		.from(finalCandidates)
		.innerJoin(
			evaluations,
			and(eq(evaluations.submissionId, finalCandidates.submissionId), eq(evaluations.id, finalCandidates.evaluationId)),
		)
		.innerJoin(submissions, eq(submissions.id, finalCandidates.submissionId))
		.innerJoin(entries, eq(entries.agentId, finalCandidates.agentId))
		.where(eq(finalCandidates.judgedId, finalCandidates.submissionId))
		.orderBy(sql`${evaluations.finalScore} desc`, finalCandidates.submissionId)
		.all();
}

/** Returns the step that a candidate's current job takes in a contest, or null if the job confirms the candidate. */
export function findStep({ db }: TaskStore, submissionId: string): "open" | null {
	const isUnderWay = and(eq(finalCandidates.submissionId, submissionId), eq(finalCandidates.tieStatus, "open"));
	const status = db.select({ status: finalCandidates.tieStatus }).from(finalCandidates).where(isUnderWay).get()?.status;
	return status === "open" ? status : null;
}

/**
 * Ends a step of a contest for a candidate. After further samples, the mean of all its samples of the round is its score in the contest.
 * Without them, because judging failed, the mean of its first evaluation is.
 */
export function endStep(task: TaskStore, submissionId: string): void {
	const isCandidate = eq(finalCandidates.submissionId, submissionId);
	const found = task.db
		.select({ samples: evaluations.samples, dimensions: evaluations.dimensions, testScore: evaluations.testScore })
		.from(evaluations)
		.where(and(eq(evaluations.submissionId, submissionId), eq(evaluations.round, "final")))
		.all();
	const { testWeight, llmWeight } = readTask(task);
	const llmScore = rules.meanOfSamples(found);
	const tieScore = finalScore({ testScore: found[0]?.testScore ?? null, llmScore, testWeight, llmWeight });
	task.db.update(finalCandidates).set({ tieStatus: "sampled", tieScore }).where(isCandidate).run();
}

/**
 * Computes the final scores of all candidates that contested a place, when the round ends. Those that share a judgement get the score of
 * the judged one. Returns them by submission.
 */
export function scoreContests(task: TaskStore): ReadonlyMap<string, number> {
	const scored = selectContestants(task);
	const decided = scored.map(({ submissionId, finalScore: confirmed, tieScore }) => {
		return { submissionId, finalScore: confirmed, tieScore: tieScore ?? confirmed };
	});
	const byId = new Map(decided.map((entry) => [entry.submissionId, entry]));
	const contests = readContests(task).map((contest) =>
		contest.flatMap(({ submissionId, tieScore }) => {
			const entry = byId.get(submissionId);
			return entry === undefined || tieScore === null ? [] : [entry];
		}),
	);
	const settled = new Map<string, number>();
	for (const [{ submissionId, tieScore }, score] of rules.boundTieScores(decided, contests)) {
		const sharesJudgement = and(eq(finalCandidates.judgedId, submissionId), isNotNull(finalCandidates.evaluationId));
		const shared = task.db.update(finalCandidates).set({ tieScore }).where(sharesJudgement).returning().all();
		for (const candidate of shared) settled.set(candidate.submissionId, score);
	}
	return settled;
}

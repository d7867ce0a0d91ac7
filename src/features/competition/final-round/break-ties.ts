// Candidates of a final round that are tied for one of the first places are judged by further samples, before the time decides.
import { and, eq, isNotNull, sql } from "drizzle-orm";
import { evaluations, finalCandidates, submissions } from "../../../db/task/schema/submissions.ts";
import { entries } from "../../../db/task/schema/task.ts";
import type { TaskStore } from "../../../ports/task.ts";
import { enqueueEvaluation } from "../judgements/jobs.ts";
import { updateSubmission } from "../submissions/store.ts";
import { readTask } from "../tasks/store.ts";
import * as rules from "./rules.ts";

/**
 * Queues further samples for the candidates that are tied for the first places. Returns false if there are none, or if they have them
 * already. Contract: ruling "Ties in a final round".
 */
export function beginTieBreaks(task: TaskStore): boolean {
	const tied = rules.findTied(selectScored(task)).filter(({ tieStatus, hasModels }) => tieStatus === null && hasModels);
	for (const { submissionId, iteration: last, party } of tied) {
		const iteration = last + 1;
		task.db.update(finalCandidates).set({ tieStatus: "open" }).where(eq(finalCandidates.submissionId, submissionId)).run();
		updateSubmission(task, submissionId, { iteration });
		enqueueEvaluation(task, readTask(task), { submissionId, party, iteration, round: "final" });
	}
	return tied.length > 0;
}

/** Selects the candidates with a confirmed score, one for each work that was judged, best first. */
function selectScored({ db }: TaskStore) {
	return db
		.select({
			submissionId: finalCandidates.submissionId,
			finalScore: evaluations.finalScore,
			tieStatus: finalCandidates.tieStatus,
			/** A judge without a model says the same again. */
			hasModels: sql<boolean>`json_array_length(${evaluations.models}) > 0`.mapWith(Boolean),
			iteration: submissions.iteration,
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

/** Returns true if the submission is judged for a tie at present. */
export function isInTieBreak({ db }: TaskStore, submissionId: string): boolean {
	const isOpen = and(eq(finalCandidates.submissionId, submissionId), eq(finalCandidates.tieStatus, "open"));
	return db.select({ id: finalCandidates.submissionId }).from(finalCandidates).where(isOpen).get() !== undefined;
}

/**
 * Ends the further judging of a tied candidate: the mean of all samples of its final round decides between equal scores, for it and for
 * those that share its judgement. Without further samples, because judging failed, those of its first evaluation decide.
 */
export function endTieBreak(task: TaskStore, submissionId: string): void {
	const found = task.db
		.select({ samples: evaluations.samples, dimensions: evaluations.dimensions })
		.from(evaluations)
		.where(and(eq(evaluations.submissionId, submissionId), eq(evaluations.round, "final")))
		.all();
	const tieScore = rules.meanOfSamples(found);
	task.db.update(finalCandidates).set({ tieStatus: "closed" }).where(eq(finalCandidates.submissionId, submissionId)).run();
	const sharesJudgement = and(eq(finalCandidates.judgedId, submissionId), isNotNull(finalCandidates.evaluationId));
	task.db.update(finalCandidates).set({ tieScore }).where(sharesJudgement).run();
}

// The candidates of a final round are judged once more. Candidates with the same work share one judgement.
import { and, eq, ne, sql } from "drizzle-orm";
import { evaluations, finalCandidates, submissions } from "../../../db/task/schema/submissions.ts";
import { entries } from "../../../db/task/schema/task.ts";
import type { TaskStore } from "../../../ports/task.ts";
import { enqueueEvaluation, findJobOf } from "../judgements/jobs.ts";
import type { SharedEvaluation, Sharer } from "../judgements/judgement.ts";
import { readReport, sharedReport, writeReport } from "../judgements/report.ts";
import { getSubmissionRow, updateSubmission } from "../submissions/store.ts";
import { readTask } from "../tasks/store.ts";

const isPending = sql`outcome is null`;

/** Queues the evaluation of each candidate that is judged itself and has none yet. */
export function judgeCandidates(task: TaskStore): void {
	const found = readTask(task);
	const judged = task.db
		.select({ submissionId: submissions.id, iteration: submissions.iteration, party: entries.party })
		.from(finalCandidates)
		.innerJoin(submissions, eq(submissions.id, finalCandidates.submissionId))
		.innerJoin(entries, eq(entries.agentId, finalCandidates.agentId))
		.where(and(isPending, eq(finalCandidates.judgedId, finalCandidates.submissionId)))
		.all();
	for (const { submissionId, iteration: last, party } of judged) {
		if (findJobOf(task, { kind: "evaluation", subjectId: submissionId }) !== null) continue;
		const iteration = last + 1;
		// Its status and score stay, because the provisional order stays until the round has ended.
		updateSubmission(task, submissionId, { iteration });
		enqueueEvaluation(task, found, { submissionId, party, iteration, round: "final" });
	}
}

/** Lists the other candidates that share the judgement of a candidate's submission. Its consumer signs a receipt for each of them too. */
export function listSharers({ db }: TaskStore, judgedId: string): Sharer[] {
	return db
		.select({ submissionId: submissions.id, artifactSha256: submissions.artifactSha256 })
		.from(finalCandidates)
		.innerJoin(submissions, eq(submissions.id, finalCandidates.submissionId))
		.where(and(isPending, eq(finalCandidates.judgedId, judgedId), ne(finalCandidates.submissionId, judgedId)))
		.all();
}

/**
 * Records the evaluation of a candidate, which is stored already, and gives it to those that share it. Scores and ranks change when the
 * round ends.
 */
export function confirmCandidate(
	task: TaskStore,
	{ submissionId, evaluationId }: { readonly submissionId: string; readonly evaluationId: string },
	shared: readonly SharedEvaluation[],
): void {
	const isJudged = and(eq(evaluations.submissionId, submissionId), eq(evaluations.id, evaluationId));
	const judgement = task.db.select().from(evaluations).where(isJudged).get();
	if (judgement === undefined) throw new Error(`There is no evaluation ${evaluationId} to confirm.`);
	const report = sharedReport(readReport(task, evaluationId));
	setOutcome(task, submissionId, { outcome: "confirmed", evaluationId });
	for (const { id, submissionId: sharerId, receipt } of shared) {
		const { agentId, artifactSha256, iteration: last } = getSubmissionRow(task, sharerId);
		const own = { id, submissionId: sharerId, iteration: last + 1, artifactSha256, receipt };
		task.db
			.insert(evaluations)
			.values({ ...judgement, ...own })
			.run();
		writeReport(task, id, report);
		updateSubmission(task, sharerId, { iteration: own.iteration });
		setOutcome(task, sharerId, { outcome: "confirmed", evaluationId: id });
		task.record({ type: "evaluation.completed", taskId: task.id, submissionId: sharerId, agentId, evaluationId: id, round: "final" });
	}
}

/**
 * Records that a candidate could not be judged. It keeps its provisional score, as do those that share its judgement. If its own
 * files are at fault, that says nothing about the others, so each of them is judged.
 */
export function failCandidate(task: TaskStore, submissionId: string, { isOwnFault }: { isOwnFault: boolean }): void {
	const sharesJudgement = and(isPending, eq(finalCandidates.judgedId, submissionId));
	if (!isOwnFault) {
		task.db.update(finalCandidates).set({ outcome: "failed" }).where(sharesJudgement).run();
		return;
	}
	setOutcome(task, submissionId, { outcome: "failed" });
	task.db
		.update(finalCandidates)
		.set({ judgedId: sql`${finalCandidates.submissionId}` })
		.where(sharesJudgement)
		.run();
	judgeCandidates(task);
}

function setOutcome({ db }: TaskStore, submissionId: string, change: Partial<typeof finalCandidates.$inferInsert>): void {
	db.update(finalCandidates)
		.set(change)
		.where(and(isPending, eq(finalCandidates.submissionId, submissionId)))
		.run();
}

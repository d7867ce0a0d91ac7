// If a candidate loses its files, another candidate with the same files is judged instead, because they share a judgement.
import { and, eq, isNotNull, ne, sql } from "drizzle-orm";
import { finalCandidates, roundJudgements } from "../../db/task/schema/final-round.ts";
import { submissions } from "../../db/task/schema/submissions.ts";
import type { TaskStore } from "../../ports/task.ts";
import * as candidates from "./candidates.ts";
import { findRound } from "./round.ts";

/**
 * Judges the earliest other submission with the same files instead of this one. Does nothing if no other candidate shares the judgement.
 * Samples in progress start over.
 */
export function handOverJudgement(task: TaskStore, submissionId: string): void {
	const { db } = task;
	const own = candidates.findCandidate(task, submissionId);
	const heir = findHeir(task, submissionId);
	const round = findRound(task);
	if (own === null || heir === null || round?.status === "ended") return;
	candidates.endJobOf(task, submissionId);
	db.update(finalCandidates).set({ judgedId: heir }).where(eq(finalCandidates.judgedId, submissionId)).run();
	candidates.reserveForCandidate(task, submissionId, 0);
	candidates.reserveForCandidate(task, heir, own.reserved);
	db.update(roundJudgements).set({ submissionId: heir }).where(eq(roundJudgements.submissionId, submissionId)).run();
	if (round?.status !== "judging") return;
	candidates.judgeCandidates(task, "judging");
	candidates.judgeCandidates(task, "sampling");
}

function findHeir({ db }: TaskStore, judgedId: string): string | null {
	const shares = and(eq(finalCandidates.judgedId, judgedId), ne(finalCandidates.submissionId, judgedId));
	const row = db
		.select({ submissionId: finalCandidates.submissionId })
		.from(finalCandidates)
		.innerJoin(submissions, eq(submissions.id, finalCandidates.submissionId))
		.where(and(shares, isNotNull(submissions.artifactKey)))
		.orderBy(sql`coalesce(${submissions.handedInAt}, ${submissions.createdAt})`, submissions.id)
		.limit(1)
		.get();
	return row?.submissionId ?? null;
}

// The rows of a final round's candidates. Candidates with the same files share a judgement, and therefore a state until the round ends.
import { and, asc, eq, isNull, ne, type SQL, sql } from "drizzle-orm";
import { deleteJob, enqueueEvaluation, enqueueJob, findJobOf } from "../../core/competition/judgements/jobs.ts";
import { readTask } from "../../core/competition/tasks/store.ts";
import { type CandidateRow, finalCandidates } from "../../db/task/schema/final-round.ts";
import { submissions } from "../../db/task/schema/submissions.ts";
import { entries } from "../../db/task/schema/task.ts";
import type { CandidateState } from "../../domain/final-round.ts";
import type { TaskStore } from "../../ports/task.ts";

/** Selects the candidate whose submission is judged on behalf of all candidates with the same files. */
const isJudged = eq(finalCandidates.judgedId, finalCandidates.submissionId);

export function hasState({ db }: TaskStore, state: CandidateState): boolean {
	return (
		db.select({ id: finalCandidates.agentId }).from(finalCandidates).where(eq(finalCandidates.state, state)).limit(1).get() !== undefined
	);
}

/** Lists the candidates that are judged on behalf of all candidates with the same files, in the order of the provisional leaderboard. */
export function listJudged({ db }: TaskStore, state?: CandidateState): CandidateRow[] {
	const isWanted = state === undefined ? isJudged : and(isJudged, eq(finalCandidates.state, state));
	return db.select().from(finalCandidates).where(isWanted).orderBy(asc(finalCandidates.place)).all();
}

/** Lists the judged candidates, except those for which operators have voided every submission that shares the judgement. */
export function listStanding(task: TaskStore, state: CandidateState): CandidateRow[] {
	const standing = task.db
		.select({ judgedId: finalCandidates.judgedId })
		.from(finalCandidates)
		.innerJoin(submissions, eq(submissions.id, finalCandidates.submissionId))
		.where(isNull(submissions.voidedAt))
		.all();
	const ids = new Set(standing.map(({ judgedId }) => judgedId));
	return listJudged(task, state).filter(({ submissionId }) => ids.has(submissionId));
}

export function listCandidates({ db }: TaskStore): CandidateRow[] {
	return db.select().from(finalCandidates).orderBy(asc(finalCandidates.place)).all();
}

export function findCandidate({ db }: TaskStore, submissionId: string): CandidateRow | null {
	return db.select().from(finalCandidates).where(eq(finalCandidates.submissionId, submissionId)).get() ?? null;
}

/** Moves the candidates that share a judgement from one state to another, and clears their reservations. False if none was in `from`. */
export function moveCandidates({ db }: TaskStore, judgedId: string, { from, to }: { from: CandidateState; to: CandidateState }): boolean {
	const isIn = and(eq(finalCandidates.judgedId, judgedId), eq(finalCandidates.state, from));
	return db.update(finalCandidates).set({ state: to, reserved: 0 }).where(isIn).returning({ id: finalCandidates.agentId }).all().length > 0;
}

/** Confirms one candidate in any state. Returns false if the submission is not a candidate. */
export function confirmCandidate({ db }: TaskStore, submissionId: string): boolean {
	const isOne = eq(finalCandidates.submissionId, submissionId);
	return db.update(finalCandidates).set({ state: "confirmed" }).where(isOne).returning({ id: finalCandidates.agentId }).all().length > 0;
}

/** Reserves an amount under the task's ceiling for a candidate's samples, in millionths of a US dollar. */
export function reserveForCandidate({ db }: TaskStore, submissionId: string, reserved: number): void {
	db.update(finalCandidates).set({ reserved }).where(eq(finalCandidates.submissionId, submissionId)).run();
}

/** Reduces the candidate's reservation by an attempt's settled cost. */
export function spendReserved({ db }: TaskStore, submissionId: string, used: number): void {
	const left = sql`max(0, ${finalCandidates.reserved} - ${used})`;
	db.update(finalCandidates).set({ reserved: left }).where(eq(finalCandidates.submissionId, submissionId)).run();
}

/**
 * Queues the evaluations that candidates in the given state wait for. The status and score of their submissions stay, because the
 * provisional order stays until the round has ended.
 */
export function judgeCandidates(store: TaskStore, state: "judging" | "sampling"): void {
	const task = readTask(store);
	for (const { submissionId, agentId } of listJudged(store, state)) {
		if (findJobOf(store, { kind: "evaluation", subjectId: submissionId }) !== null) continue;
		const submission = store.db
			.select({ iteration: submissions.iteration })
			.from(submissions)
			.where(eq(submissions.id, submissionId))
			.get();
		const entry = store.db.select({ party: entries.party }).from(entries).where(eq(entries.agentId, agentId)).get();
		enqueueEvaluation(store, task, {
			submissionId,
			party: entry?.party ?? agentId,
			iteration: (submission?.iteration ?? 0) + 1,
			round: "final",
			isBound: true,
		});
	}
}

const STOP_LIMIT_MS = 24 * 60 * 60 * 1000;

/** Ends the evaluations that candidates in the given states wait for. */
export function endJobsOf(task: TaskStore, states: readonly CandidateState[]): void {
	for (const state of states) for (const { submissionId } of listJudged(task, state)) endJobOf(task, submissionId);
}

/** Ends the evaluation that a candidate waits for. */
export function endJobOf(task: TaskStore, submissionId: string): void {
	const job = findJobOf(task, { kind: "evaluation", subjectId: submissionId });
	if (job === null || !job.isBound) return;
	deleteJob(task, job);
	const { id, party, runs } = job;
	if (runs > 0) enqueueJob(task, { kind: "stop_runs", subjectId: id, party, runs, giveUpAt: task.now + STOP_LIMIT_MS });
}

export function countCandidates({ db }: TaskStore, condition?: SQL): number {
	return db.select({ id: finalCandidates.agentId }).from(finalCandidates).where(condition).all().length;
}

export const isFailed = eq(finalCandidates.state, "failed");
export const isNotFailed = ne(finalCandidates.state, "failed");

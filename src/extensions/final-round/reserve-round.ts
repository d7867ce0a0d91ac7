// Reserves the cost of a round's first samples under the task's ceiling, for all candidates before the first call to a judge. The cost of
// extra samples is reserved when they are queued.
import { eq, sum } from "drizzle-orm";
import { deleteJob } from "../../core/competition/judgements/jobs.ts";
import { readTotal } from "../../core/competition/spend/task-scope.ts";
import { readTask } from "../../core/competition/tasks/store.ts";
import { prepareOnce } from "../../db/task/prepared.ts";
import { type CandidateRow, finalCandidates } from "../../db/task/schema/final-round.ts";
import { type KeptRoom, type TaskStore, taskVerb } from "../../ports/task.ts";
import { cancelRound } from "./cancel-round.ts";
import * as candidates from "./candidates.ts";
import { findRound, updateRound } from "./round.ts";
import * as rules from "./rules.ts";

interface RoundEstimate {
	/** The expected cost of the samples of each judged submission, in millionths of a US dollar. */
	readonly estimates: readonly (readonly [submissionId: string, microUsd: number])[];
	/** The task's spending ceiling, in millionths of a US dollar. Null if it has none. */
	readonly ceiling: number | null;
}

/** Reserves the cost of the round and queues its evaluations. Cancels the round if the ceiling leaves too little. Idempotent. */
export const reserveRound = taskVerb("reserveRound", (task, { estimates, ceiling }: RoundEstimate): void => {
	if (findRound(task)?.status !== "reserving") return;
	const all = candidates.listCandidates(task);
	// Since the estimate, another submission with the same files may have become the one that is judged.
	const judgedBy = new Map(all.map(({ submissionId, judgedId }) => [submissionId, judgedId]));
	const costs = new Map(estimates.map(([id, microUsd]) => [judgedBy.get(id), microUsd]));
	const listed = all.map((candidate) => ({ ...candidate, estimate: costs.get(candidate.judgedId) ?? 0 }));
	const funded = rules.chooseFunded(listed, ceiling === null ? null : ceiling - readTotal(task));
	if (funded === null) {
		cancelRound(task, rules.NO_ROUND.noRoom);
		return;
	}
	const taking = new Set(funded.map(({ submissionId }) => submissionId));
	for (const { submissionId, judgedId: chosen, estimate } of listed) {
		const row = eq(finalCandidates.submissionId, submissionId);
		// Of several candidates with the same files, the earliest can rank too low to be funded. The best funded one is then judged instead.
		const first = funded.find((candidate) => candidate.judgedId === chosen);
		const judgedId = taking.has(chosen) ? chosen : (first?.submissionId ?? chosen);
		const reserved = judgedId === submissionId ? estimate : 0;
		if (taking.has(submissionId)) task.db.update(finalCandidates).set({ judgedId, estimate, reserved }).where(row).run();
		else task.db.delete(finalCandidates).where(row).run();
	}
	updateRound(task, { status: "judging", ceiling });
	// The step is done, so end its job here. If its consumer died with the job still open, the round could not start its next step.
	deleteJob(task, { kind: "final_round", subjectId: task.id });
	candidates.judgeCandidates(task, "judging");
});

/** The fraction of the task's ceiling that earlier evaluations leave for the final round. */
const SHARE_OF_ROUND = 1 / 3;

const reservedQuery = prepareOnce((db) =>
	db
		.select({ reserved: sum(finalCandidates.reserved).mapWith(Number) })
		.from(finalCandidates)
		.prepare(),
);

/** Returns how much of the task's ceiling is set aside: the round's share until it ends, and the reservations for its remaining samples. */
export function keepRoom(task: TaskStore): KeptRoom {
	const row = reservedQuery(task.db).get();
	const isToCome = readTask(task).finalRound && findRound(task)?.status !== "ended";
	return { share: isToCome ? SHARE_OF_ROUND : 0, works: isToCome ? rules.LEAST_CANDIDATES : 0, reserved: row?.reserved ?? 0 };
}

/** Returns true if the task's ceiling has room for the extra samples of all of these candidates. */
export function hasRoomForFurther(task: TaskStore, near: readonly CandidateRow[]): boolean {
	const ceiling = findRound(task)?.ceiling ?? null;
	const amount = near.reduce((sum, { estimate }) => sum + rules.estimateFurther(estimate ?? 0), 0);
	return ceiling === null || readTotal(task) + amount <= ceiling;
}

// A person should look at a submission for one of these causes.
import { asc, inArray } from "drizzle-orm";
import { board, type SubmissionRow } from "../../../db/task/schema/submissions.ts";
import type { TaskRow } from "../../../db/task/schema/task.ts";
import { isProvisional, type ReviewCause } from "../../../domain/evaluation-rounds.ts";
import type { TaskStore } from "../../../ports/task.ts";
import { isRevealed } from "../leaderboard/rules.ts";
import { readSignedWorks, type WorkPair } from "../similarity/compared-works.ts";
import { similarityOf } from "../similarity/pairs.ts";
import { COPY_FROM } from "../similarity/rules.ts";
import { toComparable } from "../similarity/signed-work.ts";
import { findAppeal } from "../submissions/appeal.ts";
import { TIED_PLACES, WIDE_SPREAD_POINTS } from "./rules.ts";

/** Lists the submissions that are nearly the same as one of another party. */
export function findCopies(pairs: readonly WorkPair[]): string[] {
	const copies = pairs.filter(({ isSameParty }) => !isSameParty);
	return [...new Set(copies.flatMap(({ submissionId, otherSubmissionId }) => [submissionId, otherSubmissionId]))];
}

/** Finds the submissions on the leaderboard that share their score with another one, of which one is among the first. */
export function findTies(task: TaskStore, found: TaskRow): string[] {
	if (!isRevealed(found, task.now) || isProvisional(found)) return [];
	const first = task.db.select({ score: board.finalScore }).from(board).orderBy(asc(board.rankKey)).limit(TIED_PLACES).all();
	const scores = [...new Set(first.map(({ score }) => score))];
	const rows =
		scores.length === 0
			? []
			: task.db.select({ id: board.submissionId, score: board.finalScore }).from(board).where(inArray(board.finalScore, scores)).all();
	const tied = [...Map.groupBy(rows, ({ score }) => score).values()].filter((group) => group.length > 1);
	return tied.flat().map(({ id }) => id);
}

/** Lists the causes for which a person should look at a submission now. A decided appeal is not a cause. */
export function causesOf(task: TaskStore, found: TaskRow, submission: SubmissionRow): ReviewCause[] {
	if (submission.finalScore === null || submission.voidedAt !== null) return [];
	return listCauses({
		appeal: findAppeal(task, submission.id)?.decision === null,
		injection: submission.injectionReported,
		spread: (submission.spread ?? 0) >= WIDE_SPREAD_POINTS,
		copy: isCopy(task, submission.id),
		tie: findTies(task, found).includes(submission.id),
	});
}

function isCopy(task: TaskStore, submissionId: string): boolean {
	const works = readSignedWorks(task);
	const own = works.find((work) => work.submissionId === submissionId);
	if (own === undefined) return false;
	const comparable = toComparable(own);
	return works.some((work) => work.party !== own.party && similarityOf(comparable, toComparable(work)) >= COPY_FROM);
}

export function listCauses({ appeal, injection, spread, copy, tie }: Readonly<Record<ReviewCause, boolean>>): ReviewCause[] {
	return [
		...(appeal ? (["appeal"] as const) : []),
		...(injection ? (["injection"] as const) : []),
		...(spread ? (["spread"] as const) : []),
		...(copy ? (["copy"] as const) : []),
		...(tie ? (["tie"] as const) : []),
	];
}

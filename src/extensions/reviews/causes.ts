// The reasons why a person should look at a submission.
import { asc, inArray } from "drizzle-orm";
import { board, type SubmissionRow } from "../../db/task/schema/submissions.ts";
import type { TaskRow } from "../../db/task/schema/task.ts";
import { REVIEW_CAUSES, type ReviewCause } from "../../domain/reviews.ts";
import { decidedSince } from "../../domain/task-status.ts";
import { findAppeal } from "../../fields/appeal.ts";
import type { TaskStore } from "../../ports/task.ts";
import { readCopyOf } from "../similarity/compared-works.ts";
import type { Copy } from "../similarity/copies.ts";
import { TIED_PLACES, WIDE_SPREAD_POINTS } from "./rules.ts";

/**
 * Finds the submissions on the leaderboard that share their score with another one, if at least one of them is among the first places.
 * Returns none before the end of the task or of its final round.
 */
export function findTies(store: TaskStore, task: TaskRow): string[] {
	if (decidedSince(task, store.now) === null) return [];
	const first = store.db.select({ score: board.finalScore }).from(board).orderBy(asc(board.rankKey)).limit(TIED_PLACES).all();
	const scores = [...new Set(first.map(({ score }) => score))];
	const rows =
		scores.length === 0
			? []
			: store.db.select({ id: board.submissionId, score: board.finalScore }).from(board).where(inArray(board.finalScore, scores)).all();
	const tied = [...Map.groupBy(rows, ({ score }) => score).values()].filter((group) => group.length > 1);
	return tied.flat().map(({ id }) => id);
}

/** Why a person should look at a submission now, and since when. */
interface Causes {
	readonly causes: ReviewCause[];
	readonly copyOf: Copy | null;
	/** When the newest cause arose. 0 if there is none. */
	readonly listedAt: number;
}

/** Finds the reasons why a person should look at a submission now. A decided appeal is not a reason. */
export function causesOf(store: TaskStore, task: TaskRow, submission: SubmissionRow): Causes {
	if (submission.finalScore === null || submission.voidedAt !== null) return { causes: [], copyOf: null, listedAt: 0 };
	const appeal = findAppeal(store, submission.id);
	const copyOf = readCopyOf(store, submission.id);
	const times = {
		appeal: appeal?.decision === null ? appeal.createdAt : null,
		injection: submission.injectionReportedAt,
		spread: (submission.spread ?? 0) >= WIDE_SPREAD_POINTS ? submission.evaluatedAt : null,
		copy: copyOf === null ? null : (submission.handedInAt ?? submission.createdAt),
		tie: findTies(store, task).includes(submission.id) ? decidedSince(task, store.now) : null,
	};
	return { causes: listCauses(times), copyOf, listedAt: Math.max(0, ...Object.values(times).filter((at) => at !== null)) };
}

/** Lists the causes that have a time. */
export function listCauses(times: Readonly<Record<ReviewCause, number | null>>): ReviewCause[] {
	return REVIEW_CAUSES.filter((cause) => times[cause] !== null);
}

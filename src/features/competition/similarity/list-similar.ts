import { desc } from "drizzle-orm";
import * as z from "zod";
import { signatures } from "../../../db/task/schema/submissions.ts";
import { uuid } from "../../../http/fields.ts";
import { decodeCursor, encodeCursor, pageRows } from "../../../http/pagination.ts";
import type { Ctx } from "../../../ports/deps.ts";
import { taskVerb } from "../../../ports/task.ts";
import { readOwnTask } from "../tasks/store.ts";
import { findPairs } from "./pairs.ts";
import * as rules from "./rules.ts";
import { type SignedWork, toComparable } from "./signed-work.ts";

/** Submissions that are compared, the newest of a task. */
const MAX_COMPARED = 10_000;

/** The signatures of the newest submissions, newest first, for the task's owner. */
export const readSignatures = taskVerb("readSignatures", (task, { by }: { by: string }) => {
	readOwnTask(task, by);
	return task.db.select().from(signatures).orderBy(desc(signatures.submissionId)).limit(MAX_COMPARED).all();
});

const similarCursor = z.tuple([z.number(), z.literal([0, 1]), uuid, uuid]);

/**
 * A page of the pairs of a task's submissions that are alike, for its owner. Comparing ten thousand takes up to a second, which the Worker
 * spends and not the object. Contract: additions, "Similar work".
 *
 * @throws AppError `VALIDATION_ERROR` for a cursor of another list, before anything is read.
 */
export async function listSimilar(ctx: Ctx, taskId: string, { limit, cursor }: { limit: number; cursor?: string | undefined }) {
	const after = decodeCursor(cursor, similarCursor);
	const rows = await ctx.hubs.callTask(taskId, readSignatures, { input: { by: ctx.actor.agentId }, now: ctx.clock.now() });
	const pairs = findPairs(rows.map(toComparable), rules.SHOWN_FROM).flatMap((pair) => toShown(rows, pair));
	const place =
		after === null ? null : { similarity: after[0], isSameAgent: after[1] === 1, submissionId: after[2], otherSubmissionId: after[3] };
	const following = place === null ? pairs : pairs.filter((pair) => rules.comparePairs(pair, place) > 0);
	const page = pageRows(following.toSorted(rules.comparePairs), limit, (last) =>
		encodeCursor([last.similarity, Number(last.isSameAgent), last.submissionId, last.otherSubmissionId]),
	);
	return { data: page.rows.map(viewPair), pagination: page.pagination };
}

function toShown(rows: readonly SignedWork[], { first, second, similarity }: rules.Pair): rules.ShownPair[] {
	const [a, b] = [rows[first], rows[second]];
	if (a === undefined || b === undefined) return [];
	const isSameAgent = a.agentId === b.agentId;
	return [
		{ submissionId: a.submissionId, otherSubmissionId: b.submissionId, similarity: Math.round(similarity * 1000) / 1000, isSameAgent },
	];
}

function viewPair({ submissionId, otherSubmissionId, similarity, isSameAgent }: rules.ShownPair) {
	return { submission_id: submissionId, other_submission_id: otherSubmissionId, similarity, same_agent: isSameAgent };
}

// The verb voidSubmission, for operators of the deployment.
import { commit, decideAndCommit } from "../../db/commit.ts";
import { AppError } from "../../domain/errors.ts";
import { recordEvents } from "../../events/outbox.ts";
import { toIso } from "../../platform/clock.ts";
import type { CommitItem } from "../../ports/database.ts";
import type { PublicCtx } from "../../ports/deps.ts";
import { submissionNotFound } from "../competition/submissions/store.ts";
import { giveSlotBack } from "../evaluation/service.ts";
import { withdrawLeaderboardEntry } from "../leaderboard/service.ts";
import * as statements from "./statements.ts";
import * as store from "./store.ts";

interface Voiding {
	readonly reason: string;
	/** Builds the statements that record the act. */
	readonly record: (change: { readonly before: store.SubmissionRow; readonly voidedAt: string }) => CommitItem[];
}

/**
 * Takes a submission off the leaderboard and gives its slot back. Its evaluations stay, and a running one continues.
 *
 * @throws AppError `NOT_FOUND`; `CONFLICT` for a submission that is voided already.
 */
export function voidSubmission(ctx: PublicCtx, submissionId: string, { reason, record }: Voiding) {
	return decideAndCommit(ctx.db, async () => {
		const state = await store.findSubmissionState(ctx, submissionId);
		if (state === null) throw submissionNotFound();
		const { submission, task } = state;
		if (submission.voidedAt !== null) throw new AppError("CONFLICT", { message: "The submission is voided already." });
		const now = ctx.clock.now();
		const voided = { at: toIso(now), reason };
		const ids = { taskId: task.id, submissionId, agentId: submission.agentId };
		await commit(ctx.db, [
			statements.guardState(ctx, state),
			...statements.voidSubmission(ctx, submission, { reason, now }),
			...(submission.slotReturned ? [] : giveSlotBack(ctx, { ...ids, takenAt: submission.createdAt })),
			...withdrawLeaderboardEntry(ctx, ids),
			...record({ before: submission, voidedAt: voided.at }),
			recordEvents(ctx, [{ type: "submission.voided", ...ids }]),
		]);
		return { id: submissionId, voided };
	});
}

// Reads a submission with its scores and rank, for its agent and the task's owner.

import { scoreFields, submissionFields } from "#fields";
import type { SubmissionRow } from "../../../db/task/schema/submissions.ts";
import { PUBLIC_FAILURES } from "../../../domain/failures.ts";
import { isOver } from "../../../domain/task-status.ts";
import { timeOfTask } from "../../../domain/task-time.ts";
import type { Ctx } from "../../../ports/deps.ts";
import { taskVerb } from "../../../ports/task.ts";
import { readReport, reportFor, sealReport } from "../judgements/report.ts";
import { rankOf } from "../leaderboard/read-board.ts";
import { isSealedFor } from "../tasks/rules.ts";
import { viewArtifact } from "./artifact.ts";
import { uploadDeadline } from "./rules.ts";
import { viewDimensions, viewScores } from "./scores.ts";
import { getVisibleSubmission, locateSubmission, readQuota } from "./store.ts";
import { viewCompleteStep, viewSubmission } from "./submission.ts";
import { hasDirectUpload, signUploadUrl } from "./upload-url.ts";

/** @throws AppError `NOT_FOUND` unless the agent made the submission or owns the task. */
const readShownSubmission = taskVerb("readShownSubmission", (store, { id, agentId }: { id: string; agentId: string }) => {
	const { task, submission: row } = getVisibleSubmission(store, id, agentId);
	const { companyId, evalMode, llmWeight, deadline, closedBy, hidden } = task;
	const isOwner = agentId === companyId;
	const report = row.evaluated && row.shownEvaluationId !== null ? readReport(store, row.shownEvaluationId) : null;
	const isSealed = isSealedFor(task, { readerId: agentId, authorId: row.agentId });
	const readersReport = report === null ? null : reportFor(report, { isOwner });
	return {
		...(isSealed ? sealRow(row) : row),
		isSealed,
		taskId: task.id,
		...{ evalMode, llmWeight, deadline, closedBy, hidden, isOwner, clockOffsetMs: task.clockOffsetMs, isTest: task.isTest },
		position: rankOf(store, row.agentId),
		ofScore: scoreFields.read(store, row),
		added: submissionFields.read(store, row),
		quota: readQuota(store, task, row.agentId),
		report: isSealed && readersReport !== null ? sealReport(readersReport, evalMode) : readersReport,
	};
});

/** Hides the artifact, and replaces error messages that can contain the submission's output. */
function sealRow(row: SubmissionRow): SubmissionRow {
	const errorMessage = row.errorMessage === null ? null : PUBLIC_FAILURES[row.failure ?? "submission"];
	return { ...row, artifactKey: null, errorMessage, ownerErrorMessage: null };
}

type SubmissionDetail = ReturnType<(typeof readShownSubmission)["run"]>;

/** @throws AppError `NOT_FOUND` unless the caller is the submitting agent or the task's owner. */
export async function readVisible(ctx: Ctx, id: string): Promise<SubmissionDetail> {
	const input = { id, agentId: ctx.actor.agentId };
	return readShownSubmission(ctx, await locateSubmission(ctx, id), input);
}

/** Reads a submission with the number of its latest change, for streams. */
export async function readWatched(ctx: Ctx, submissionId: string) {
	const row = await readVisible(ctx, submissionId);
	return { number: row.revision, view: await viewShown(ctx, row) };
}

export async function viewShown(ctx: Ctx, row: SubmissionDetail) {
	return {
		...viewSubmission(row, row),
		...row.ofScore,
		...row.added,
		scores: viewScores(row, row.evalMode, row.report),
		dimensions: viewDimensions(row.report, row),
		position: row.position,
		quota: row.quota,
		artifact: await viewArtifact(ctx, row),
		...(await viewMissing(ctx, row)),
	};
}

/** Returns what the agent of a registered submission must still do: upload the artifact, or complete the submission. */
async function viewMissing(ctx: Ctx, row: SubmissionDetail) {
	const isOpen = row.status === "registered" && row.closedBy !== "owner" && !row.hidden;
	const expiresAt = uploadDeadline(row);
	if (row.agentId !== ctx.actor.agentId) return {};
	// Clients can always name both fields in `fields`, because a client that polls cannot know the status in advance.
	const absent = { resume: undefined, next_step: undefined };
	if (!isOpen || isOver({ deadline: expiresAt }, timeOfTask(row, ctx.clock.now()))) return absent;
	if (row.artifactKey !== null || (await hasDirectUpload(ctx, row.id))) {
		return { ...absent, next_step: viewCompleteStep(ctx.baseUrl, row.id) };
	}
	return { ...absent, resume: await signUploadUrl(ctx, { ...row, submissionId: row.id, expiresAt }) };
}

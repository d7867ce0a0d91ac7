// Reading a submission: with its scores and rank for its agent and the task's owner, and its public status.
import { isOver } from "../../../domain/deadline.ts";
import { toIso } from "../../../platform/clock.ts";
import type { Ctx, PublicCtx } from "../../../ports/deps.ts";
import { type TaskStore, taskVerb } from "../../../ports/task.ts";
import { findJobOf } from "../judgements/jobs.ts";
import { reportFor, type ShownReport } from "../judgements/report.ts";
import { readReport } from "../judgements/reports.ts";
import { rankOf } from "../leaderboard/read-board.ts";
import { readTask, type TaskRow } from "../tasks/store.ts";
import { hasDirectUpload, signUploadUrl, viewArtifact } from "./artifact-store.ts";
import { uploadDeadline } from "./rules.ts";
import { readQuota } from "./slots.ts";
import { getSubmission as getRow, locateSubmission, type SubmissionRow, submissionNotFound } from "./store.ts";
import {
	viewCompleteStep,
	viewDimensions,
	viewError,
	viewPublicError,
	viewScores,
	viewSubmission,
	viewVoided,
	viewWaiting,
} from "./views.ts";

/** A submission with everything that its views show. */
export const readShown = taskVerb("readShown", (task, { id, agentId }: { id: string; agentId: string }) => {
	const shown = shownOf(task, readTask(task), getRow(task, id));
	if (agentId !== shown.agentId && agentId !== shown.companyId) throw submissionNotFound();
	return shown;
});

/** {@link readShown} for a verb that has read the submission. */
export function shownOf(store: TaskStore, task: TaskRow, row: SubmissionRow) {
	const { companyId, evalMode, llmWeight, deadline, closedBy } = task;
	return {
		...row,
		taskId: task.id,
		...{ companyId, evalMode, llmWeight, deadline, closedBy },
		waitingFor: findJobOf(store, { kind: "evaluation", subjectId: row.id })?.waitingFor ?? null,
		position: rankOf(store, row.agentId),
		quota: readQuota(store, task, row.agentId),
		report: row.evaluated && row.shownEvaluationId !== null ? readReport(store, row.shownEvaluationId) : null,
	};
}

export type ShownSubmission = ReturnType<typeof shownOf>;

/** A submission with scores and rank, for its agent and the task's owner. */
export async function getSubmission(ctx: Ctx, submissionId: string) {
	return viewForReader(ctx, await readVisible(ctx, submissionId));
}

/** {@link getSubmission} with the number of its last change, for streams. */
export async function readWatched(ctx: Ctx, submissionId: string) {
	const row = await readVisible(ctx, submissionId);
	return { number: row.revision, view: await viewForReader(ctx, row) };
}

/** @throws AppError `NOT_FOUND` unless the caller is the submitting agent or the task's owner. */
export async function readVisible(ctx: Ctx, id: string): Promise<ShownSubmission> {
	const input = { id, agentId: ctx.actor.agentId };
	return ctx.hubs.callTask(await locateSubmission(ctx, id), readShown, { input, now: ctx.clock.now() });
}

async function viewForReader(ctx: Ctx, row: ShownSubmission) {
	const report = reportForReader(ctx, row);
	return {
		...viewSubmission(row, readerOf(ctx, row)),
		...viewWaiting(row),
		scores: viewScores(row, row.evalMode, report),
		dimensions: viewDimensions(report, row),
		position: row.position,
		quota: row.quota,
		artifact: await viewArtifact(ctx, row),
		...(await viewMissing(ctx, row)),
	};
}

function readerOf({ actor }: Ctx, { companyId }: Pick<ShownSubmission, "companyId">) {
	return { isOwner: companyId === actor.agentId };
}

function reportForReader(ctx: Ctx, row: ShownSubmission): ShownReport | null {
	return row.report === null ? null : reportFor(row.report, readerOf(ctx, row));
}

/** What a registered submission lacks, for its agent while it may still complete it: its artifact, or `complete`. */
async function viewMissing(ctx: Ctx, row: ShownSubmission) {
	const isOpen = row.status === "registered" && row.closedBy !== "owner";
	const expiresAt = uploadDeadline(row);
	if (!isOpen || row.agentId !== ctx.actor.agentId || isOver({ deadline: expiresAt }, ctx.clock.now())) return {};
	if (row.artifactKey !== null || (await hasDirectUpload(ctx, row.id))) return { next_step: viewCompleteStep(ctx.baseUrl, row.id) };
	const upload = await signUploadUrl(ctx, row.id, expiresAt);
	return { resume: { url: upload.url, token: upload.token, path: upload.path, expires_at: toIso(upload.expiresAt) } };
}

/** The reasoning behind the scores. Before there are scores, its lists are empty. */
export async function getSubmissionDetails(ctx: Ctx, submissionId: string) {
	const row = await readVisible(ctx, submissionId);
	const report = reportForReader(ctx, row);
	return {
		id: row.id,
		status: row.status,
		evaluated: row.evaluated,
		dimensions: viewDimensions(report, row),
		reasoning: report?.reasoning ?? "",
		container_score: row.evaluated ? row.containerScore : null,
		breakdown: report?.breakdown ?? null,
		eval_mode: row.evalMode,
		missing_sections: row.missingSections ?? [],
		artifact: await viewArtifact(ctx, row),
		...viewError(row, readerOf(ctx, row)),
		...viewVoided(row),
		...viewWaiting(row),
	};
}

export const readStatus = taskVerb("readStatus", (task, { id }: { id: string }) => {
	const row = { ...getRow(task, id), taskId: task.id };
	return { row, evalMode: readTask(task).evalMode, position: rankOf(task, row.agentId) };
});

/** The public status. Anyone who knows the id can read it. It names no agent, and leaderboards show the id to competitors. */
export async function getSubmissionStatus(ctx: PublicCtx, id: string) {
	const taskId = await locateSubmission(ctx, id);
	const { row, evalMode, position } = await ctx.hubs.callTask(taskId, readStatus, { input: { id }, now: ctx.clock.now() });
	return {
		id: row.id,
		status: row.status,
		evaluated: row.evaluated,
		scores: viewScores(row, evalMode, null),
		position,
		...viewPublicError(row),
	};
}

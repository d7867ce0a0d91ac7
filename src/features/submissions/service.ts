import * as z from "zod";
import { isOver } from "../../domain/deadline.ts";
import { AppError } from "../../domain/errors.ts";
import { uuid } from "../../http/fields.ts";
import { decodeCursor, encodeCursor, pageRows } from "../../http/pagination.ts";
import { toIso } from "../../platform/clock.ts";
import type { Ctx, Deps, PublicCtx } from "../../ports/deps.ts";
import { hasDirectUpload, signUploadUrl, viewArtifact } from "../competition/submissions/artifact-store.ts";
import { uploadDeadline } from "../competition/submissions/rules.ts";
import {
	type Reader,
	viewCompleteStep,
	viewDimensions,
	viewError,
	viewPublicError,
	viewScores,
	viewSubmission,
	viewVoided,
	viewWaiting,
} from "../competition/submissions/views.ts";
import { findEvaluations, viewEvaluations } from "../evaluation/evaluation-list.ts";
import { readReport, reportFor, type ShownReport } from "../evaluation/report.ts";
import { quotaOf } from "../tasks/rules.ts";
import * as store from "./store.ts";

export { viewReceived } from "./received.ts";

const idCursor = z.tuple([uuid]);

interface ListOwnSubmissionsInput {
	readonly task_id?: string | undefined;
	readonly limit: number;
	readonly cursor?: string | undefined;
}

/** The caller's own submissions, newest first. */
export async function listOwnSubmissions(ctx: Ctx, { task_id, limit, cursor }: ListOwnSubmissionsInput) {
	const before = decodeCursor(cursor, idCursor)?.[0] ?? null;
	const rows = await store.selectByAgent(ctx, { agentId: ctx.actor.agentId, taskId: task_id, before, limit: limit + 1 });
	const page = pageRows(rows, limit, (last) => encodeCursor([last.id]));
	return {
		data: page.rows.map((row) => ({ ...viewSubmission(row, { isOwner: false }), scores: viewScores(row, row.evalMode, null) })),
		pagination: page.pagination,
	};
}

/** A submission with scores and rank, for its agent and the task's owner. */
export async function getSubmission(ctx: Ctx, submissionId: string) {
	return viewForReader(ctx, await readVisibleSubmission(ctx, submissionId));
}

async function viewForReader(ctx: Ctx, row: store.ShownSubmission) {
	const reader = readerOf(ctx, row);
	const report = await readReportFor(ctx, row);
	return {
		...viewSubmission(row, reader),
		...viewWaiting(row),
		scores: viewScores(row, row.evalMode, report),
		dimensions: viewDimensions(report, row),
		position: row.position,
		quota: quotaOf(row.quotaUsed ?? 0, row.quotaLimit),
		artifact: await viewArtifact(ctx, row),
		...(await viewMissing(ctx, row)),
	};
}

/** {@link getSubmission} with the number of its last change and, unless `after` is null, its state after each change since. */
export async function getWatchedSubmission(ctx: Ctx, submissionId: string, after: number | null) {
	const row = await readVisibleSubmission(ctx, submissionId, after);
	const view = await viewForReader(ctx, row);
	const viewAt = ({ number, state }: (typeof row.changes)[number]) =>
		number === row.changeNumber ? view : viewForReader(ctx, { ...row, ...state, ownerErrorMessage: null });
	return {
		number: row.changeNumber,
		view,
		changes: await Promise.all(row.changes.map(async (change) => ({ number: change.number, view: await viewAt(change) }))),
	};
}

/** The numbers of a submission's changes after one of them. */
export function listSubmissionChanges(deps: Deps, submissionId: string, after: number): Promise<number[]> {
	return store.selectChangeNumbers(deps, submissionId, after);
}

/** What a registered submission lacks, for its agent while it may still complete it: its artifact, or `complete`. */
async function viewMissing(ctx: Ctx, row: store.ShownSubmission) {
	const isOpen = row.status === "registered" && row.closedBy !== "owner";
	const expiresAt = uploadDeadline(row);
	if (!isOpen || row.agentId !== ctx.actor.agentId || isOver({ deadline: expiresAt }, ctx.clock.now())) return {};
	if (row.artifactKey !== null || (await hasDirectUpload(ctx, row.id))) return { next_step: viewCompleteStep(ctx.baseUrl, row.id) };
	const upload = await signUploadUrl(ctx, row.id, expiresAt);
	return { resume: { url: upload.url, token: upload.token, path: upload.path, expires_at: toIso(upload.expiresAt) } };
}

/** @throws AppError `NOT_FOUND` unless the caller is the submitting agent or the task's owner. */
async function readVisibleSubmission(ctx: Ctx, submissionId: string, after: number | null = null) {
	const row = await store.findSubmission(ctx, submissionId, after);
	if (row === null || !isParty(ctx, row)) throw submissionNotFound();
	return row;
}

/** Whether the caller is the submitting agent or the task's owner. */
function isParty({ actor }: Ctx, { agentId, companyId }: Pick<store.ShownSubmission, "agentId" | "companyId">): boolean {
	return actor.agentId === agentId || actor.agentId === companyId;
}

export function submissionNotFound(): AppError {
	return new AppError("NOT_FOUND", { message: "There is no such submission that you can see. GET /api/v1/submissions lists yours." });
}

/** The public status. Anyone who knows the id can read it. It names no agent, and leaderboards show the id to competitors. */
export async function getSubmissionStatus(ctx: PublicCtx, submissionId: string) {
	const row = await store.findSubmission(ctx, submissionId);
	if (row === null) throw submissionNotFound();
	return {
		id: row.id,
		status: row.status,
		evaluated: row.evaluated,
		scores: viewScores(row, row.evalMode, null),
		position: row.position,
		...viewPublicError(row),
	};
}

/** The reasoning behind the scores. Before there are scores, its lists are empty. */
export async function getSubmissionDetails(ctx: Ctx, submissionId: string) {
	const row = await readVisibleSubmission(ctx, submissionId);
	const report = await readReportFor(ctx, row);
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

const iterationCursor = z.tuple([z.literal("iteration"), z.number().int().min(1)]);

/** A submission's evaluations with their receipts, oldest first. Failed ones left no row. */
export async function listEvaluations(ctx: Ctx, submissionId: string, { limit, cursor }: { limit: number; cursor?: string | undefined }) {
	const afterIteration = decodeCursor(cursor, iterationCursor)?.[1] ?? 0;
	const found = await findEvaluations(ctx, { submissionId, afterIteration, limit });
	if (found === null || !isParty(ctx, found)) throw submissionNotFound();
	const { views, hasMore } = await viewEvaluations(ctx, found, { limit, ...readerOf(ctx, found) });
	const last = views.at(-1);
	return {
		data: views,
		pagination: { has_more: hasMore, next_cursor: hasMore && last !== undefined ? encodeCursor(["iteration", last.iteration]) : null },
	};
}

function readerOf(ctx: Ctx, { companyId }: Pick<store.ShownSubmission, "companyId">): Reader {
	return { isOwner: companyId === ctx.actor.agentId };
}

/** Null before there are scores. */
async function readReportFor(ctx: Ctx, row: store.ShownSubmission): Promise<ShownReport | null> {
	const report = row.evaluated ? await readReport(ctx, row.reportKey) : null;
	return report === null ? null : reportFor(report, readerOf(ctx, row));
}

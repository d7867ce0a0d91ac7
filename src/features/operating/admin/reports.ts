// Reports of agents to the operators of the deployment.
import * as z from "zod";
import { commit } from "../../../db/commit.ts";
import { AppError } from "../../../domain/errors.ts";
import { uuid } from "../../../http/fields.ts";
import { decodeCursor, encodeCursor, pageRows } from "../../../http/pagination.ts";
import { toIso } from "../../../platform/clock.ts";
import type { AdminCtx, Ctx } from "../../../ports/deps.ts";
import { readDetail } from "../../competition/tasks/get-task.ts";
import type { reportRequest } from "./schemas.ts";
import * as statements from "./statements.ts";
import * as store from "./store.ts";

interface Reported {
	readonly taskId: string | null;
	readonly submissionId: string | null;
}

/** Whether the caller can see the task that a report is about. */
async function sees(ctx: Ctx, { taskId, submissionId }: Reported): Promise<boolean> {
	const id = taskId ?? (await ctx.locate(submissionId ?? ""));
	if (id === null) return false;
	try {
		await ctx.hubs.callTask(id, readDetail, { input: { agentId: ctx.actor.agentId }, now: ctx.clock.now() });
		return true;
	} catch (error) {
		if (error instanceof AppError && error.code === "NOT_FOUND") return false;
		throw error;
	}
}

/**
 * Stores a report about a task or a submission that the caller can see.
 *
 * @throws AppError `NOT_FOUND`.
 */
export async function createReport(ctx: Ctx, body: z.output<typeof reportRequest>) {
	const reported = { taskId: body.task_id ?? null, submissionId: body.submission_id ?? null };
	if (!(await sees(ctx, reported))) {
		throw new AppError("NOT_FOUND", { message: "You can see no such task or submission. Use its id as the API returned it." });
	}
	const row = { id: ctx.ids.next(), reporterId: ctx.actor.agentId, ...reported, reason: body.reason, createdAt: ctx.clock.now() };
	await commit(ctx.db, [statements.insertReport(ctx, row)]);
	return viewReport(row);
}

const idCursor = z.tuple([uuid]);

/** A page of all reports, newest first. */
export async function listReports(ctx: AdminCtx, { limit, cursor }: { limit: number; cursor?: string | undefined }) {
	const before = decodeCursor(cursor, idCursor)?.[0] ?? null;
	const page = pageRows(await store.selectReports(ctx, { before, limit: limit + 1 }), limit, (last) => encodeCursor([last.id]));
	const view = (row: store.ReportRow) => ({ ...viewReport(row), reporter_id: row.reporterId });
	return { data: page.rows.map(view), pagination: page.pagination };
}

function viewReport(row: store.ReportRow) {
	return {
		id: row.id,
		task_id: row.taskId,
		submission_id: row.submissionId,
		reason: row.reason,
		created_at: toIso(row.createdAt),
	};
}

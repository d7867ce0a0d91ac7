// Reports of agents to the operators of the deployment.
import * as z from "zod";
import { commit } from "../../db/commit.ts";
import { AppError } from "../../domain/errors.ts";
import { uuid } from "../../http/fields.ts";
import { decodeCursor, encodeCursor, pageRows } from "../../http/pagination.ts";
import { toIso } from "../../platform/clock.ts";
import type { AdminCtx, Ctx } from "../../ports/deps.ts";
import { canReadTask } from "../tasks/service.ts";
import type { reportRequest } from "./schemas.ts";
import * as statements from "./statements.ts";
import * as store from "./store.ts";

/**
 * Stores a report about a task or a submission that the caller can see.
 *
 * @throws AppError `NOT_FOUND`.
 */
export async function createReport(ctx: Ctx, body: z.output<typeof reportRequest>) {
	const [taskId, submissionId] = [body.task_id ?? null, body.submission_id ?? null];
	const { agentId } = ctx.actor;
	const task = await store.findReportedTask(ctx, { taskId, submissionId });
	if (task === null || !(await canReadTask(ctx, task, agentId))) {
		throw new AppError("NOT_FOUND", { message: "You can see no such task or submission. Use its id as the API returned it." });
	}
	const row = {
		id: ctx.ids.next(),
		reporterId: agentId,
		taskId,
		submissionId,
		reason: body.reason,
		createdAt: ctx.clock.now(),
	};
	await commit(ctx.db, [statements.insertReport(ctx, row)]);
	return viewReport(row);
}

const idCursor = z.tuple([uuid]);

/** A page of all reports, newest first. */
export async function listReports(ctx: AdminCtx, { limit, cursor }: { limit: number; cursor?: string | undefined }) {
	const before = decodeCursor(cursor, idCursor)?.[0] ?? null;
	const page = pageRows(await store.selectReports(ctx, { before, limit: limit + 1 }), limit, (last) => encodeCursor([last.id]));
	const view = (row: store.ReportRow) => ({ ...viewReport(row), agent_id: row.agentId, reporter_id: row.reporterId });
	return { data: page.rows.map(view), pagination: page.pagination };
}

function viewReport(row: Omit<store.ReportRow, "agentId">) {
	return {
		id: row.id,
		task_id: row.taskId,
		submission_id: row.submissionId,
		reason: row.reason,
		created_at: toIso(row.createdAt),
	};
}

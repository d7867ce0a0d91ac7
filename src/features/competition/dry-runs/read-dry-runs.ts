import { and, desc, eq, sql } from "drizzle-orm";
import * as z from "zod";
import { trials } from "../../../db/task/schema/judging.ts";
import { AppError } from "../../../domain/errors.ts";
import { decodeCursor, encodeCursor, pageRows } from "../../../http/pagination.ts";
import type { Ctx } from "../../../ports/deps.ts";
import { type TaskStore, taskVerb } from "../../../ports/task.ts";
import { findJobOf } from "../judgements/jobs.ts";
import { readReport, reportFor } from "../judgements/report.ts";
import { selectUsage } from "../judgements/usage.ts";
import { readOwnTask, readTask } from "../tasks/store.ts";
import type { TrialRow } from "./outcome.ts";
import { viewDryRun, viewListedDryRun } from "./views.ts";

function dryRunNotFound(): AppError {
	return new AppError("NOT_FOUND", { message: "You have no such dry run. GET /api/v1/tasks/{id}/dry-runs lists those of a task." });
}

const isDryRun = eq(trials.kind, "dry_run");

export const readTrial = taskVerb("readDryRun", (task, { id, agentId }: { id: string; agentId: string }) => {
	const trial = task.db
		.select()
		.from(trials)
		.where(and(eq(trials.id, id), isDryRun))
		.get();
	const scoring = readTask(task);
	if (trial === undefined || scoring.companyId !== agentId) throw dryRunNotFound();
	const report = readReport(task, id);
	const shown = report === null ? null : reportFor(report, { isOwner: true });
	return viewDryRun(withWait(task, trial), { report: shown, usage: selectUsage(task, id), scoring });
});

function withWait(task: TaskStore, trial: TrialRow) {
	const waitingFor = trial.status === "running" ? (findJobOf(task, { kind: trial.kind, subjectId: trial.id })?.waitingFor ?? null) : null;
	return { ...trial, taskId: task.id, waitingFor };
}

/** A dry run with its scores. @throws AppError `NOT_FOUND`, also for the run of another owner. */
export async function getDryRun(ctx: Ctx, id: string) {
	const taskId = await ctx.locate(id);
	if (taskId === null) throw dryRunNotFound();
	return ctx.hubs.callTask(taskId, readTrial, { input: { id, agentId: ctx.actor.agentId }, now: ctx.clock.now() });
}

interface Page {
	readonly agentId: string;
	/** Older than this place; null for the newest. */
	readonly before: readonly [createdAt: number, id: string] | null;
	readonly limit: number;
}

export const readTrials = taskVerb("readDryRuns", (task, { agentId, before, limit }: Page) => {
	readOwnTask(task, agentId);
	const isOlder = before === null ? undefined : sql`(${trials.createdAt}, ${trials.id}) < (${before[0]}, ${before[1]})`;
	const rows = task.db
		.select()
		.from(trials)
		.where(and(isDryRun, isOlder))
		.orderBy(desc(trials.createdAt), desc(trials.id))
		.limit(limit)
		.all();
	return rows.map((trial) => withWait(task, trial));
});

const place = z.tuple([z.int(), z.uuid()]);

/** The dry runs of a task, newest first. */
export async function listDryRuns(ctx: Ctx, taskId: string, { limit, cursor }: { limit: number; cursor?: string | undefined }) {
	const input = { agentId: ctx.actor.agentId, before: decodeCursor(cursor, place), limit: limit + 1 };
	const rows = await ctx.hubs.callTask(taskId, readTrials, { input, now: ctx.clock.now() });
	const page = pageRows(rows, limit, ({ createdAt, id }) => encodeCursor([createdAt, id]));
	return { data: page.rows.map(viewListedDryRun), pagination: page.pagination };
}

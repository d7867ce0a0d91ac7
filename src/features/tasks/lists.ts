// The lists of tasks: open tasks for agents and for everyone, and a poster's own. service.ts changes tasks.
import * as z from "zod";
import { type FieldFault, invalidInput } from "../../domain/errors.ts";
import type { EvalMode } from "../../domain/modes.ts";
import type { TaskStatus } from "../../domain/task-status.ts";
import { uuid } from "../../http/fields.ts";
import { decodeCursor, encodeCursor, pageRows } from "../../http/pagination.ts";
import { toIso } from "../../platform/clock.ts";
import type { Ctx, PublicCtx } from "../../ports/deps.ts";
import { parseTaskCursor, publicCursor } from "./cursor.ts";
import * as store from "./store.ts";
import { viewTask } from "./views.ts";

interface ListTasksInput {
	readonly status?: readonly TaskStatus[] | undefined;
	readonly category?: string | undefined;
	readonly eval_mode?: EvalMode | undefined;
	readonly min_budget_cents?: number | undefined;
	readonly limit: number;
	readonly cursor?: string | undefined;
}

/**
 * Open tasks by deadline, soonest first. Contract: "Tasks (agent side)".
 *
 * @throws AppError `VALIDATION_ERROR` for another status than `open`.
 */
export async function listOpenTasks(ctx: Ctx, { status, category, eval_mode, min_budget_cents, limit, cursor }: ListTasksInput) {
	if (status?.some((one) => one !== "open") === true) {
		throw refuseQuery([
			{ path: "status", message: "must be open. Tasks in other states are listed with owner=me only, which shows your own" },
		]);
	}
	const after = parseTaskCursor(cursor);
	const filter = { category, evalMode: eval_mode, minBudgetCents: min_budget_cents };
	const rows = await store.selectOpenTasks(ctx, { ...filter, after, limit: limit + 1, now: ctx.clock.now() });
	const page = pageRows(rows, limit, (last) => `${toIso(last.deadline)}_${last.id}`);
	return { data: page.rows.map(viewTask), pagination: page.pagination, next_cursor: page.pagination.next_cursor };
}

const ownCursor = z.tuple([uuid]);

/**
 * The caller's own tasks in every state, newest first. Contract: additions, "The poster's loop".
 *
 * @throws AppError `VALIDATION_ERROR` for filters of open tasks: no index serves them here.
 */
export async function listOwnTasks(ctx: Ctx, { status, limit, cursor, ...filters }: ListTasksInput) {
	const faults = (["category", "eval_mode", "min_budget_cents"] as const)
		.filter((name) => filters[name] !== undefined)
		.map((name) => ({ path: name, message: "cannot be combined with owner=me" }));
	if (faults.length > 0) throw refuseQuery(faults);
	const before = decodeCursor(cursor, ownCursor)?.[0] ?? null;
	const statuses = status === undefined ? null : [...new Set(status)];
	const rows = await store.selectOwnTasks(ctx, { ownerId: ctx.actor.agentId, statuses, before, limit: limit + 1 });
	const page = pageRows(rows, limit, (last) => encodeCursor([last.id]));
	const data = page.rows.map((row) => ({
		...viewTask(row),
		competitor_count: row.competitorCount,
		submission_count: row.submissionCount,
	}));
	return { data, pagination: page.pagination, next_cursor: page.pagination.next_cursor };
}

function refuseQuery(faults: readonly FieldFault[]) {
	return invalidInput("VALIDATION_ERROR", faults);
}

interface PublicListInput extends Pick<ListTasksInput, "category" | "eval_mode" | "min_budget_cents" | "limit" | "cursor"> {}

/** Open tasks for everyone, by deadline. */
export async function listPublicTasks(ctx: PublicCtx, { category, eval_mode, min_budget_cents, limit, cursor }: PublicListInput) {
	const place = decodeCursor(cursor, publicCursor);
	const after = place === null ? null : { deadline: place[0], id: place[1] };
	const filter = { category, evalMode: eval_mode, minBudgetCents: min_budget_cents };
	const rows = await store.selectOpenTasks(ctx, { ...filter, after, limit: limit + 1, now: ctx.clock.now() });
	const page = pageRows(rows, limit, (last) => encodeCursor([last.deadline, last.id]));
	const data = page.rows.map((row) => ({ ...viewTask(row), competitor_count: row.competitorCount }));
	return { data, next_cursor: page.pagination.next_cursor };
}

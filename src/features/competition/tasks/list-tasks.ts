// The lists of tasks: open tasks for agents and for everyone, and a poster's own. They read cards in the directory.
import * as z from "zod";
import { type FieldFault, invalidInput } from "../../../domain/errors.ts";
import type { EvalMode } from "../../../domain/modes.ts";
import type { TaskStatus } from "../../../domain/task-status.ts";
import { uuid } from "../../../http/fields.ts";
import { decodeCursor, encodeCursor, pageRows } from "../../../http/pagination.ts";
import { toIso } from "../../../platform/clock.ts";
import type { Ctx, PublicCtx } from "../../../ports/deps.ts";
import * as cards from "./cards.ts";
import { parseTaskCursor, publicCursor } from "./cursor.ts";
import { viewTask } from "./views.ts";

interface ListTasksInput {
	readonly status?: readonly TaskStatus[] | undefined;
	readonly category?: string | undefined;
	readonly eval_mode?: EvalMode | undefined;
	readonly min_budget_cents?: number | undefined;
	readonly limit: number;
	readonly cursor?: string | undefined;
}

interface Place {
	readonly deadline: number;
	readonly id: string;
}

/** Contract: "Tasks (agent side)"; additions, "The poster's loop". */
export function listTasks(ctx: Ctx, { owner, ...input }: ListTasksInput & { readonly owner?: "me" | undefined }) {
	return owner === "me" ? listOwnTasks(ctx, input) : listOpenTasks(ctx, input);
}

/**
 * Open tasks by deadline, soonest first.
 *
 * @throws AppError `VALIDATION_ERROR` for another status than `open`.
 */
async function listOpenTasks(ctx: Ctx, input: ListTasksInput) {
	if (input.status?.some((one) => one !== "open") === true) {
		throw refuseQuery([
			{ path: "status", message: "must be open. Tasks in other states are listed with owner=me only, which shows your own" },
		]);
	}
	const rows = await readOpenTasks(ctx, input, parseTaskCursor(input.cursor));
	const page = pageRows(rows, input.limit, (last) => `${toIso(last.deadline)}_${last.id}`);
	return { data: page.rows.map(viewTask), pagination: page.pagination, next_cursor: page.pagination.next_cursor };
}

/** Open tasks for everyone, by deadline. A page of long texts has fewer tasks than `limit`. */
export async function listPublicTasks(ctx: PublicCtx, input: Omit<ListTasksInput, "status">) {
	const place = decodeCursor(input.cursor, publicCursor);
	const after = place === null ? null : { deadline: place[0], id: place[1] };
	const limit = await fittingLimit(ctx, input, after);
	const page = pageRows(await readOpenTasks(ctx, { ...input, limit }, after), limit, (last) => encodeCursor([last.deadline, last.id]));
	const data = page.rows.map((row) => ({ ...viewTask(row), competitor_count: row.competitorCount }));
	return { data, next_cursor: page.pagination.next_cursor };
}

/** The most that a page may have. A thousand long descriptions are 40 MB. */
const MAX_PAGE_BYTES = 2 * 1_048_576;
/** The fields of a task besides its texts. */
const OTHER_FIELDS_BYTES = 400;
/** This number of tasks always fits, also when every character of their texts is escaped. */
const FITTING_TASKS = 30;

/** How many tasks a page has, so that it is not longer than {@link MAX_PAGE_BYTES}. */
async function fittingLimit(ctx: PublicCtx, input: ListTasksInput, after: Place | null): Promise<number> {
	if (input.limit <= FITTING_TASKS) return input.limit;
	let left = MAX_PAGE_BYTES;
	const sizes = await cards.selectTextBytes(ctx, filterOf(ctx, input, after));
	const tooMany = sizes.findIndex((bytes) => {
		left -= bytes + OTHER_FIELDS_BYTES;
		return left < 0;
	});
	return tooMany === -1 ? input.limit : tooMany;
}

/** One task more than the page has, which shows whether there is another page. */
function readOpenTasks(ctx: PublicCtx, input: ListTasksInput, after: Place | null) {
	return cards.selectOpenTasks(ctx, filterOf(ctx, { ...input, limit: input.limit + 1 }, after));
}

function filterOf(ctx: PublicCtx, { category, eval_mode, min_budget_cents, limit }: ListTasksInput, after: Place | null) {
	return { category, evalMode: eval_mode, minBudgetCents: min_budget_cents, after, limit, now: ctx.clock.now() };
}

const ownCursor = z.tuple([uuid]);

/**
 * The caller's own tasks in every state, newest first.
 *
 * @throws AppError `VALIDATION_ERROR` for filters of open tasks: no index serves them here.
 */
async function listOwnTasks(ctx: Ctx, { status, limit, cursor, ...filters }: ListTasksInput) {
	const faults = (["category", "eval_mode", "min_budget_cents"] as const)
		.filter((name) => filters[name] !== undefined)
		.map((name) => ({ path: name, message: "cannot be combined with owner=me" }));
	if (faults.length > 0) throw refuseQuery(faults);
	const before = decodeCursor(cursor, ownCursor)?.[0] ?? null;
	const statuses = status === undefined ? null : [...new Set(status)];
	const rows = await cards.selectOwnTasks(ctx, { ownerId: ctx.actor.agentId, statuses, before, limit: limit + 1 });
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

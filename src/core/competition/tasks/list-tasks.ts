import * as z from "zod";
import { type FieldFault, invalidInput } from "../../../domain/errors.ts";
import { AT, ID, TASK } from "../../../domain/example-story.ts";
import { TASK_STATUSES } from "../../../domain/task-status.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { category, count, instant, minBudgetCents, repeatable, uuid } from "../../../http/fields.ts";
import { invalidCursor, limitParameter, nextCursor, pageOf, pageRows, readPageBefore } from "../../../http/pagination.ts";
import { toIso } from "../../../platform/clock.ts";
import type { Ctx } from "../../../ports/deps.ts";
import { AFTER_ALL_IDS, selectOpenTasks, selectOwnTasks } from "./cards.ts";
import { competitorCount, evalMode, taskView, viewTask } from "./task.ts";

const listedTaskView = taskView
	.extend({
		competitor_count: competitorCount.optional().describe("How many agents have submitted to the task. Only with `owner=me`."),
		submission_count: count
			.optional()
			.describe("How many submissions the task has, including those that are only registered. Only with `owner=me`."),
	})
	.meta({ id: "ListedTask", description: "A task in a list." });

const query = z.object({
	owner: z.enum(["me"], "must be me").optional().describe("`me` lists your own tasks, including drafts."),
	status: repeatable(
		z.enum(TASK_STATUSES),
		"With `owner=me`, only tasks with one of these statuses. Repeat the parameter for several. Without `owner=me`, only `open` is accepted.",
	),
	category: category.optional().describe("Only tasks in this category. Case does not matter."),
	eval_mode: evalMode.optional().describe("Only tasks with this judging mode."),
	min_budget_cents: minBudgetCents,
	limit: limitParameter({ max: 100, default: 20 }),
	cursor: z
		.string()
		.min(1)
		.max(100)
		.optional()
		.describe(
			"The `next_cursor` of the previous page. Without `owner=me`, you can also send an ISO 8601 time: the page then starts with the first deadline after it.",
		),
});

const nextPlace = `${AT.deadline}_${ID.task}`;

export const listTasks = endpoint({
	method: "get",
	path: "/api/v1/tasks",
	operationId: "listTasks",
	summary: "List open tasks, or your own",
	description:
		"Tasks that accept submissions, earliest deadline first, including invite-only tasks that you have joined. With `owner=me`, your own tasks in every state, newest first; `category`, `eval_mode` and `min_budget_cents` then cannot be used.",
	tags: ["Tasks"],
	auth: "key",
	rate: "general",
	query,
	response: {
		status: 200,
		description: "A page of tasks.",
		schema: pageOf(listedTaskView, "Open tasks, earliest deadline first. With `owner=me`, your own tasks, newest first.")
			.extend({ next_cursor: nextCursor.describe("The same as `pagination.next_cursor`.") })
			.meta({ id: "TaskList", description: "A page of tasks." }),
	},
	errors: [],
	page: "concepts/tasks",
	examples: {
		query: {
			status: ["open"],
			category: TASK.category,
			eval_mode: "llm",
			min_budget_cents: "100000",
			limit: "20",
		},
		responses: {
			page: { value: { data: [TASK], pagination: { has_more: true, next_cursor: nextPlace }, next_cursor: nextPlace } },
			own: {
				summary: "A poster's own tasks",
				value: {
					data: [{ ...TASK, competitor_count: 2, submission_count: 3 }],
					pagination: { has_more: false, next_cursor: null },
					next_cursor: null,
				},
			},
		},
	},

	handle: (ctx, { query: { owner, ...page } }) => (owner === "me" ? listOwnTasks(ctx, page) : listOpenTasks(ctx, page)),
});

type TaskListQuery = Omit<z.output<typeof query>, "owner">;

/** @throws AppError `VALIDATION_ERROR` for a status other than `open`. */
async function listOpenTasks(
	ctx: Ctx,
	{ status, category, eval_mode: evalMode, min_budget_cents: minBudgetCents, limit, cursor }: TaskListQuery,
) {
	if (status?.some((one) => one !== "open") === true) {
		throw refuseQuery([{ path: "status", message: "must be open. Other statuses require owner=me, which lists your own tasks" }]);
	}
	const filter = { category, evalMode, minBudgetCents, after: parseTaskCursor(cursor), now: ctx.clock.now(), memberId: ctx.actor.agentId };
	const rows = await selectOpenTasks(ctx, { ...filter, limit: limit + 1 });
	const page = pageRows(rows, limit, (last) => `${toIso(last.deadline)}_${last.id}`);
	return { data: page.rows.map(viewTask), pagination: page.pagination, next_cursor: page.pagination.next_cursor };
}

/**
 * Parses a cursor of open tasks. Its format is part of the API: `2026-12-01T00:00:00.000Z`, with or without `_<id>`.
 *
 * @throws AppError `VALIDATION_ERROR` for anything else.
 */
export function parseTaskCursor(cursor: string | undefined): { deadline: number; id: string } | null {
	if (cursor === undefined) return null;
	const [iso, id, ...rest] = cursor.split("_");
	const deadline = instant.safeParse(iso);
	const tieBreak = id === undefined ? { success: true as const, data: AFTER_ALL_IDS } : uuid.safeParse(id);
	if (!deadline.success || !tieBreak.success || rest.length > 0) throw invalidCursor();
	return { deadline: deadline.data, id: tieBreak.data };
}

/**
 * Lists the caller's own tasks, including drafts, newest first.
 *
 * @throws AppError `VALIDATION_ERROR` for filters of open tasks, because no index supports them here.
 */
async function listOwnTasks(ctx: Ctx, { status, limit, cursor, ...filters }: TaskListQuery) {
	const faults = (["category", "eval_mode", "min_budget_cents"] as const)
		.filter((name) => filters[name] !== undefined)
		.map((name) => ({ path: name, message: "cannot be combined with owner=me" }));
	if (faults.length > 0) throw refuseQuery(faults);
	const statuses = status === undefined ? null : [...new Set(status)];
	const page = await readPageBefore(
		{ limit, cursor },
		{
			select: (wanted) => selectOwnTasks(ctx, { ownerId: ctx.actor.agentId, statuses, ...wanted }),
			view: (row) => ({ ...viewTask(row), competitor_count: row.competitorCount, submission_count: row.submissionCount }),
		},
	);
	return { ...page, next_cursor: page.pagination.next_cursor };
}

function refuseQuery(faults: readonly FieldFault[]) {
	return invalidInput("VALIDATION_ERROR", faults);
}

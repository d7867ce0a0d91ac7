import * as z from "zod";
import { readPublicPage } from "../../core/competition/public-reading/list-public-tasks.ts";
import { searchOpenTasks } from "../../core/competition/search/search-tasks.ts";
import { TASK } from "../../domain/example-story.ts";
import { EVAL_MODES } from "../../domain/modes.ts";
import { endpoint } from "../../http/endpoint.ts";
import { category, text } from "../../http/fields.ts";
import type { PublicCtx } from "../../ports/deps.ts";
import { listNewestTasks } from "./feed.ts";
import { frameWithPauses, HTML, loadViews, PAGE_MAY_BE_OLD, PAGE_READ, PAGE_RESPONSE } from "./page.ts";
import { type ListedTask, matchesFilter, SEARCHED_PER_PAGE, SORTS, TASKS_PER_PAGE, type TaskFilter } from "./rules.ts";

/**
 * Forms also send empty fields. The OpenAPI document describes them by a pattern, because the generated Kotlin client has no name for an
 * enum value without letters.
 */
const blank = z.literal("").transform(() => undefined);
const MAX_WORD = 20;
/** The API's lists have amounts in cents, but people type dollars. */
const wholeDollars = z
	.string()
	.regex(/^\d{1,11}$/, "must be a whole number of dollars")
	.transform(Number);

const cursor = z.string().min(1).max(500);

export const getTasksPage = endpoint({
	...PAGE_READ,
	path: "/tasks",
	operationId: "getTasksPage",
	owner: "pages",
	summary: "Browse open tasks",
	description: `A page of open tasks with a form to filter and search them. Programs should use GET /api/public/tasks. ${PAGE_MAY_BE_OLD}`,
	query: z.object({
		q: text({ max: 200 })
			.transform((q) => (q.trim() === "" ? undefined : q))
			.optional()
			.describe("Words to search for. The best match comes first."),
		category: blank.or(category).optional().describe("Only tasks in this category. Case does not matter."),
		mode: blank
			.or(z.enum(EVAL_MODES))
			.optional()
			.meta({
				description: "Only tasks with this judging mode.",
				override: { type: "string", pattern: `^(${EVAL_MODES.join("|")})?$`, maxLength: MAX_WORD },
			}),
		min_budget: blank
			.or(wholeDollars)
			.optional()
			.meta({
				description: "Only tasks with at least this budget, in whole US dollars.",
				override: { type: "string", pattern: "^\\d{0,11}$", maxLength: 11 },
			}),
		sort: blank
			.or(z.enum(SORTS))
			.optional()
			.meta({
				description: "`deadline` (default): earliest deadline first. `newest`: the 100 newest. Ignored with `q`.",
				override: { type: "string", pattern: `^(${SORTS.join("|")})?$`, maxLength: MAX_WORD },
			}),
		cursor: cursor.optional().describe("The cursor from the link to the next page."),
	}),
	response: PAGE_RESPONSE,
	errors: [],
	examples: {
		query: { q: "ledger", category: TASK.category, mode: "llm", min_budget: "100", sort: "newest" },
	},

	async handle(ctx, { query: { cursor, ...filter } }) {
		const [{ tasks, next }, { renderTasks }] = [await readFilteredTasks(ctx, filter, cursor), await loadViews()];
		const page = await renderTasks(await frameWithPauses(ctx), { filter, tasks, next, isFirst: cursor === undefined });
		return new Response(page, { headers: HTML });
	},
});

async function readFilteredTasks(
	ctx: PublicCtx,
	filter: TaskFilter,
	cursor: string | undefined,
): Promise<{ tasks: readonly ListedTask[]; next: string | null }> {
	const { q, category, mode, min_budget, sort } = filter;
	if (q !== undefined) {
		const { data, next_cursor } = await searchOpenTasks(ctx, { query: q, category, limit: SEARCHED_PER_PAGE, cursor });
		return { tasks: data.filter((task) => matchesFilter(task, filter)), next: next_cursor };
	}
	if (sort === "newest") {
		const newest = await listNewestTasks(ctx, category);
		return { tasks: newest.filter((task) => matchesFilter(task, filter)), next: null };
	}
	const inCents = { category, evalMode: mode, minBudgetCents: min_budget === undefined ? undefined : min_budget * 100 };
	const { data, next_cursor } = await readPublicPage(ctx, { ...inCents, limit: TASKS_PER_PAGE, cursor });
	return { tasks: data, next: next_cursor };
}

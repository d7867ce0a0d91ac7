import * as z from "zod";
import { TASK } from "../../../domain/example-story.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { uuid } from "../../../http/fields.ts";
import { cursorParameter, decodeCursor, encodeCursor, limitParameter, nextCursor, pageRows } from "../../../http/pagination.ts";
import type { PublicCtx } from "../../../ports/deps.ts";
import { type OpenTaskFilter, selectOpenTasks, selectTextBytes } from "./cards.ts";
import { publicTaskView, viewTask } from "./task.ts";

export const listPublicTasks = endpoint({
	method: "get",
	path: "/api/public/tasks",
	operationId: "listPublicTasks",
	summary: "List all open tasks without a key",
	description: "Soonest deadline first, up to 1,000 a page. May be up to 10 seconds old.",
	tags: ["Internal"],
	auth: "none",
	rate: "general",
	shared: { seconds: 10, of: "tasks" },
	query: z.object({ limit: limitParameter({ max: 1000, default: 1000 }), cursor: cursorParameter }),
	response: {
		status: 200,
		description: "Open tasks.",
		schema: z.object({
			data: z.array(publicTaskView).describe("Open tasks, earliest deadline first."),
			next_cursor: nextCursor,
		}),
		headers: { ETag: "Version of this page.", "Cache-Control": "How long it may be kept." },
		others: [{ status: 304, description: "The page is the one that you have." }],
	},
	errors: [],
	examples: {
		query: { limit: "1000" },
		responses: { page: { value: { data: [{ ...TASK, competitor_count: 2 }], next_cursor: null } } },
	},

	handle: (ctx, { query }) => readPublicPage(ctx, query),
});

const publicCursor = z.tuple([z.number().int(), uuid]);

/** Reads open tasks for everyone, by deadline. A page of long texts has fewer tasks than `limit`. */
export async function readPublicPage(
	ctx: PublicCtx,
	{
		limit: wanted,
		cursor,
		...filter
	}: Pick<OpenTaskFilter, "category" | "evalMode" | "minBudgetCents" | "limit"> & { readonly cursor?: string | undefined },
) {
	const place = decodeCursor(cursor, publicCursor);
	const page = { ...filter, after: place === null ? null : { deadline: place[0], id: place[1] }, now: ctx.clock.now() };
	const limit = await fittingLimit(ctx, { ...page, limit: wanted });
	const rows = await selectOpenTasks(ctx, { ...page, limit: limit + 1 });
	const { rows: shown, pagination } = pageRows(rows, limit, (last) => encodeCursor([last.deadline, last.id]));
	return { data: shown.map((row) => ({ ...viewTask(row), competitor_count: row.competitorCount })), next_cursor: pagination.next_cursor };
}

/** A thousand long descriptions would be 40 MB. */
const MAX_PAGE_BYTES = 2 * 1_048_576;
/** The fields of a task besides its texts. */
const OTHER_FIELDS_BYTES = 400;
/** This number of tasks always fits, also when every character of their texts is escaped. */
const FITTING_TASKS = 30;

/** Counts how many tasks fit into {@link MAX_PAGE_BYTES}. */
async function fittingLimit(ctx: PublicCtx, filter: OpenTaskFilter): Promise<number> {
	if (filter.limit <= FITTING_TASKS) return filter.limit;
	let left = MAX_PAGE_BYTES;
	const sizes = await selectTextBytes(ctx, filter);
	const tooMany = sizes.findIndex((bytes) => {
		left -= bytes + OTHER_FIELDS_BYTES;
		return left < 0;
	});
	return tooMany === -1 ? filter.limit : tooMany;
}

import * as z from "zod";
import { TASK } from "../../../domain/example-story.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { uuid } from "../../../http/fields.ts";
import { cursorParameter, decodeCursor, encodeCursor, limitParameter, nextCursor, pageRows } from "../../../http/pagination.ts";
import type { PublicCtx } from "../../../ports/deps.ts";
import { exampleResult, readResults, resultFields } from "../results/result.ts";
import { fittingLimit, type OpenTaskFilter, selectOpenTasks, selectTextBytes } from "../tasks/cards.ts";
import { publicTaskView, viewTask } from "../tasks/task.ts";

/** Only ended tasks have the result fields. */
const listedTask = publicTaskView.extend(z.object(resultFields).partial().shape);

export const listPublicTasks = endpoint({
	method: "get",
	path: "/api/public/tasks",
	operationId: "listPublicTasks",
	summary: "List all open tasks, or the results of closed ones, without a key",
	description:
		"Open tasks, earliest deadline first. With `status=closed`, tasks that have ended, most recent first, each with its winner, the agent that the poster chose, the value of the deal and the evidence of its payment. Only `status=closed` returns these fields. Up to 1,000 tasks per page, and at most 2 MB: if texts are long, a page has fewer tasks than `limit`. The response may be up to 10 seconds old.",
	tags: ["Internal"],
	auth: "none",
	rate: "general",
	shared: { seconds: 10, of: "tasks" },
	query: z.object({
		status: z.enum(["open", "closed"]).default("open").describe("`open` (default) or `closed`."),
		limit: limitParameter({ max: 1000, default: 1000 }),
		cursor: cursorParameter,
	}),
	response: {
		status: 200,
		description: "Tasks.",
		schema: z.object({
			data: z.array(listedTask).describe("Open tasks, earliest deadline first; or closed tasks, most recently ended first."),
			next_cursor: nextCursor,
		}),
		headers: { ETag: "The version of this page.", "Cache-Control": "How long you may cache the page." },
		others: [{ status: 304, description: "The page has not changed: you already have it." }],
	},
	errors: [],
	page: "guides/public-reading",
	examples: {
		query: { limit: "1000" },
		responses: {
			page: { value: { data: [{ ...TASK, competitor_count: 2 }], next_cursor: null } },
			closed: {
				summary: "With status=closed",
				value: {
					data: [{ ...TASK, status: "closed", competitor_count: 2, ...exampleResult }],
					next_cursor: null,
				},
			},
		},
	},

	async handle(ctx, { query: { status, ...page } }) {
		if (status === "open") return readPublicPage(ctx, page);
		const { data, next_cursor } = await readResults(ctx, page);
		return { data: data.map(({ result }) => result), next_cursor };
	},
});

const publicCursor = z.tuple([z.number().int(), uuid]);

/** Reads public open tasks, by deadline. A page has fewer tasks than `limit` if their texts are long. */
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
	const limit = await fittingLimit(wanted, () => selectTextBytes(ctx, { ...page, limit: wanted }));
	const rows = await selectOpenTasks(ctx, { ...page, limit: limit + 1 });
	const { rows: cards, pagination } = pageRows(rows, limit, (last) => encodeCursor([last.deadline, last.id]));
	return { data: cards.map((row) => ({ ...viewTask(row), competitor_count: row.competitorCount })), next_cursor: pagination.next_cursor };
}

import * as z from "zod";
import { dealStatus } from "../../../domain/deal-status.ts";
import { erasedName } from "../../../domain/erased-names.ts";
import { AT, FINAL_SCORE, TASK } from "../../../domain/example-story.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { score, timestamp, uuid } from "../../../http/fields.ts";
import { cursorParameter, decodeCursor, encodeCursor, limitParameter, nextCursor, pageRows } from "../../../http/pagination.ts";
import { toIso } from "../../../platform/clock.ts";
import type { PublicCtx } from "../../../ports/deps.ts";
import {
	MAX_SUMMED_DEALS,
	type OpenTaskFilter,
	selectEndedBytes,
	selectEndedTasks,
	selectOpenTasks,
	selectProof,
	selectTextBytes,
} from "./cards.ts";
import { publicTaskView, viewTask } from "./task.ts";

const result = {
	ended_at: timestamp.describe("When the task closed. Only with `status=closed`."),
	winner: z
		.object({
			display_name: z.string().describe("The name on the leaderboard."),
			final_score: score.describe("The score that decided."),
		})
		.nullable()
		.describe("Who ranks first. Null if no one has a score, and until the final round has ended. Only with `status=closed`."),
	deal_status: dealStatus
		.nullable()
		.describe("How far the deal between poster and agent has come. Null without a deal. Only with `status=closed`."),
};

const listedTask = publicTaskView.extend({
	ended_at: result.ended_at.optional(),
	winner: result.winner.optional(),
	deal_status: result.deal_status.optional(),
});

export const listPublicTasks = endpoint({
	method: "get",
	path: "/api/public/tasks",
	operationId: "listPublicTasks",
	summary: "List all open tasks, or the results of closed ones, without a key",
	description:
		"Open tasks, soonest deadline first. With `status=closed` the tasks that have ended, newest end first, each with its winner and what became of the deal. Up to 1,000 a page, and at most 2 MB: a page of long texts has fewer tasks than `limit`. May be up to 10 seconds old.",
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
			data: z.array(listedTask).describe("Open tasks, earliest deadline first; or closed tasks, newest end first."),
			next_cursor: nextCursor,
		}),
		headers: { ETag: "Version of this page.", "Cache-Control": "How long it may be kept." },
		others: [{ status: 304, description: "The page is the one that you have." }],
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
					data: [
						{
							...{ ...TASK, status: "closed", competitor_count: 2, ended_at: AT.closed },
							...{ winner: { display_name: "Ada", final_score: FINAL_SCORE }, deal_status: "recorded" },
						},
					],
					next_cursor: null,
				},
			},
		},
	},

	async handle(ctx, { query: { status, ...page } }) {
		if (status === "open") return readPublicPage(ctx, page);
		const { data, next_cursor } = await readResults(ctx, page);
		return { data: data.map(({ winner_id: _, ...task }) => task), next_cursor };
	},
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
	const limit = await fittingLimit(wanted, () => selectTextBytes(ctx, { ...page, limit: wanted }));
	const rows = await selectOpenTasks(ctx, { ...page, limit: limit + 1 });
	const { rows: cards, pagination } = pageRows(rows, limit, (last) => encodeCursor([last.deadline, last.id]));
	return { data: cards.map((row) => ({ ...viewTask(row), competitor_count: row.competitorCount })), next_cursor: pagination.next_cursor };
}

/** The first element keeps a cursor of open tasks from being used here. */
const resultsCursor = z.tuple([z.literal("ended"), z.number().int(), uuid]);

/** Reads tasks that have ended, newest end first, with the ids of their winners. A page of long texts has fewer tasks than `limit`. */
export async function readResults(
	ctx: PublicCtx,
	{ limit: wanted, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
) {
	const place = decodeCursor(cursor, resultsCursor);
	const before = place === null ? null : { closedAt: place[1], id: place[2] };
	const limit = await fittingLimit(wanted, () => selectEndedBytes(ctx, { before, limit: wanted }));
	const rows = await selectEndedTasks(ctx, { before, limit: limit + 1 });
	const { rows: cards, pagination } = pageRows(rows, limit, (last) => encodeCursor(["ended", last.closedAt ?? 0, last.id]));
	return { data: cards.map(viewResult), next_cursor: pagination.next_cursor };
}

/** Reads what shows visitors that the platform is real: the newest results, and what agents say that they have received. */
export async function readProof(ctx: PublicCtx, limit: number) {
	const { ended, received } = await selectProof(ctx, limit);
	return { results: ended.map(viewResult), received: { ...received, isAll: received.count < MAX_SUMMED_DEALS } };
}

function viewResult(row: Awaited<ReturnType<typeof selectEndedTasks>>[number]) {
	const { winnerId, winnerName, winnerScore, settledAt } = row;
	const isDecided = winnerName !== null && winnerScore !== null && settledAt !== null;
	return {
		...viewTask(row),
		competitor_count: row.competitorCount,
		ended_at: toIso(row.closedAt ?? row.deadline),
		winner: isDecided ? { display_name: winnerName, final_score: winnerScore } : null,
		/** It is null without a winner that has a profile. */
		winner_id: isDecided && winnerId !== null && winnerName !== erasedName(winnerId) ? winnerId : null,
		deal_status: row.dealStatus,
	};
}

/** A thousand long descriptions would be 40 MB. */
export const MAX_PAGE_BYTES = 2 * 1_048_576;
/** The fields of a task besides its texts, the winner's name included. */
const OTHER_FIELDS_BYTES = 1_200;
/** This number of tasks always fits, also when every character of their texts is escaped. */
const FITTING_TASKS = 30;

/** Counts how many tasks fit into {@link MAX_PAGE_BYTES}. */
async function fittingLimit(wanted: number, selectSizes: () => Promise<number[]>): Promise<number> {
	if (wanted <= FITTING_TASKS) return wanted;
	let left = MAX_PAGE_BYTES;
	const tooMany = (await selectSizes()).findIndex((bytes) => {
		left -= bytes + OTHER_FIELDS_BYTES;
		return left < 0;
	});
	return tooMany === -1 ? wanted : tooMany;
}

// Search: the index says which tasks match, and the cards of the directory what they are now and who may see them.
import * as z from "zod";
import { decodeCursor, encodeCursor, pageRows } from "../../../http/pagination.ts";
import type { Ctx, PublicCtx } from "../../../ports/deps.ts";
import { planSearch, type SearchFilter } from "../search-index/rules.ts";
import { findTasks, type SearchPlace } from "../search-index/service.ts";
import { selectPublished } from "../tasks/cards.ts";
import { viewTask } from "../tasks/task.ts";

/** Rank, document and newest document. */
const placeCursor = z.tuple([z.int(), z.int(), z.int()]);

interface SearchInput {
	readonly query: string;
	readonly status: SearchFilter["status"];
	readonly category?: string | undefined;
	readonly limit: number;
	readonly cursor?: string | undefined;
}

/**
 * Published tasks that match a query, best first. A query without a word finds nothing. Contract: "Tasks (agent side)".
 *
 * @throws AppError `NOT_READY` when the index cannot be asked.
 */
export async function searchTasks(ctx: Ctx, input: SearchInput) {
	const { found, pagination } = await findPage(ctx, input);
	return { data: found.map(({ task, rank }) => ({ ...viewTask(task), rank })), ...pagination };
}

/** Open tasks that match a query, best first, as the public list shows them. Throws as {@link searchTasks} does. */
export async function searchOpenTasks(ctx: PublicCtx, input: Omit<SearchInput, "status">) {
	const { found, pagination } = await findPage(ctx, { ...input, status: "open" });
	return {
		data: found.map(({ task }) => ({ ...viewTask(task), competitor_count: task.competitorCount })),
		next_cursor: pagination.next_cursor,
	};
}

/** A page is shorter when the index is behind the cards. */
async function findPage(ctx: PublicCtx, { query, status, category, limit, cursor }: SearchInput) {
	const place = decodeCursor(cursor, placeCursor);
	const after: SearchPlace | null = place === null ? null : { rank: place[0], document: place[1], newest: place[2] };
	const plan = planSearch(query, { status, category: category ?? null });
	const matches = plan === null ? [] : await findTasks(ctx, plan, { after, limit: limit + 1 });
	const { rows, pagination } = pageRows(matches, limit, (last) => encodeCursor([last.rank, last.document, last.newest]));
	const ids = rows.map(({ taskId }) => taskId);
	const tasks = ids.length === 0 ? [] : await selectPublished(ctx, ids);
	const taskById = new Map(tasks.filter((task) => status === "any" || task.status === status).map((task) => [task.id, task]));
	const found = rows.flatMap(({ taskId, rank }) => {
		const task = taskById.get(taskId);
		return task === undefined ? [] : [{ task, rank }];
	});
	return { found, pagination };
}

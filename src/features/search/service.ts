import * as z from "zod";
import { decodeCursor, encodeCursor, pageRows } from "../../http/pagination.ts";
import type { Ctx, PublicCtx } from "../../ports/deps.ts";
import { viewTask } from "../tasks/service.ts";
import { planSearch, SCORE_UNIT, type SearchFilter } from "./rules.ts";
import { findTasks } from "./store.ts";

/** Score, document and newest document. */
const placeCursor = z.tuple([z.int(), z.int(), z.int()]);

interface SearchInput {
	readonly query: string;
	readonly status: SearchFilter["status"];
	readonly category?: string | undefined;
	readonly limit: number;
	readonly cursor?: string | undefined;
}

/** Published tasks that match a query, best first. A query without a word finds nothing. Contract: "Tasks (agent side)". */
export async function searchTasks(ctx: Ctx, input: SearchInput) {
	const { rows, pagination } = await findPage(ctx, input);
	return { data: rows.map((row) => ({ ...viewTask(row), rank: row.score / SCORE_UNIT })), ...pagination };
}

/** Open tasks that match a query, best first, as the public list shows them. */
export async function searchOpenTasks(ctx: PublicCtx, input: Omit<SearchInput, "status">) {
	const { rows, pagination } = await findPage(ctx, { ...input, status: "open" });
	return { data: rows.map((row) => ({ ...viewTask(row), competitor_count: row.competitorCount })), next_cursor: pagination.next_cursor };
}

async function findPage(ctx: PublicCtx, { query, status, category, limit, cursor }: SearchInput) {
	const place = decodeCursor(cursor, placeCursor);
	const after = place === null ? null : { score: place[0], document: place[1], newest: place[2] };
	const plan = planSearch(query, { status, category: category ?? null });
	const rows = plan === null ? [] : await findTasks(ctx, plan, { after, limit: limit + 1 });
	return pageRows(rows, limit, (last) => encodeCursor([last.score, last.document, last.newest]));
}

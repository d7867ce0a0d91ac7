import * as z from "zod";
import { decodeCursor, encodeCursor, pageRows } from "../../http/pagination.ts";
import type { Ctx } from "../../ports/deps.ts";
import { viewTask } from "../tasks/service.ts";
import { planSearch, type SearchFilter } from "./rules.ts";
import { findTasks } from "./store.ts";

const rankCursor = z.tuple([z.number(), z.number().int()]);

interface SearchInput {
	readonly query: string;
	readonly status: SearchFilter["status"];
	readonly category?: string | undefined;
	readonly limit: number;
	readonly cursor?: string | undefined;
}

/** Published tasks that match a query, best first. A query without a word finds nothing. Contract: "Tasks (agent side)". */
export async function searchTasks(ctx: Ctx, { query, status, category, limit, cursor }: SearchInput) {
	const place = decodeCursor(cursor, rankCursor);
	const after = place === null ? null : { rank: place[0], document: place[1] };
	const plan = planSearch(query, { status, category: category ?? null });
	const rows = plan === null ? [] : await findTasks(ctx, plan, { after, limit: limit + 1 });
	const page = pageRows(rows, limit, (last) => encodeCursor([last.rank, last.document]));
	return { data: page.rows.map((row) => ({ ...viewTask(row), rank: row.rank })), ...page.pagination };
}

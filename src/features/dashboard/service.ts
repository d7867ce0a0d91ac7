import * as z from "zod";
import { uuid } from "../../http/fields.ts";
import { decodeCursor, encodeCursor, pageRows } from "../../http/pagination.ts";
import type { Ctx } from "../../ports/deps.ts";
import { viewReceived } from "../competition/submissions/received-list.ts";
import { listUsageDays } from "../spend/service.ts";
import { assertCompany, USAGE_DAYS, viewStats } from "./rules.ts";
import * as store from "./store.ts";

const idCursor = z.tuple([uuid]);

/** The caller's figures on both sides of the platform. */
export async function getDashboardStats(ctx: Ctx) {
	const { agentId } = ctx.actor;
	const [stats, usageDays] = await Promise.all([
		store.findStats(ctx, agentId),
		listUsageDays(ctx, { posterId: agentId, days: USAGE_DAYS }),
	]);
	return viewStats(stats, usageDays);
}

type ReceivedPage = Parameters<typeof store.findReceived>[1];
type FindReceived = typeof store.findReceived;

/** What all of the caller's tasks have received, newest first. */
export async function listDashboardSubmissions(
	ctx: Ctx,
	{ limit, cursor }: { limit: number; cursor?: string | undefined },
	find: FindReceived = store.findReceived,
) {
	const before = decodeCursor(cursor, idCursor)?.[0] ?? null;
	const rows = await readReceived(ctx, { companyId: ctx.actor.agentId, before, limit: limit + 1 }, find);
	const page = pageRows(rows, limit, (last) => encodeCursor([last.id]));
	return {
		data: page.rows.map((row) => ({ ...viewReceived(row), task_title: row.taskTitle })),
		pagination: page.pagination,
	};
}

/** A replica may not have seen a role that is seconds old: ask the primary before refusing. */
async function readReceived(ctx: Ctx, page: ReceivedPage, find: FindReceived) {
	const found = await find(ctx, page);
	if (found.role === "company") return found.rows;
	ctx.db.refresh();
	const { role, rows } = await find(ctx, page);
	assertCompany(role);
	return rows;
}

import * as z from "zod";
import { uuid } from "../../http/fields.ts";
import { decodeCursor, encodeCursor, pageRows } from "../../http/pagination.ts";
import type { Ctx } from "../../ports/deps.ts";
import { viewResults } from "../agents/rules.ts";
import { listUsageDays } from "../spend/service.ts";
import { viewReceived } from "../submissions/service.ts";
import { assertCompany, distributeRanks, USAGE_DAYS } from "./rules.ts";
import * as store from "./store.ts";

const idCursor = z.tuple([uuid]);

/** The caller's figures on both sides of the platform. */
export async function getDashboardStats(ctx: Ctx) {
	const { agentId } = ctx.actor;
	const [{ counts, bestScore, ranks }, usageDays] = await Promise.all([
		store.findStats(ctx, agentId),
		listUsageDays(ctx, { posterId: agentId, days: USAGE_DAYS }),
	]);
	const byStatus = {
		draft: counts?.tasksDraft ?? 0,
		open: counts?.tasksOpen ?? 0,
		evaluating: counts?.tasksEvaluating ?? 0,
		closed: counts?.tasksClosed ?? 0,
	};
	return {
		company: {
			tasks_posted: byStatus.draft + byStatus.open + byStatus.evaluating + byStatus.closed,
			tasks_by_status: byStatus,
			submissions_received: counts?.submissionsReceived ?? 0,
			evaluations_pending: counts?.evaluationsPending ?? 0,
			running_budget_cents: counts?.runningBudgetCents ?? 0,
			deals: counts?.dealsMade ?? 0,
			spend_committed_cents: (counts?.dealValueCents ?? 0) + (counts?.dealFeeCents ?? 0),
			judge_usage_by_day: usageDays,
		},
		agent: { ...viewResults(counts, bestScore), rank_distribution: distributeRanks(ranks) },
	};
}

/** What all of the caller's tasks have received, newest first. */
export async function listDashboardSubmissions(ctx: Ctx, { limit, cursor }: { limit: number; cursor?: string | undefined }) {
	const before = decodeCursor(cursor, idCursor)?.[0] ?? null;
	const rows = await readReceived(ctx, { companyId: ctx.actor.agentId, before, limit: limit + 1 });
	const page = pageRows(rows, limit, (last) => encodeCursor([last.id]));
	return {
		data: page.rows.map((row) => ({ ...viewReceived(row), task_title: row.taskTitle })),
		pagination: page.pagination,
	};
}

/** A replica may not have seen a role that is seconds old: ask the primary before refusing. */
async function readReceived(ctx: Ctx, page: Parameters<typeof store.findReceived>[1]) {
	const found = await store.findReceived(ctx, page);
	if (found.role === "company") return found.rows;
	ctx.db.refresh();
	const { role, rows } = await store.findReceived(ctx, page);
	assertCompany(role);
	return rows;
}

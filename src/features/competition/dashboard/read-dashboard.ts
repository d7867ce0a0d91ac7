// The caller's figures, counted from the cards of the directory when they are read. The objects of its latest tasks say its ranks.
import { and, desc, eq, lt, sql } from "drizzle-orm";
import * as z from "zod";
import { selectResults } from "../../../db/agent-reads.ts";
import { agents } from "../../../db/schema/agents.ts";
import { submissionCards, taskCards } from "../../../db/schema/cards.ts";
import { deals } from "../../../db/schema/deals.ts";
import { uuid } from "../../../http/fields.ts";
import { decodeCursor, encodeCursor, pageRows } from "../../../http/pagination.ts";
import type { Ctx, Deps } from "../../../ports/deps.ts";
import { taskVerb } from "../../../ports/task.ts";
import { rankOf } from "../leaderboard/ranks.ts";
import { listUsageDays } from "../spend/service.ts";
import { viewReceived } from "../submissions/received-submission.ts";
import { assertCompany, RANKED_TASKS, USAGE_DAYS, viewStats } from "./rules.ts";

/** An agent's rank on the task; null without a scored submission. */
export const readRank = taskVerb("readRank", (task, { agentId }: { agentId: string }) => rankOf(task, agentId));

export async function getDashboardStats(ctx: Ctx) {
	const { agentId } = ctx.actor;
	const [{ counts, bestScore, latest }, usageDays] = await Promise.all([
		findStats(ctx, agentId),
		listUsageDays(ctx, { posterId: agentId, days: USAGE_DAYS }),
	]);
	const now = ctx.clock.now();
	const ranks = await Promise.all(latest.map(({ taskId }) => ctx.hubs.callTask(taskId, readRank, { input: { agentId }, now })));
	return viewStats({ counts, bestScore, ranks: ranks.filter((rank) => rank !== null) }, usageDays);
}

const countTasks = (status: string) => sql<number>`count(case when ${taskCards.status} = ${status} then 1 end)`;
const isRunning = sql`${taskCards.status} in ('open', 'evaluating')`;

async function findStats({ db: { query } }: Deps, agentId: string) {
	const [[posted], [pending], [made], [results], latest] = await query.batch([
		query
			.select({
				tasksDraft: countTasks("draft").as("tasks_draft"),
				tasksOpen: countTasks("open").as("tasks_open"),
				tasksEvaluating: countTasks("evaluating").as("tasks_evaluating"),
				tasksClosed: countTasks("closed").as("tasks_closed"),
				submissionsReceived: sql<number>`coalesce(sum(${taskCards.submissionCount}), 0)`.as("submissions_received"),
				runningBudgetCents: sql<number>`coalesce(sum(case when ${isRunning} then ${taskCards.budgetCents} end), 0)`.as(
					"running_budget_cents",
				),
			})
			.from(taskCards)
			.where(eq(taskCards.companyId, agentId)),
		query
			.select({ evaluationsPending: sql<number>`count(*)`.as("evaluations_pending") })
			.from(submissionCards)
			.where(and(eq(submissionCards.companyId, agentId), sql`status = 'running'`)),
		query
			.select({
				dealsMade: sql<number>`count(*)`.as("deals_made"),
				dealValueCents: sql<number>`coalesce(sum(${deals.dealValueCents}), 0)`.as("deal_value_sum"),
				dealFeeCents: sql<number>`coalesce(sum(${deals.platformFeeCents}), 0)`.as("deal_fee_sum"),
			})
			.from(deals)
			.where(eq(deals.companyId, agentId)),
		selectResults(query, agentId),
		selectLatest(query, agentId),
	]);
	if (posted === undefined || pending === undefined || made === undefined || results === undefined) {
		throw new Error("D1 returned no row for a count.");
	}
	return { counts: { ...posted, ...pending, ...made, ...results }, bestScore: results.bestScore, latest };
}

/** The tasks where the agent improved its score last. SQLite takes the time from the row that has the maximum. */
function selectLatest(query: Deps["db"]["query"], agentId: string) {
	return query
		.select({ taskId: submissionCards.taskId, best: sql<number>`max(${submissionCards.finalScore})`.as("best") })
		.from(submissionCards)
		.where(and(eq(submissionCards.agentId, agentId), sql`final_score is not null and details->>'voidedAt' is null`))
		.groupBy(submissionCards.taskId)
		.orderBy(desc(submissionCards.createdAt))
		.limit(RANKED_TASKS);
}

const idCursor = z.tuple([uuid]);

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
async function readReceived(ctx: Ctx, page: ReceivedPage) {
	const found = await findReceived(ctx, page);
	if (found.role === "company") return found.rows;
	ctx.db.refresh();
	const { role, rows } = await findReceived(ctx, page);
	assertCompany(role);
	return rows;
}

interface ReceivedPage {
	readonly companyId: string;
	/** Submissions with smaller ids, which are older ones. */
	readonly before: string | null;
	readonly limit: number;
}

async function findReceived({ db: { query } }: Deps, { companyId, before, limit }: ReceivedPage) {
	const older = before === null ? undefined : lt(submissionCards.id, before);
	const [[agent], rows] = await query.batch([
		query.select({ role: agents.role }).from(agents).where(eq(agents.id, companyId)),
		query
			.select({
				id: submissionCards.id,
				taskId: submissionCards.taskId,
				taskTitle: taskCards.title,
				agentId: submissionCards.agentId,
				agentDisplayName: submissionCards.agentDisplayName,
				status: sql<(typeof submissionCards.$inferSelect)["status"]>`${submissionCards.status}`.as("submission_status"),
				finalScore: submissionCards.finalScore,
				testScore: submissionCards.testScore,
				llmScore: submissionCards.llmScore,
				evaluatedAt: submissionCards.evaluatedAt,
				createdAt: sql<number>`${submissionCards.createdAt}`.as("submitted_at"),
			})
			.from(submissionCards)
			.innerJoin(taskCards, eq(taskCards.id, submissionCards.taskId))
			.where(and(eq(submissionCards.companyId, companyId), older))
			.orderBy(desc(submissionCards.id))
			.limit(limit),
	]);
	return { role: agent?.role ?? null, rows: rows.map((row) => ({ ...row, evaluated: row.status === "completed" })) };
}

// Counts tasks, submissions and deals of an agent from the directory's cards.
import { and, desc, eq, gte, sql } from "drizzle-orm";
import { selectResults } from "../../../db/agent-reads.ts";
import { submissionCards, taskCards } from "../../../db/schema/cards.ts";
import { deals, isStandingDeal } from "../../../db/schema/deals.ts";
import { DAY_MS, HOUR_MS, utcDayOf } from "../../../platform/clock.ts";
import { idFloorAt } from "../../../platform/ids.ts";
import type { Deps } from "../../../ports/deps.ts";

/** The number of days of submission counts on the dashboard, including today. */
export const SUBMISSION_DAYS = 30;
/** The number of hours of submission counts on the dashboard, including the current hour. */
export const SUBMISSION_HOURS = 48;
export const MAX_COUNT_ROWS = 1_000;
/** The number of tasks in the rank distribution. */
export const RANKED_TASKS = 20;

const countTasks = (status: string) => sql<number>`count(case when ${taskCards.status} = ${status} then 1 end)`;
/** Test tasks are never counted. Every table that is counted here has this column. */
const isNoTest = sql`is_test = 0`;
const isRunning = sql`${taskCards.status} in ('open', 'evaluating')`;

/** Reads all counts in one batch. */
export async function findStats({ db: { query } }: Deps, agentId: string, now: number) {
	const [[posted], [pending], [made], [results], latest, days, hours] = await query.batch([
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
			.where(and(eq(taskCards.companyId, agentId), isNoTest)),
		query
			.select({ evaluationsPending: sql<number>`count(*)`.as("evaluations_pending") })
			.from(submissionCards)
			.where(and(eq(submissionCards.companyId, agentId), sql`status = 'running'`, isNoTest)),
		query
			.select({
				dealsMade: sql<number>`count(*)`.as("deals_made"),
				dealValueCents: sql<number>`coalesce(sum(${deals.dealValueCents}), 0)`.as("deal_value_sum"),
			})
			.from(deals)
			.where(and(eq(deals.companyId, agentId), isStandingDeal(), isNoTest)),
		selectResults(query, agentId),
		selectLatest(query, agentId),
		selectSubmissionDays(query, agentId, now),
		selectSubmissionHours(query, agentId, now),
	]);
	if (posted === undefined || pending === undefined || made === undefined || results === undefined) {
		throw new Error("D1 returned no row for a count.");
	}
	return { counts: { ...posted, ...pending, ...made, ...results }, bestScore: results.bestScore, latest, days, hours };
}

/**
 * Selects the tasks where the agent's best submission is most recent. With `max()`, SQLite takes the other columns from the row that has
 * the maximum.
 */
function selectLatest(query: Deps["db"]["query"], agentId: string) {
	return query
		.select({ taskId: submissionCards.taskId, best: sql<number>`max(${submissionCards.finalScore})`.as("best") })
		.from(submissionCards)
		.where(and(eq(submissionCards.agentId, agentId), sql`final_score is not null and details->>'voidedAt' is null`, isNoTest))
		.groupBy(submissionCards.taskId)
		.orderBy(desc(submissionCards.createdAt))
		.limit(RANKED_TASKS);
}

/**
 * Counts the submissions to a poster's tasks by day and task. Ids begin with the time, so the index by poster and id also finds the days.
 */
function selectSubmissionDays(query: Deps["db"]["query"], agentId: string, now: number) {
	const first = idFloorAt(Date.parse(utcDayOf(now - (SUBMISSION_DAYS - 1) * DAY_MS)));
	const day = sql<string>`date(${submissionCards.createdAt} / 1000, 'unixepoch')`;
	return query
		.select({ day: day.as("day"), taskId: submissionCards.taskId, submissions: sql<number>`count(*)`.as("submissions") })
		.from(submissionCards)
		.where(and(eq(submissionCards.companyId, agentId), gte(submissionCards.id, first), isNoTest))
		.groupBy(day, submissionCards.taskId)
		.orderBy(desc(day), desc(submissionCards.taskId))
		.limit(MAX_COUNT_ROWS);
}

/** Counts submissions by hour and task, like {@link selectSubmissionDays}. Hours are numbered from the epoch. */
function selectSubmissionHours(query: Deps["db"]["query"], agentId: string, now: number) {
	const first = idFloorAt((Math.floor(now / HOUR_MS) - (SUBMISSION_HOURS - 1)) * HOUR_MS);
	const hour = sql<number>`${submissionCards.createdAt} / ${sql.raw(String(HOUR_MS))}`;
	return query
		.select({ hour: hour.as("hour"), taskId: submissionCards.taskId, submissions: sql<number>`count(*)`.as("submissions") })
		.from(submissionCards)
		.where(and(eq(submissionCards.companyId, agentId), gte(submissionCards.id, first), isNoTest))
		.groupBy(hour, submissionCards.taskId)
		.orderBy(desc(hour), desc(submissionCards.taskId))
		.limit(MAX_COUNT_ROWS);
}

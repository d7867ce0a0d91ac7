import * as z from "zod";
import { ID } from "../../../domain/example-story.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { count, score, taskId, timestamp } from "../../../http/fields.ts";
import { HOUR_MS, toIso } from "../../../platform/clock.ts";
import { taskVerb } from "../../../ports/task.ts";
import { viewResults } from "../../identity/agents/rules.ts";
import { rankOf } from "../leaderboard/read-board.ts";
import { listUsageDays } from "../spend/service.ts";
import { judgeUsageView } from "../tasks/task-detail.ts";
import { findStats, MAX_COUNT_ROWS, RANKED_TASKS, SUBMISSION_DAYS, SUBMISSION_HOURS } from "./store.ts";

/** The number of days of judge usage on the dashboard, including today. */
export const USAGE_DAYS = 30;
/** Ranks worse than this one are merged in the distribution. */
const LOWEST_SHOWN_RANK = 10;

const { calls: _, ...usageFields } = judgeUsageView.shape;

const judgeUsageDay = z
	.object({
		day: z.iso.date().describe("The day in UTC."),
		evaluations: count.describe("How many evaluations by a model ended with a score, including dry runs and judge checks."),
		...usageFields,
	})
	.meta({ id: "JudgeUsageDay", description: "Model usage for judging the caller's tasks on one day." });

const companyStats = z
	.object({
		tasks_posted: count.describe("How many tasks the caller has created, including drafts."),
		tasks_by_status: z
			.object({
				draft: count.describe("How many tasks are not published yet."),
				open: count.describe("How many tasks accept submissions."),
				evaluating: count.describe("How many tasks are past their deadline, with submissions that are still being evaluated."),
				closed: count.describe("How many tasks are over."),
			})
			.describe("The caller's tasks, counted by status."),
		submissions_received: count.describe("How many submissions all of the caller's tasks have received."),
		evaluations_pending: count.describe("How many of the received submissions are being evaluated."),
		running_budget_cents: count.describe("Sum of the budgets of the caller's open and evaluating tasks, in cents."),
		deals: count.describe("How many deals the caller has recorded as a poster. Declined deals do not count."),
		spend_committed_cents: count.describe(
			"Sum of the values of the caller's deals, in cents, including the platform's fees. Declined deals do not count.",
		),
		submissions_by_day: z
			.array(
				z.object({
					day: z.iso.date().describe("The day in UTC."),
					task_id: taskId,
					submissions: count.describe("How many submissions the task received on that day."),
				}),
			)
			.describe(
				`Submissions to the caller's tasks on each of the last ${SUBMISSION_DAYS} days, newest first, at most ${MAX_COUNT_ROWS} rows. Days without submissions are not listed.`,
			),
		submissions_by_hour: z
			.array(
				z.object({
					hour: timestamp.describe("The beginning of the hour."),
					task_id: taskId,
					submissions: count.describe("How many submissions the task received in that hour."),
				}),
			)
			.describe(
				`Submissions to the caller's tasks in each of the last ${SUBMISSION_HOURS} hours, newest first, at most ${MAX_COUNT_ROWS} rows. Hours without submissions are not listed.`,
			),
		judge_usage_by_day: z
			.array(judgeUsageDay)
			.describe(
				`Model usage for judging the caller's tasks on each of the last ${USAGE_DAYS} days, newest first. Days without usage are not listed.`,
			),
	})
	.meta({ id: "CompanyStats", description: "The caller's figures as a poster." });

const agentStats = z
	.object({
		tasks_entered: count.describe("How many tasks the caller has submitted to."),
		evaluated_submissions: count.describe("How many of the caller's submissions have a score."),
		average_score: score.nullable().describe("Mean final score of the caller's evaluated submissions. Null before the first one."),
		best_score: score.nullable().describe("The caller's best final score. Null before the first one."),
		wins: count.describe("Number of closed tasks on which the caller ranks first."),
		deals: count.describe("How many deals posters have recorded with the caller. Declined deals do not count."),
		rank_distribution: z
			.object({
				tasks: count.describe("How many tasks this distribution covers."),
				first: count.describe("Number of these tasks on which the caller has rank 1."),
				second_or_third: count.describe("Number of these tasks on which the caller has rank 2 or 3."),
				fourth_to_tenth: count.describe("Number of these tasks on which the caller has a rank from 4 to 10."),
				lower: count.describe("Number of these tasks on which the caller has rank 11 or worse."),
			})
			.describe(`The caller's current ranks on the ${RANKED_TASKS} tasks where its score improved most recently.`),
	})
	.meta({ id: "AgentStats", description: "The caller's figures as a competitor." });

export const getDashboardStats = endpoint({
	method: "get",
	path: "/api/dashboard/stats",
	operationId: "getDashboardStats",
	summary: "Read the caller's figures as a poster and as a competitor",
	description: "The response always has both parts. A part without activity has zeros and nulls.",
	tags: ["Internal"],
	auth: "key",
	rate: "general",
	response: {
		status: 200,
		description: "The figures.",
		schema: z
			.object({
				company: companyStats.describe("The caller as a poster. All zeros before its first task."),
				agent: agentStats.describe("The caller as a competitor. Zeros and nulls before its first submission."),
			})
			.meta({ id: "DashboardStats", description: "The caller's figures as a poster and as a competitor." }),
	},
	errors: [],
	examples: {
		responses: {
			poster: {
				summary: "A poster that has not competed",
				value: {
					company: {
						tasks_posted: 3,
						tasks_by_status: { draft: 1, open: 1, evaluating: 0, closed: 1 },
						submissions_received: 41,
						evaluations_pending: 2,
						running_budget_cents: 250_000,
						deals: 1,
						spend_committed_cents: 250_000,
						submissions_by_day: [{ day: "2026-11-22", task_id: ID.task, submissions: 12 }],
						submissions_by_hour: [{ hour: "2026-11-22T14:00:00.000Z", task_id: ID.task, submissions: 12 }],
						judge_usage_by_day: [{ day: "2026-11-22", evaluations: 120, input_tokens: 1_480_000, output_tokens: 96_000, cost_usd: 0.562 }],
					},
					agent: {
						tasks_entered: 0,
						evaluated_submissions: 0,
						average_score: null,
						best_score: null,
						wins: 0,
						deals: 0,
						rank_distribution: { tasks: 0, first: 0, second_or_third: 0, fourth_to_tenth: 0, lower: 0 },
					},
				},
			},
		},
	},

	// Counts come from the directory's cards, and ranks come from the Task objects of the agent's latest tasks.
	async handle(ctx) {
		const { agentId } = ctx.actor;
		const now = ctx.clock.now();
		const [{ counts, bestScore, latest, days, hours }, usageDays] = await Promise.all([
			findStats(ctx, agentId, now),
			listUsageDays(ctx, { posterId: agentId, days: USAGE_DAYS }),
		]);
		const ranks = await Promise.all(latest.map(({ taskId }) => readRank(ctx, taskId, { agentId })));
		const byStatus = { draft: counts.tasksDraft, open: counts.tasksOpen, evaluating: counts.tasksEvaluating, closed: counts.tasksClosed };
		return {
			company: {
				tasks_posted: byStatus.draft + byStatus.open + byStatus.evaluating + byStatus.closed,
				tasks_by_status: byStatus,
				submissions_received: counts.submissionsReceived,
				evaluations_pending: counts.evaluationsPending,
				running_budget_cents: counts.runningBudgetCents,
				deals: counts.dealsMade,
				spend_committed_cents: counts.dealValueCents,
				submissions_by_day: days.map(({ day, taskId: id, submissions }) => ({ day, task_id: id, submissions })),
				submissions_by_hour: hours.map(({ hour, taskId: id, submissions }) => {
					return { hour: toIso(hour * HOUR_MS), task_id: id, submissions };
				}),
				judge_usage_by_day: usageDays,
			},
			agent: { ...viewResults(counts, bestScore), rank_distribution: distributeRanks(ranks.filter((rank) => rank !== null)) },
		};
	},
});

/** Counts an agent's tasks by rank. Ranks worse than {@link LOWEST_SHOWN_RANK} are merged. */
function distributeRanks(ranks: readonly number[]) {
	const within = (first: number, last: number) => ranks.filter((rank) => rank >= first && rank <= last).length;
	return {
		tasks: ranks.length,
		first: within(1, 1),
		second_or_third: within(2, 3),
		fourth_to_tenth: within(4, LOWEST_SHOWN_RANK),
		lower: within(LOWEST_SHOWN_RANK + 1, Number.POSITIVE_INFINITY),
	};
}

/** Returns an agent's rank on the task. Returns null if the agent has no scored submission. */
const readRank = taskVerb("readRank", (task, { agentId }: { agentId: string }) => rankOf(task, agentId));

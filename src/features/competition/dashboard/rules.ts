import { AppError } from "../../../domain/errors.ts";
import type { viewUsage } from "../../../domain/usage.ts";
import { viewResults } from "../../identity/agents/rules.ts";

/** Days of judge usage that the dashboard shows, today included. */
export const USAGE_DAYS = 30;
/** Tasks that the rank distribution looks at. */
export const RANKED_TASKS = 20;
/** All ranks below this one count as one. */
const LOWEST_SHOWN_RANK = 10;

/** @throws AppError `FORBIDDEN` for an agent that never posted a task. */
export function assertCompany(role: "agent_builder" | "company" | null): void {
	if (role === "company") return;
	throw new AppError("FORBIDDEN", { message: "This is for the role company, which comes with your first task: POST /api/v1/tasks." });
}

/**
 * On how many tasks an agent has each rank.
 *
 * @param ranks The agent's rank on each task; ranks beyond {@link LOWEST_SHOWN_RANK} count as lower.
 */
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

interface Counts {
	readonly tasksDraft: number;
	readonly tasksOpen: number;
	readonly tasksEvaluating: number;
	readonly tasksClosed: number;
	readonly submissionsReceived: number;
	readonly evaluationsPending: number;
	readonly runningBudgetCents: number;
	readonly dealsMade: number;
	readonly dealValueCents: number;
	readonly dealFeeCents: number;
}

interface Stats {
	/** Null for an agent that has done nothing. */
	readonly counts: (Counts & NonNullable<Parameters<typeof viewResults>[0]>) | null;
	readonly bestScore: number | null;
	/** As for {@link distributeRanks}. */
	readonly ranks: readonly number[];
}

/** An agent's figures on both sides of the platform. */
export function viewStats<UsageDay extends ReturnType<typeof viewUsage>>(
	{ counts, bestScore, ranks }: Stats,
	usageDays: readonly UsageDay[],
) {
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
			judge_usage_by_day: [...usageDays],
		},
		agent: { ...viewResults(counts, bestScore), rank_distribution: distributeRanks(ranks) },
	};
}

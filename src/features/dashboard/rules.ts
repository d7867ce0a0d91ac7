import { AppError } from "../../domain/errors.ts";

/** Days of judge usage that the dashboard shows, today included. */
export const USAGE_DAYS = 30;
/** Tasks that the rank distribution looks at. */
export const RANKED_TASKS = 20;
/** All ranks below this one count as one. */
export const LOWEST_SHOWN_RANK = 10;

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
export function distributeRanks(ranks: readonly number[]) {
	const within = (first: number, last: number) => ranks.filter((rank) => rank >= first && rank <= last).length;
	return {
		tasks: ranks.length,
		first: within(1, 1),
		second_or_third: within(2, 3),
		fourth_to_tenth: within(4, LOWEST_SHOWN_RANK),
		lower: within(LOWEST_SHOWN_RANK + 1, Number.POSITIVE_INFINITY),
	};
}

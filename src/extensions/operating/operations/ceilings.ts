import * as z from "zod";
import { type CeilingName, type Ceilings, MICRO_USD } from "../../../domain/spend.ts";

const usd = z.number().min(0).nullable();

export const ceilingsView = z
	.object({
		task_usd: usd.describe("Maximum cost of judging a task, in US dollars. Null if there is no ceiling."),
		task_budget_percent: z
			.number()
			.nullable()
			.describe("Maximum cost of judging a task, as a percentage of its budget. Null if there is no ceiling."),
		poster_day_usd: usd.describe("Maximum cost of judging all tasks of a poster in a UTC day, in US dollars. Null if there is no ceiling."),
		deployment_day_usd: usd.describe(
			"Maximum cost of judging on the whole deployment in a UTC day, in US dollars. Null if there is no ceiling.",
		),
	})
	.meta({ id: "SpendCeilings", description: "The current ceilings, as configured or as set by operators." });

export const ceilingNames = ["task_usd", "task_budget_percent", "poster_day_usd", "deployment_day_usd"] as const;

/** Operators read and write US dollars, and the platform counts millionths. */
export const CEILING_FIELDS: Readonly<Record<keyof z.output<typeof ceilingsView>, CeilingName>> = {
	task_usd: "task_micro_usd",
	task_budget_percent: "task_budget_percent",
	poster_day_usd: "poster_day_micro_usd",
	deployment_day_usd: "deployment_day_micro_usd",
};

export const exampleCeilings = { task_usd: null, task_budget_percent: 10, poster_day_usd: null, deployment_day_usd: 500 };

export function viewCeilings(ceilings: Ceilings) {
	const toUsd = (microUsd: number | null) => (microUsd === null ? null : microUsd / MICRO_USD);
	return {
		task_usd: toUsd(ceilings.task_micro_usd),
		task_budget_percent: ceilings.task_budget_percent,
		poster_day_usd: toUsd(ceilings.poster_day_micro_usd),
		deployment_day_usd: toUsd(ceilings.deployment_day_micro_usd),
	};
}

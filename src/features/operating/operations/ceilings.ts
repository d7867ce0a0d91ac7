import * as z from "zod";
import { MICRO_USD, type SpendCeiling, type SpendSettings } from "../../../domain/spend.ts";
import { count } from "../../../http/fields.ts";

const ceilingView = z
	.object({
		tokens: count.nullable().describe("Tokens, read and written together. Null without a ceiling."),
		usd: z.number().min(0).nullable().describe("US dollars. Null without a ceiling."),
	})
	.meta({ id: "SpendCeiling", description: "What judging may use at most." });

export const ceilingsView = z
	.object({
		task: ceilingView.describe("For all evaluations of a task."),
		task_budget_percent: z.number().nullable().describe("What judging a task may cost, in percent of its budget. Null without a ceiling."),
		poster_day: ceilingView.describe("For all tasks of a poster, in a UTC day."),
		deployment_day: ceilingView.describe("For the whole deployment, in a UTC day."),
	})
	.describe("The ceilings as they are now: as configured, or as operators have set them.");

export const exampleCeiling = { tokens: null, usd: null };

export function viewCeilings({ task, taskBudgetPercent, posterDay, deploymentDay }: SpendSettings) {
	return {
		task: viewCeiling(task),
		task_budget_percent: taskBudgetPercent,
		poster_day: viewCeiling(posterDay),
		deployment_day: viewCeiling(deploymentDay),
	};
}

function viewCeiling({ tokens, costMicroUsd }: SpendCeiling) {
	return { tokens, usd: costMicroUsd === null ? null : costMicroUsd / MICRO_USD };
}

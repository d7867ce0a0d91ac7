// The variables that bound what judging may cost.
import * as z from "zod";
import type { SpendCeiling, SpendSettings } from "../domain/spend.ts";

const MICRO_USD = 1_000_000;
const MAX_TOKENS = 1_000_000_000_000;
const MAX_USD = 1_000_000_000;
const DEFAULT_BUDGET_PERCENT = 10;

const tokens = z.coerce.number<string>().int().min(1).max(MAX_TOKENS);
const usd = z.coerce.number<string>().min(0.01).max(MAX_USD);

/** docs/pages/operating/configuration.mdx describes each. */
export const spendVariables = z.object({
	JUDGE_MAX_TOKENS_PER_TASK: tokens.optional(),
	JUDGE_MAX_USD_PER_TASK: usd.optional(),
	JUDGE_MAX_BUDGET_PERCENT_PER_TASK: z.coerce.number<string>().min(0).max(100).default(DEFAULT_BUDGET_PERCENT),
	JUDGE_MAX_TOKENS_PER_POSTER_DAY: tokens.optional(),
	JUDGE_MAX_USD_PER_POSTER_DAY: usd.optional(),
	JUDGE_MAX_TOKENS_PER_DAY: tokens.optional(),
	JUDGE_MAX_USD_PER_DAY: usd.optional(),
});

export function readSpendSettings(variables: z.output<typeof spendVariables>): SpendSettings {
	const percent = variables.JUDGE_MAX_BUDGET_PERCENT_PER_TASK;
	return {
		task: toCeiling(variables.JUDGE_MAX_TOKENS_PER_TASK, variables.JUDGE_MAX_USD_PER_TASK),
		taskBudgetPercent: percent === 0 ? null : percent,
		posterDay: toCeiling(variables.JUDGE_MAX_TOKENS_PER_POSTER_DAY, variables.JUDGE_MAX_USD_PER_POSTER_DAY),
		deploymentDay: toCeiling(variables.JUDGE_MAX_TOKENS_PER_DAY, variables.JUDGE_MAX_USD_PER_DAY),
	};
}

function toCeiling(maxTokens: number | undefined, maxUsd: number | undefined): SpendCeiling {
	return { tokens: maxTokens ?? null, costMicroUsd: maxUsd === undefined ? null : Math.round(maxUsd * MICRO_USD) };
}

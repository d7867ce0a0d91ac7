/** A US dollar has this many of the millionths in which costs are counted. */
export const MICRO_USD = 1_000_000;

/** Calls to models cost this. */
export interface Usage {
	readonly calls: number;
	readonly inputTokens: number;
	readonly outputTokens: number;
	/** The cost is in millionths of a US dollar, of the calls whose price is known. It is null if none is. */
	readonly costMicroUsd: number | null;
}

export function sumUsage(parts: readonly Usage[]): Usage {
	const costs = parts.map(({ costMicroUsd }) => costMicroUsd).filter((cost) => cost !== null);
	const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
	return {
		calls: sum(parts.map(({ calls }) => calls)),
		inputTokens: sum(parts.map(({ inputTokens }) => inputTokens)),
		outputTokens: sum(parts.map(({ outputTokens }) => outputTokens)),
		costMicroUsd: costs.length === 0 ? null : sum(costs),
	};
}

/** Writes usage as responses have it, with the cost in US dollars. */
export function viewUsage({ calls, inputTokens, outputTokens, costMicroUsd }: Usage) {
	return {
		calls,
		input_tokens: inputTokens,
		output_tokens: outputTokens,
		cost_usd: costMicroUsd === null ? null : costMicroUsd / MICRO_USD,
	};
}

/** Judging uses this, or may use it. */
export interface Spend {
	/** Tokens that were read and written count together. */
	readonly tokens: number;
	/** The cost is in millionths of a US dollar, and 0 without a configured price. */
	readonly costMicroUsd: number;
}

export interface SpendCeiling {
	/** Null sets no ceiling. */
	readonly tokens: number | null;
	/** The ceiling is in millionths of a US dollar. Null sets none. */
	readonly costMicroUsd: number | null;
}

/** All evaluations of a task, of a poster on one day, or of the deployment on one day share a ceiling. */
export const CEILING_SCOPES = ["task", "poster_day", "deployment_day"] as const;
export type CeilingScope = (typeof CEILING_SCOPES)[number];

export const NO_SPEND: Spend = { tokens: 0, costMicroUsd: 0 };

export function addSpend(a: Spend, b: Spend): Spend {
	return { tokens: a.tokens + b.tokens, costMicroUsd: a.costMicroUsd + b.costMicroUsd };
}

/** Adds up what calls to models have used. */
export function toSpend(parts: readonly Usage[]): Spend {
	return parts.reduce<Spend>(
		(sum, { inputTokens, outputTokens, costMicroUsd }) =>
			addSpend(sum, { tokens: inputTokens + outputTokens, costMicroUsd: costMicroUsd ?? 0 }),
		NO_SPEND,
	);
}

/** @param factor A number of equal calls, or a share. */
export function scaleSpend({ tokens, costMicroUsd }: Spend, factor: number): Spend {
	return { tokens: Math.ceil(tokens * factor), costMicroUsd: Math.ceil(costMicroUsd * factor) };
}

export function isWithin(spend: Spend, ceiling: SpendCeiling): boolean {
	const fits = (value: number, most: number | null) => most === null || value <= most;
	return fits(spend.tokens, ceiling.tokens) && fits(spend.costMicroUsd, ceiling.costMicroUsd);
}

/** A deployment has these ceilings. */
export interface SpendSettings {
	readonly task: SpendCeiling;
	/** A task's judging may cost this share of its budget. Null sets no such ceiling. */
	readonly taskBudgetPercent: number | null;
	/** All tasks of a poster may use this in a UTC day. */
	readonly posterDay: SpendCeiling;
	/** The whole deployment may use this in a UTC day. */
	readonly deploymentDay: SpendCeiling;
}

/** Operators can change these ceilings while the platform runs: tokens, millionths of a US dollar, and percent. */
export const CEILINGS = [
	"task_tokens",
	"task_micro_usd",
	"task_budget_percent",
	"poster_day_tokens",
	"poster_day_micro_usd",
	"deployment_day_tokens",
	"deployment_day_micro_usd",
] as const;

export type CeilingName = (typeof CEILINGS)[number];

/** Operators have changed these ceilings. Null removes a ceiling; one that is left out is as configured. */
export type CeilingChanges = Readonly<Partial<Record<CeilingName, number | null>>>;

/** Returns the configured ceilings with the changes of operators. */
export function applyCeilingChanges(configured: SpendSettings, changes: CeilingChanges): SpendSettings {
	const changed = (name: CeilingName, value: number | null): number | null => {
		const change = changes[name];
		return change === undefined ? value : change;
	};
	return {
		task: {
			tokens: changed("task_tokens", configured.task.tokens),
			costMicroUsd: changed("task_micro_usd", configured.task.costMicroUsd),
		},
		taskBudgetPercent: changed("task_budget_percent", configured.taskBudgetPercent),
		posterDay: {
			tokens: changed("poster_day_tokens", configured.posterDay.tokens),
			costMicroUsd: changed("poster_day_micro_usd", configured.posterDay.costMicroUsd),
		},
		deploymentDay: {
			tokens: changed("deployment_day_tokens", configured.deploymentDay.tokens),
			costMicroUsd: changed("deployment_day_micro_usd", configured.deploymentDay.costMicroUsd),
		},
	};
}

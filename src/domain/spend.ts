/** Costs are counted in millionths of a US dollar. */
export const MICRO_USD = 1_000_000;

/** What calls to models used and cost. */
export interface Usage {
	readonly calls: number;
	readonly inputTokens: number;
	readonly outputTokens: number;
	/** The cost of the calls whose price is known, in millionths of a US dollar. Null if no price is known. */
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

/** Formats usage for responses, with the cost in US dollars. */
export function viewUsage({ calls, inputTokens, outputTokens, costMicroUsd }: Usage) {
	return {
		calls,
		input_tokens: inputTokens,
		output_tokens: outputTokens,
		cost_usd: costMicroUsd === null ? null : costMicroUsd / MICRO_USD,
	};
}

/** The scope of the ledger that has the sums of the whole deployment. */
export const DEPLOYMENT = "deployment";

/** The daily ceilings that a job can wait for. */
export const DAY_SCOPES = ["payer_day", "poster_day", "deployment_day"] as const;
export type DayScope = (typeof DAY_SCOPES)[number];

/** The ceilings that operators can change while the platform runs, in millionths of a US dollar or in percent as their names say. */
export const CEILINGS = ["task_micro_usd", "task_budget_percent", "poster_day_micro_usd", "deployment_day_micro_usd"] as const;
export type CeilingName = (typeof CEILINGS)[number];

/** The values of the ceilings. Null means no ceiling. */
export type Ceilings = Readonly<Record<CeilingName, number | null>>;

/** The ceilings that operators have changed. All others have the value from the deployment's settings. */
export type CeilingChanges = Readonly<Partial<Ceilings>>;

/** The part of a task's ceiling that a job may use: the agents' part, the poster's part, or the whole ceiling. */
export const FUNDS = ["agents", "poster", "all"] as const;
export type Fund = (typeof FUNDS)[number];

export interface SpendSettings {
	readonly ceilings: Ceilings;
	/** The percentage of the deployment's daily ceiling that one payer may use. */
	readonly payerSharePercent: number;
}

/** Returns what judging a task may cost, in millionths of a US dollar. Null means no ceiling. */
export function taskCeilingOf({ task_micro_usd: fixed, task_budget_percent: percent }: Ceilings, budgetCents: number): number | null {
	const share = percent === null ? null : Math.floor((budgetCents * percent * MICRO_USD) / 10_000);
	return fixed === null || share === null ? (fixed ?? share) : Math.min(fixed, share);
}

/** A US dollar has this many of the millionths in which costs are counted. */
export const MICRO_USD = 1_000_000;

/** Calls to models cost this. */
export interface Usage {
	readonly calls: number;
	readonly inputTokens: number;
	readonly outputTokens: number;
	/** The cost is in millionths of a US dollar. Null if nothing was read or written. */
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

/** This scope of the ledger has the sums of the whole deployment. */
export const DEPLOYMENT = "deployment";

/** A job waits for one of these ceilings, which are full for the day. */
export const DAY_SCOPES = ["payer_day", "poster_day", "deployment_day"] as const;
export type DayScope = (typeof DAY_SCOPES)[number];

/** Operators can change these ceilings while the platform runs: US dollars in millionths, and percent. */
export const CEILINGS = ["task_micro_usd", "task_budget_percent", "poster_day_micro_usd", "deployment_day_micro_usd"] as const;
export type CeilingName = (typeof CEILINGS)[number];

/** Null sets no ceiling. */
export type Ceilings = Readonly<Record<CeilingName, number | null>>;

/** Operators have changed these ceilings. One that is left out is as configured. */
export type CeilingChanges = Readonly<Partial<Ceilings>>;

/** Says what pays for a job under its task's ceiling: the part of agents, the part of the poster, or all of it. */
export const FUNDS = ["agents", "poster", "all"] as const;
export type Fund = (typeof FUNDS)[number];

/** A deployment has these settings of money. */
export interface SpendSettings {
	readonly ceilings: Ceilings;
	/** One payer may use this percentage of the deployment's day. */
	readonly payerSharePercent: number;
}

/** Returns what the judging of a task may cost, in millionths of a US dollar. Null sets no ceiling. */
export function taskCeilingOf({ task_micro_usd: fixed, task_budget_percent: percent }: Ceilings, budgetCents: number): number | null {
	const share = percent === null ? null : Math.floor((budgetCents * percent * MICRO_USD) / 10_000);
	return fixed === null || share === null ? (fixed ?? share) : Math.min(fixed, share);
}

/** What judging uses or may use. */
export interface Spend {
	/** Read and written together. */
	readonly tokens: number;
	/** Millionths of a US dollar; 0 where no price is configured. */
	readonly costMicroUsd: number;
}

export interface SpendCeiling {
	/** Null sets no ceiling. */
	readonly tokens: number | null;
	/** Millionths of a US dollar; null sets no ceiling. */
	readonly costMicroUsd: number | null;
}

export const NO_SPEND: Spend = { tokens: 0, costMicroUsd: 0 };

export function addSpend(a: Spend, b: Spend): Spend {
	return { tokens: a.tokens + b.tokens, costMicroUsd: a.costMicroUsd + b.costMicroUsd };
}

/** @param factor A number of equal calls, or a share. */
export function scaleSpend({ tokens, costMicroUsd }: Spend, factor: number): Spend {
	return { tokens: Math.ceil(tokens * factor), costMicroUsd: Math.ceil(costMicroUsd * factor) };
}

export function isWithin(spend: Spend, ceiling: SpendCeiling): boolean {
	const fits = (value: number, most: number | null) => most === null || value <= most;
	return fits(spend.tokens, ceiling.tokens) && fits(spend.costMicroUsd, ceiling.costMicroUsd);
}

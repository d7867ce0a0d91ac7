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

// Sums the usage of calls to models, for each model.
import { sumUsage, type Usage, viewUsage } from "../../domain/spend.ts";
import type { PaidCall } from "../../ports/judge.ts";

export interface UsageMeter {
	add(call: PaidCall): void;
	byModel(): ModelUsage[];
}

export interface ModelUsage extends Usage {
	readonly model: string;
	/** How many of `inputTokens` came from the supplier's cache. */
	readonly cachedTokens: number;
}

/** Returns the sum of the usage as the breakdown of an evaluation shows it. */
export function describeUsage(parts: readonly ModelUsage[]) {
	return { ...viewUsage(sumUsage(parts)), cached_input_tokens: parts.reduce((sum, { cachedTokens }) => sum + cachedTokens, 0) };
}

export function createUsageMeter(): UsageMeter {
	const models = new Map<string, Omit<ModelUsage, "model">>();
	return {
		add({ model, inputTokens, outputTokens, cachedTokens = 0, costMicroUsd }) {
			const total = models.get(model) ?? { calls: 0, inputTokens: 0, cachedTokens: 0, outputTokens: 0, costMicroUsd: null };
			models.set(model, {
				calls: total.calls + 1,
				inputTokens: total.inputTokens + inputTokens,
				cachedTokens: total.cachedTokens + cachedTokens,
				outputTokens: total.outputTokens + outputTokens,
				costMicroUsd: costMicroUsd === null ? total.costMicroUsd : (total.costMicroUsd ?? 0) + costMicroUsd,
			});
		},
		byModel: () => [...models].map(([model, usage]) => ({ model, ...usage })),
	};
}

// Counts what calls to models cost while they are made.
import type { Usage } from "../../domain/usage.ts";
import type { ModelCall } from "../../ports/judge.ts";

export interface UsageMeter {
	add(call: ModelCall): void;
	byModel(): (Usage & { readonly model: string })[];
}

export function createUsageMeter(): UsageMeter {
	const models = new Map<string, Usage>();
	return {
		add({ model, inputTokens, outputTokens, costMicroUsd }) {
			const known = models.get(model) ?? { calls: 0, inputTokens: 0, outputTokens: 0, costMicroUsd: null };
			models.set(model, {
				calls: known.calls + 1,
				inputTokens: known.inputTokens + inputTokens,
				outputTokens: known.outputTokens + outputTokens,
				costMicroUsd: costMicroUsd === null ? known.costMicroUsd : (known.costMicroUsd ?? 0) + costMicroUsd,
			});
		},
		byModel: () => [...models].map(([model, usage]) => ({ model, ...usage })),
	};
}

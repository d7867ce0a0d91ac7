// What judging costs: counted while models are called, written once an attempt is over.
import type { Deps } from "../../deps.ts";
import { describeError } from "../../platform/log.ts";
import type { ModelCall } from "./judge/port.ts";
import type { Usage } from "./rules.ts";
import * as store from "./store.ts";

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

interface Metered {
	readonly taskId: string;
	readonly submissionId: string;
	readonly iteration: number;
}

/** Keeps what an attempt cost, also one that failed. That it cannot be written is no reason to pay for the attempt again. */
export async function recordUsage(deps: Deps, of: Metered, meter: UsageMeter): Promise<void> {
	const createdAt = deps.clock.now();
	const rows = meter.byModel().map((usage) => ({ id: deps.ids.next(), ...of, ...usage, createdAt }));
	if (rows.length === 0) return;
	try {
		await store.insertUsage(deps, rows);
	} catch (error) {
		deps.log.error("usage_not_recorded", { submission_id: of.submissionId, ...describeError(error) });
	}
}

// Estimates what a call to a model will use before it is made.
import type { ModelJudgeSettings } from "../../../config/judge-settings.ts";
import type { CallEstimate, JudgeRequest } from "../../../ports/judge.ts";
import { buildPrompt } from "./prompt.ts";

/** Tokenizers put more bytes of code into a token. Text in other scripts has more bytes for each character, and more tokens. */
const BYTES_PER_TOKEN = 3;
/** A note about a previous reply, and what the protocol adds, take at most this many tokens. */
const EXTRA_TOKENS = 300;
const SAMPLE_MARK = "00000000";

/** Returns the number of samples that a criterion of a task with this budget gets. */
function samplesFor(budgetCents: number, steps: ModelJudgeSettings["sampleSteps"]): number {
	return steps.findLast(({ fromBudgetCents }) => budgetCents >= fromBudgetCents)?.samples ?? 1;
}

/**
 * Returns the number of samples that a request asks for, or else that its task warrants. A budget counts only for a verified poster.
 * Contract: ruling "Spending".
 */
export function samplesOf({ samples, task }: JudgeRequest, { sampleSteps }: Pick<ModelJudgeSettings, "sampleSteps">): number {
	return samples ?? samplesFor(task.isPosterVerified ? task.budgetCents : 0, sampleSteps);
}

/** Estimates the prompt as it will be sent, and the longest reply, at the price of the dearest model. */
export function estimateCall(settings: ModelJudgeSettings, request: JudgeRequest): CallEstimate {
	const { system, user } = buildPrompt({ request, mark: SAMPLE_MARK, maxCharacters: settings.maxInputCharacters });
	const input = Math.ceil(new TextEncoder().encode(system + user).length / BYTES_PER_TOKEN) + EXTRA_TOKENS;
	const output = settings.outputLimit.tokens;
	const costs = settings.models.map((model) => {
		const price = settings.prices.get(model);
		return price === undefined ? 0 : Math.max(price.input, price.cached) * input + price.output * output;
	});
	return { samples: samplesOf(request, settings), tokens: input + output, costMicroUsd: Math.ceil(Math.max(0, ...costs)) };
}

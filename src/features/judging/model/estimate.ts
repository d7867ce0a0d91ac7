// Estimates what judging will cost before its first call to a model.
import { type ModelJudgeSettings, UNKNOWN_PRICE } from "../../../config/judge-settings.ts";
import type { JudgeRequest, JudgingPlan } from "../../../ports/judge.ts";
import { buildPrompt } from "./prompt.ts";

/** Tokenizers put more bytes of code into a token. Text in other scripts has more bytes for each character, and more tokens. */
const BYTES_PER_TOKEN = 3;
/** The protocol adds at most this many tokens to a call. */
const EXTRA_TOKENS = 100;
/** A reply about one criterion usually has this many tokens. A judge may be asked again, so twice as many are expected. */
const USUAL_REPLY_TOKENS = 500;
const SAMPLE_MARK = "00000000";

/** Returns the number of samples that a criterion of a task with this budget gets. */
function samplesFor(budgetCents: number, steps: ModelJudgeSettings["sampleSteps"]): number {
	return steps.findLast(({ fromBudgetCents }) => budgetCents >= fromBudgetCents)?.samples ?? 1;
}

/** Returns the number of samples that a request asks for, or else that its task warrants. A budget counts only for a verified poster. */
export function samplesOf(
	{ samples, task }: Pick<JudgeRequest, "samples" | "task">,
	{ sampleSteps }: Pick<ModelJudgeSettings, "sampleSteps">,
): number {
	return samples ?? samplesFor(task.isPosterVerified ? task.budgetCents : 0, sampleSteps);
}

/**
 * Estimates the expected calls at the price of the dearest model, in millionths of a US dollar: the first prompt of the evaluation in
 * full, what all calls share at the price of cached input, and replies of twice the usual length.
 */
export function estimate(settings: ModelJudgeSettings, { criteria, ...material }: JudgingPlan): number {
	const samples = samplesOf(material, settings);
	const [first] = criteria;
	if (first === undefined) return 0;
	const { system, user, sharedCharacters } = buildPrompt({
		request: { ...material, criterion: first },
		mark: SAMPLE_MARK,
		maxCharacters: settings.maxInputCharacters,
	});
	const shared = tokensOf(system + user.slice(0, sharedCharacters));
	const own = tokensOf(user.slice(sharedCharacters)) - tokensOf(textOf(first));
	const owns = criteria.reduce((sum, criterion) => sum + own + tokensOf(textOf(criterion)) + EXTRA_TOKENS, 0) * samples;
	const calls = criteria.length * samples;
	const output = Math.min(settings.outputLimit.tokens, 2 * USUAL_REPLY_TOKENS) * calls;
	const costs = settings.models.map((model) => {
		const { input, cached, output: reply } = settings.prices.get(model) ?? UNKNOWN_PRICE;
		return shared * (input + cached * (calls - 1)) + owns * input + output * reply;
	});
	return Math.max(1, Math.ceil(Math.max(...costs)));
}

function tokensOf(text: string): number {
	return Math.ceil(new TextEncoder().encode(text).length / BYTES_PER_TOKEN);
}

function textOf({ name, description, checks, anchors }: JudgingPlan["criteria"][number]): string {
	return [name, description ?? "", ...checks, ...Object.values(anchors ?? {})].join("\n");
}

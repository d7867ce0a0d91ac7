// Estimates the usage of an evaluation before its first call, so that its cost can be reserved.
import { UNKNOWN_PRICE } from "../../../config/judge-settings.ts";
import type { EvaluationRequest, JudgingEstimate } from "../../../ports/judge.ts";
import type { EngineSettings } from "./context.ts";
import { basisOf, planCalls, planOpenCalls } from "./evaluating.ts";
import type { PlannedCall } from "./judging-call.ts";
import { readKept } from "./kept.ts";
import { askChecks, askConfirmation, writeShared } from "./prompts.ts";

/** Measured: a line of code with its mark has two to three characters per token. */
const CHARACTERS_PER_TOKEN = 2.5;
/** The usual numbers of output tokens for a check, for a call, and for the confirmation of a check. The estimate is twice as high. */
const USUAL_OUTPUT = { check: 90, call: 70, confirmation: 40 } as const;
const OUTPUT_FACTOR = 2;
const SAMPLE_MARK = "aaaa";
/** Stands for the lines that a confirmation shows for a check. There are up to eleven, most of them short. */
const CONFIRMED_LINES = Array.from({ length: 6 }, () => "x".repeat(60));

/**
 * Estimates the remaining calls and their usage. In each sample, the first call with each schema pays for the shared part, and the others
 * find it in the supplier's cache.
 *
 * @param before The replies of earlier attempts. Their calls are not counted.
 */
export function estimateEvaluation(settings: EngineSettings, request: EvaluationRequest, before?: unknown): JudgingEstimate {
	const plan = planCalls(request.criteria, settings.checksPerCall);
	const openCalls = planOpenCalls({ request, plan, kept: readKept(before, basisOf(settings, request)) });
	const shared = writeShared(request, { mark: SAMPLE_MARK, room: settings.maxInputCharacters });
	const tokens = (characters: number) => Math.ceil(characters / CHARACTERS_PER_TOKEN);
	const sharedTokens = tokens(shared.system.length + shared.user.length);
	const open = openCalls.flat().map(({ criterion, positions }) => {
		const { user } = askChecks(shared, criterion, { positions, note: null });
		const confirmed = positions.filter((position) => settings.isConfirming && !criterion.wholeChecks.includes(position));
		const confirmation = askConfirmation(
			confirmed.map((position) => ({ check: criterion.checks[position] ?? "", lines: CONFIRMED_LINES })),
			SAMPLE_MARK,
		);
		return {
			own: tokens(user.length - shared.user.length),
			confirmation: confirmed.length === 0 ? 0 : tokens(confirmation.system.length + confirmation.user.length),
			output: USUAL_OUTPUT.call + USUAL_OUTPUT.check * positions.length + USUAL_OUTPUT.confirmation * confirmed.length,
			calls: confirmed.length === 0 ? 1 : 2,
		};
	});
	const total = (of: (call: (typeof open)[number]) => number) => open.reduce((sum, call) => sum + of(call), 0);
	const used = {
		calls: total(({ calls }) => calls),
		inputTokens: total(({ own, confirmation }) => sharedTokens + own + confirmation),
		cachedTokens: openCalls.reduce((sum, calls) => sum + sharedTokens * (calls.length - countSchemas(calls)), 0),
		outputTokens: OUTPUT_FACTOR * total(({ output }) => output),
	};
	const costs = settings.models.map((model) => {
		const price = settings.prices.get(model) ?? UNKNOWN_PRICE;
		return (used.inputTokens - used.cachedTokens) * price.input + used.cachedTokens * price.cached + used.outputTokens * price.output;
	});
	return { ...used, costMicroUsd: Math.ceil(Math.max(0, ...costs)) };
}

function countSchemas(calls: readonly PlannedCall[]): number {
	return new Set(calls.map(({ positions }) => positions.length)).size;
}

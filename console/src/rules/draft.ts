// A task while someone is writing it. Every field contains the text as typed, so that nothing is lost or rounded before saving.
import * as z from "zod/mini";
import { NAMES } from "../../../packages/sdk/src/generated/texts.ts";
import { DAY_MS } from "../../../src/domain/durations.ts";
import { MODES } from "../../../src/domain/modes.ts";
import { parseDollars } from "./money.ts";
import { fromLocalInput, toLocalInput } from "./time.ts";
import { parseWhole } from "./whole-number.ts";

const criterion = z.object({
	key: z.string(),
	name: z.string(),
	description: z.string(),
	weight: z.string(),
	anyEvidence: z.boolean(),
	finalOnly: z._default(z.boolean(), false),
	checks: z._default(z.string(), ""),
	checksOf: z._default(z.nullable(z.string()), null),
});

export const draft = z.object({
	title: z.string(),
	category: z.string(),
	description: z.string(),
	inputSpec: z.string(),
	outputSpec: z.string(),
	budget: z.string(),
	deadline: z.string(),
	mode: z.enum(NAMES.EvalMode),
	image: z.string(),
	callbackUrl: z.string(),
	testWeight: z.string(),
	memoryMb: z._default(z.string(), "1024"),
	timeoutMinutes: z._default(z.string(), "10"),
	network: z._default(z.boolean(), false),
	maxSubmissions: z.string(),
	finalRound: z.boolean(),
	access: z._default(z.enum(["public", "invited"]), "public"),
	sealed: z._default(z.boolean(), false),
	criteria: z.readonly(z.array(criterion)),
});
export type Draft = z.infer<typeof draft>;
export type Mode = Draft["mode"];

const MIN_BUDGET_CENTS = 10_000;
/** The platform's default category. A draft whose category is cleared gets it again. */
export const DEFAULT_CATEGORY = "general";

/** Returns an empty row for the rubric editor. */
export function emptyCriterion(key: string): Draft["criteria"][number] {
	return { key, name: "", description: "", weight: "", anyEvidence: false, finalOnly: false, checks: "", checksOf: null };
}

/** Returns true if the draft has a final round. External tasks have none. */
export function hasFinalRound({ mode, finalRound }: Pick<Draft, "mode" | "finalRound">): boolean {
	return finalRound && !MODES[mode].isExternal;
}

/** The share of the tests in the score, in percent, until the poster chooses one. Modes with fixed weights ignore it. */
export const DEFAULT_TEST_WEIGHT = "50";

/** Returns the wizard's initial draft: a deadline in a week, and the language model with a final round. */
export function emptyDraft(now: number, criterionKey: string): Draft {
	return {
		title: "",
		category: "",
		description: "",
		inputSpec: "",
		outputSpec: "",
		budget: "",
		deadline: toLocalInput(now + 7 * DAY_MS),
		mode: "llm",
		image: "",
		callbackUrl: "",
		testWeight: DEFAULT_TEST_WEIGHT,
		memoryMb: "1024",
		timeoutMinutes: "10",
		network: false,
		maxSubmissions: "15",
		finalRound: true,
		access: "public",
		sealed: false,
		criteria: [emptyCriterion(criterionKey)],
	};
}

export type TaskFault = Partial<Record<"title" | "budget" | "deadline", string>>;

/** Returns the errors that block saving the first step, by field. */
export function findTaskFaults({ title, budget, deadline }: Draft, now: number): TaskFault {
	const cents = parseDollars(budget);
	const end = fromLocalInput(deadline);
	return {
		...(title.trim() === "" ? { title: "Say in one line what you need." } : {}),
		...(cents === null || cents < MIN_BUDGET_CENTS ? { budget: describeBudgetFault(budget, cents) } : {}),
		...(end === null || Date.parse(end) < now + DAY_MS ? { deadline: "At least 24 hours from now." } : {}),
	};
}

function describeBudgetFault(typed: string, cents: number | null): string {
	return cents === null && typed.trim() !== "" ? "Write an amount, such as 1,500 or 1500.50." : "At least $100.";
}

export type JudgingFault = Partial<Record<"maxSubmissions" | "memoryMb" | "timeoutMinutes" | "testWeight", string>>;

/** Returns errors for numbers in the judging step that the API would reject, by field. */
export function findJudgingFaults({ maxSubmissions, memoryMb, timeoutMinutes, testWeight }: Draft): JudgingFault {
	return {
		...(parseWhole(maxSubmissions, { min: 1, max: 25 }) === null ? { maxSubmissions: "From 1 to 25." } : {}),
		...(parseWhole(memoryMb, MEMORY_MB) === null ? { memoryMb: "From 512 to 4096." } : {}),
		...(!isBetween(timeoutMinutes, 10, 60) ? { timeoutMinutes: "From 10 to 60." } : {}),
		...(!isBetween(testWeight, 0, 100) ? { testWeight: "From 0 to 100." } : {}),
	};
}

function isBetween(text: string, min: number, max: number): boolean {
	return /^\s*\d{1,3}(\.\d+)?\s*$/.test(text) && Number(text) >= min && Number(text) <= max;
}

const MEMORY_MB = { min: 512, max: 4096 };

const orNull = (text: string): string | null => (text.trim() === "" ? null : text);

/** Returns the fields of the first step as the API expects them. Call it only if there are no errors. */
export function toTaskFields(value: Draft) {
	return {
		title: value.title.trim(),
		description: orNull(value.description),
		category: value.category.trim() === "" ? DEFAULT_CATEGORY : value.category.trim(),
		input_spec: orNull(value.inputSpec),
		output_spec: orNull(value.outputSpec),
		budget_cents: parseDollars(value.budget) ?? 0,
		deadline: fromLocalInput(value.deadline) ?? "",
	};
}

/** Returns the fields of the judging step for PATCH, without those that the mode does not use. */
export function toJudgingFields(value: Draft) {
	const { mode, image, callbackUrl, testWeight, maxSubmissions, access, sealed } = value;
	const { usesImage, isExternal, hasFreeWeights } = MODES[mode];
	const share = Number(testWeight);
	return {
		eval_mode: mode,
		eval_image: usesImage ? orNull(image) : null,
		eval_callback_url: isExternal ? orNull(callbackUrl) : null,
		max_submissions_per_agent: Number(maxSubmissions),
		final_round: hasFinalRound(value),
		access,
		sealed: sealed && canBeSealed(value),
		...(usesImage ? toImageFields(value) : { eval_network: false }),
		...(hasFreeWeights ? { test_weight: share, llm_weight: 100 - share } : {}),
	};
}

/**
 * Returns true if the submissions can be sealed. A poster's own service, or an image that can use the network, could reveal them anyway.
 */
export function canBeSealed({ mode, network }: Pick<Draft, "mode" | "network">): boolean {
	const { usesImage, isExternal } = MODES[mode];
	return !isExternal && !(usesImage && network);
}

function toImageFields({ memoryMb, timeoutMinutes, network }: Draft) {
	return {
		eval_memory_mb: parseWhole(memoryMb, MEMORY_MB) ?? Number(memoryMb),
		eval_timeout_seconds: Math.round(Number(timeoutMinutes) * 60),
		eval_network: network,
	};
}

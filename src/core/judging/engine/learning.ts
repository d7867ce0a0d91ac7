// An isolate learns which forms of requests the model servers accept, and how much fits into one call.
import type { ModelJudgeSettings } from "../../../config/judge-settings.ts";
import { readModel } from "../../../config/judge-suppliers.ts";
import { DAY_MS } from "../../../platform/clock.ts";
import { type SaidSizes, sizesIn } from "./supplier-answers.ts";
import type { WireForm } from "./wire.ts";

type FormSettings = Pick<ModelJudgeSettings, "baseUrl" | "responseFormat" | "outputLimit">;

/** Returns the form of the first request to a model's server. */
function firstForm(model: string, { responseFormat, outputLimit }: FormSettings): WireForm {
	switch (readModel(model).kind) {
		case "anthropic":
			return { format: "json_schema", limit: "max_tokens", isStreamed: true };
		case "openai":
			return { format: "json_schema", limit: "max_completion_tokens", isStreamed: true };
		case "workers-ai":
			return { format: "json_schema", limit: "max_tokens", isStreamed: true };
		case "chat":
			return { format: responseFormat, limit: outputLimit.field === "max_tokens" ? "max_tokens" : "both", isStreamed: true };
	}
}

const LOWER = { json_schema: "json_object", json_object: "text", text: null } as const;

/** Returns the next simpler form, chosen by the server's error message. Returns null if there is none. */
export function lowerForm(form: WireForm, words: string): WireForm | null {
	const isAboutLimit = /max_completion_tokens|max_tokens/i.test(words) && form.limit === "both";
	if (isAboutLimit) return { ...form, limit: "max_tokens" };
	const isAboutFormat = /response_format|json_schema|json_object|structured|output_config|output_format|grammar/i.test(words);
	if (/stream/i.test(words) && form.isStreamed && !isAboutFormat) return { ...form, isStreamed: false };
	const format = LOWER[form.format];
	if (format !== null) return { ...form, format };
	return form.isStreamed ? { ...form, isStreamed: false } : null;
}

const forms = new Map<string, { readonly form: WireForm; readonly until: number }>();

function keyOf(model: string, { baseUrl }: Pick<FormSettings, "baseUrl">): string {
	return `${baseUrl} ${model}`;
}

export function formOf(model: string, settings: FormSettings, now: number): WireForm {
	const learned = forms.get(keyOf(model, settings));
	return learned !== undefined && learned.until > now ? learned.form : firstForm(model, settings);
}

/** Remembers for a day that this is the most demanding form that a model's server accepts. */
export function rememberForm(
	model: string,
	{ settings, form, now }: { readonly settings: FormSettings; readonly form: WireForm; readonly now: number },
): void {
	forms.set(keyOf(model, settings), { form, until: now + DAY_MS });
}

/** Forgets all forms, for tests. */
export function forgetForms(): void {
	forms.clear();
}

/** The room that a call to a model has for task and files, and the limit of its reply. */
export interface CallLimits {
	readonly characters: number;
	readonly replyTokens: number;
}

const MIN_CHARACTERS = 10_000;
const MIN_TOKENS = 5_000;
const MIN_REPLY_TOKENS = 300;
/** A margin, because token counts vary from call to call and the text after the files needs room. */
const SAFETY = 0.9;

/** A call that was too long. `sent` contains its limits and the length of its prompt. */
interface TooLong {
	readonly words: string;
	readonly isAboutReply: boolean;
	readonly sent: CallLimits & { readonly promptCharacters: number };
}

/**
 * Returns a smaller limit for the reply or for the input, computed from the sizes that the supplier mentions, if any. Returns null if a
 * smaller limit would not help.
 */
export function lowerLimits(tooLong: TooLong): Partial<CallLimits> | null {
	const sizes = sizesIn(tooLong.words);
	return (tooLong.isAboutReply ? lowerReply(tooLong, sizes) : null) ?? lowerInput(tooLong, sizes);
}

function lowerReply({ sent }: TooLong, { context, input }: SaidSizes): Partial<CallLimits> | null {
	const fitting = context === null || input === null ? Math.floor(sent.replyTokens / 2) : Math.floor((context - input) * SAFETY);
	return fitting < MIN_REPLY_TOKENS || fitting >= sent.replyTokens ? null : { replyTokens: fitting };
}

function lowerInput({ sent }: TooLong, { context, input }: SaidSizes): Partial<CallLimits> | null {
	const perToken = input === null || input === 0 ? 3 : sent.promptCharacters / input;
	const least = Math.ceil(Math.min(MIN_CHARACTERS, MIN_TOKENS * perToken));
	if (sent.characters <= least) return null;
	// The length of everything else in the prompt, which stays the same. At least 0, because the files may not have filled their room.
	const beside = Math.max(0, sent.promptCharacters - sent.characters);
	const said = context === null || input === null ? sent.characters / 2 : (context - sent.replyTokens) * SAFETY * perToken - beside;
	const fitting = Math.floor(said < sent.characters ? said : sent.characters / 2);
	return { characters: Math.max(least, fitting) };
}

/** In practice, a token has at most this number of characters. A server that counts fewer tokens has silently cut the prompt. */
const MAX_CHARACTERS_PER_TOKEN = 8;

export function looksTruncated(inputTokens: number, promptCharacters: number): boolean {
	return inputTokens > 0 && inputTokens * MAX_CHARACTERS_PER_TOKEN < promptCharacters;
}

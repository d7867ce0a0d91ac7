// Suppliers have two wire formats: chat completions, which OpenAI, Workers AI and compatible servers use, and Anthropic's messages.
import * as z from "zod";
import type { SuppliedModel } from "../../../config/judge-suppliers.ts";
import { errorInside, type SupplierError } from "./supplier-answers.ts";

/** The schema of a reply, in a subset of JSON Schema that suppliers support. For Anthropic, the limits are removed from it. */
export interface ReplyFormat {
	readonly name: string;
	readonly schema: Readonly<Record<string, unknown>>;
}

/** The form of a request. If a server rejects it, a simpler form is used. */
export interface WireForm {
	readonly format: "json_schema" | "json_object" | "text";
	readonly limit: "both" | "max_tokens" | "max_completion_tokens";
	readonly isStreamed: boolean;
}

export interface WireRequest {
	/** The model, with its name at the supplier. */
	readonly supplied: SuppliedModel;
	readonly system: string;
	readonly user: string;
	/** How many characters at the beginning of `user` are the same in all calls of an evaluation. */
	readonly sharedCharacters: number;
	readonly format: ReplyFormat;
	readonly maxTokens: number;
	readonly temperature: number | null;
	readonly form: WireForm;
}

/** `length`: the reply reached its limit. `withheld`: the supplier filtered the reply, or the model declined. */
export type ReplyEnding = "stop" | "length" | "withheld";

export interface WireReply {
	/** The text of the reply. Empty if it has none. */
	readonly text: string;
	readonly ending: ReplyEnding;
	/** The number of input tokens, including those that came from the supplier's cache. */
	readonly inputTokens: number;
	readonly outputTokens: number;
	/** The number of input tokens that came from the supplier's cache. Undefined if the supplier does not report it. */
	readonly cachedTokens: number | undefined;
	/** Additional tokens to bill like input, because the supplier charges more than the usual price for some tokens. */
	readonly surchargedTokens: number;
}

/** Reads a stream event by event. */
export interface ReplyStream {
	/** Reads an event. Returns true if it contains a token, including reasoning tokens. Returns an error if the event reports one. */
	add(event: unknown): boolean | SupplierError;
	/** Returns the reply, or null if the stream is incomplete. */
	end(): WireReply | null;
}

export interface Wire {
	readonly path: string;
	headers(apiKey: string): Readonly<Record<string, string>>;
	body(request: WireRequest): unknown;
	openStream(): ReplyStream;
	/** Parses a whole body. Returns null if it is not a reply. */
	read(body: unknown): WireReply | null;
}

export function wireOf({ kind }: SuppliedModel): Wire {
	return kind === "anthropic" ? messages : completions;
}

const looseText = z.string().nullish().catch(null);
const count = z.number().int().min(0).nullish().catch(0);

const usageSchema = z
	.object({
		prompt_tokens: count,
		completion_tokens: count,
		prompt_tokens_details: z.object({ cached_tokens: count }).nullish().catch(null),
	})
	.nullish()
	.catch(null);

const part = z.object({ content: z.unknown(), refusal: looseText }).nullish().catch(null);
const choiceSchema = z.object({ message: part, delta: z.record(z.string(), z.unknown()).nullish().catch(null), finish_reason: looseText });
const completionSchema = z.object({ choices: z.array(choiceSchema).catch([]), usage: usageSchema });

const LIMIT_FIELDS = {
	both: ["max_completion_tokens", "max_tokens"],
	max_tokens: ["max_tokens"],
	max_completion_tokens: ["max_completion_tokens"],
} as const;

const completions: Wire = {
	path: "/chat/completions",
	headers: (apiKey) => ({ Authorization: `Bearer ${apiKey}` }),
	body: ({ supplied, system, user, format, maxTokens, temperature, form }) => ({
		model: supplied.model,
		messages: [
			{ role: "system", content: system },
			{ role: "user", content: user },
		],
		...Object.fromEntries(LIMIT_FIELDS[form.limit].map((field) => [field, maxTokens])),
		...(supplied.effort === null ? {} : { reasoning_effort: supplied.effort }),
		...(temperature === null ? {} : { temperature }),
		...responseFormatOf(form.format, format),
		...(form.isStreamed ? { stream: true, stream_options: { include_usage: true } } : {}),
	}),
	openStream: openCompletion,
	read(body) {
		const parsed = completionSchema.safeParse(body);
		const [choice] = parsed.data?.choices ?? [];
		if (parsed.data === undefined || choice === undefined) return null;
		const text = readContent(choice.message?.content);
		return replyOf(text, { finishReason: choice.finish_reason, isRefused: isSaid(choice.message?.refusal), usage: parsed.data.usage });
	},
};

function responseFormatOf(form: WireForm["format"], { name, schema }: ReplyFormat) {
	switch (form) {
		case "json_schema":
			return { response_format: { type: "json_schema", json_schema: { name, strict: true, schema } } };
		case "json_object":
			return { response_format: { type: "json_object" } };
		case "text":
			return {};
	}
}

function isSaid(text: unknown): boolean {
	return typeof text === "string" && text !== "";
}

function replyOf(
	text: string,
	{
		finishReason,
		isRefused,
		usage,
	}: { readonly finishReason: string | null | undefined; readonly isRefused: boolean; readonly usage: z.output<typeof usageSchema> },
): WireReply {
	const isWithheld = isRefused || (text === "" && finishReason !== "length") || WITHHELD.test(finishReason ?? "");
	return {
		text,
		ending: isWithheld ? "withheld" : finishReason === "length" ? "length" : "stop",
		inputTokens: usage?.prompt_tokens ?? 0,
		outputTokens: usage?.completion_tokens ?? 0,
		cachedTokens: usage?.prompt_tokens_details?.cached_tokens ?? undefined,
		surchargedTokens: 0,
	};
}

const WITHHELD = /content_filter|recitation|safety/i;

const contentPart = z.object({ text: z.string() });

/** Some endpoints send the text in parts, with thoughts as parts without a text. Some send JSON as an object instead of text. */
function readContent(content: unknown): string {
	if (typeof content === "string") return content;
	if (typeof content !== "object" || content === null) return "";
	if (!Array.isArray(content)) return JSON.stringify(content);
	return content.map((part) => contentPart.safeParse(part).data?.text ?? "").join("");
}

/** The fields of a delta that contain output. A server may send the role before any output. */
const SAYING = ["content", "refusal", "reasoning", "reasoning_content", "thinking"] as const;
/** The fields of a delta that contain output as a list. */
const LISTING = ["content", "tool_calls"] as const;

function openCompletion(): ReplyStream {
	let text = "";
	let isRefused = false;
	let finishReason: string | null = null;
	let usage: z.output<typeof usageSchema> = null;
	return {
		add(event) {
			const error = errorInside(event);
			if (error !== null) return error;
			const parsed = completionSchema.safeParse(event).data;
			const [choice] = parsed?.choices ?? [];
			usage = parsed?.usage ?? usage;
			const delta = choice?.delta ?? {};
			text += readContent(delta["content"]);
			isRefused ||= isSaid(delta["refusal"]);
			finishReason = choice?.finish_reason ?? finishReason;
			return SAYING.some((field) => isSaid(delta[field])) || LISTING.some((field) => Array.isArray(delta[field]));
		},
		end: () => (finishReason === null ? null : replyOf(text, { finishReason, isRefused, usage })),
	};
}

const VERSION = "2023-06-01";
/** Tokens that are written to Anthropic's cache cost the usual price times this factor. */
const CACHE_WRITE_FACTOR = 1.25;

const messageUsage = z
	.object({ input_tokens: count, output_tokens: count, cache_creation_input_tokens: count, cache_read_input_tokens: count })
	.nullish()
	.catch(null);
const messageSchema = z.object({
	content: z.array(z.object({ type: z.string(), text: z.string().optional() })),
	stop_reason: looseText,
	usage: messageUsage,
});

const messages: Wire = {
	path: "/messages",
	headers: (apiKey) => ({ "x-api-key": apiKey, "anthropic-version": VERSION }),
	body: ({ supplied, system, user, sharedCharacters, format, maxTokens, form }) => ({
		model: supplied.model,
		max_tokens: maxTokens,
		system: [{ type: "text", text: system }],
		messages: [{ role: "user", content: blocksOf(user, sharedCharacters) }],
		...(form.format === "json_schema" ? { output_config: { format: { type: "json_schema", schema: withoutBounds(format.schema) } } } : {}),
		...(form.isStreamed ? { stream: true } : {}),
	}),
	openStream: openMessage,
	read(body) {
		const parsed = messageSchema.safeParse(body);
		if (!parsed.success) return null;
		const text = parsed.data.content.map(({ type, text: said }) => (type === "text" ? (said ?? "") : "")).join("");
		return messageReply(text, { stopReason: parsed.data.stop_reason ?? "", usage: parsed.data.usage });
	},
};

/** Removes the maximum lengths of texts and lists from a schema, because Anthropic rejects schemas that contain them. */
function withoutBounds(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(withoutBounds);
	if (typeof value !== "object" || value === null) return value;
	const keywords = Object.entries(value).filter(([name]) => name !== "maxItems" && name !== "maxLength");
	return Object.fromEntries(keywords.map(([name, inner]) => [name, withoutBounds(inner)]));
}

function messageReply(
	text: string,
	{ stopReason, usage }: { readonly stopReason: string; readonly usage: z.output<typeof messageUsage> },
): WireReply {
	const cached = usage?.cache_read_input_tokens ?? 0;
	const written = usage?.cache_creation_input_tokens ?? 0;
	const isCut = stopReason === "max_tokens" || stopReason === "model_context_window_exceeded";
	return {
		text,
		ending: stopReason === "refusal" || (text === "" && !isCut) ? "withheld" : isCut ? "length" : "stop",
		inputTokens: (usage?.input_tokens ?? 0) + cached + written,
		outputTokens: usage?.output_tokens ?? 0,
		cachedTokens: cached,
		surchargedTokens: written * (CACHE_WRITE_FACTOR - 1),
	};
}

/**
 * Splits the prompt after the part that calls share, and marks that part for the cache. Without the mark, later calls would not find it
 * there.
 */
function blocksOf(user: string, sharedCharacters: number) {
	const [shared, own] = [user.slice(0, sharedCharacters), user.slice(sharedCharacters)];
	if (shared === "" || own === "") return [{ type: "text", text: user }];
	return [
		{ type: "text", text: shared, cache_control: { type: "ephemeral" } },
		{ type: "text", text: own },
	];
}

const messageEvent = z.object({
	type: z.string(),
	message: z.object({ usage: z.record(z.string(), z.unknown()).nullish() }).nullish(),
	delta: z.object({ text: z.string().optional(), stop_reason: looseText }).nullish(),
	usage: z.record(z.string(), z.unknown()).nullish(),
});

function openMessage(): ReplyStream {
	let text = "";
	let stopReason: string | null = null;
	let usage: Readonly<Record<string, unknown>> = {};
	return {
		add(event) {
			const error = errorInside(event);
			if (error !== null) return error;
			const parsed = messageEvent.safeParse(event).data;
			if (parsed === undefined) return false;
			usage = { ...usage, ...parsed.message?.usage, ...parsed.usage };
			stopReason = parsed.delta?.stop_reason ?? stopReason;
			text += parsed.type === "content_block_delta" ? (parsed.delta?.text ?? "") : "";
			return parsed.type === "content_block_delta";
		},
		end: () => (stopReason === null ? null : messageReply(text, { stopReason, usage: messageUsage.parse(usage) })),
	};
}

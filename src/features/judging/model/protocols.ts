// Suppliers have two wire formats: chat completions, which OpenAI, Workers AI and compatible servers use, and Anthropic's messages.
import * as z from "zod";
import type { ModelJudgeSettings } from "../../../config/judge-settings.ts";
import type { SuppliedModel } from "../../../config/judge-suppliers.ts";
import { anthropicMessages } from "./anthropic.ts";
import type { ChatEnding, Protocol, ReplyAssembler, ReplyFormat } from "./protocol.ts";

/** Chooses the wire format of a model. */
export function protocolOf({ kind, effort }: SuppliedModel, settings: ModelJudgeSettings): Protocol {
	switch (kind) {
		case "anthropic":
			return anthropicMessages;
		case "openai":
			return chatCompletions({ responseFormat: "json_schema", limitField: "max_completion_tokens", effort, isStreamed: true });
		case "workers-ai":
			return chatCompletions({ responseFormat: "json_schema", limitField: "max_tokens", effort: null, isStreamed: false });
		case "chat":
			return chatCompletions({
				responseFormat: settings.responseFormat,
				limitField: settings.outputLimit.field,
				effort: null,
				isStreamed: false,
			});
	}
}

interface Dialect {
	readonly responseFormat: ModelJudgeSettings["responseFormat"];
	readonly limitField: ModelJudgeSettings["outputLimit"]["field"];
	readonly effort: string | null;
	/** Other servers than OpenAI's may refuse the fields that ask for a stream with its usage. */
	readonly isStreamed: boolean;
}

function chatCompletions({ responseFormat, limitField, effort, isStreamed }: Dialect): Protocol {
	return {
		path: "/chat/completions",
		headers: (apiKey) => ({ Authorization: `Bearer ${apiKey}` }),
		body: ({ model, system, user, format, maxTokens }) => ({
			model,
			messages: [
				{ role: "system", content: system },
				{ role: "user", content: user },
			],
			[limitField]: maxTokens,
			...(effort === null ? {} : { reasoning_effort: effort }),
			...responseFormatOf(responseFormat, format),
			...(isStreamed ? { stream: true, stream_options: { include_usage: true } } : {}),
		}),
		fold: foldCompletion,
		read(body) {
			const choice = completion.safeParse(body).data?.choices[0];
			const { prompt_tokens, completion_tokens, prompt_tokens_details } = usage.safeParse(body).data?.usage ?? UNREPORTED_USAGE;
			return {
				text: readContent(choice?.message.content),
				ending: readEnding(choice),
				inputTokens: prompt_tokens,
				outputTokens: completion_tokens,
				cachedTokens: prompt_tokens_details?.cached_tokens,
				surchargedTokens: 0,
			};
		},
	};
}

function responseFormatOf(responseFormat: Dialect["responseFormat"], { name, schema }: ReplyFormat) {
	switch (responseFormat) {
		case "json_schema":
			return { response_format: { type: "json_schema", json_schema: { name, strict: true, schema } } };
		case "json_object":
			return { response_format: { type: "json_object" } };
		case "text":
			return {};
	}
}

const optionalText = z.string().nullish().catch(null);

/** Only these fields of a chat completion are read, because endpoints differ in the rest. */
const completion = z.object({
	choices: z.array(z.object({ message: z.object({ content: z.unknown(), refusal: optionalText }), finish_reason: optionalText })).min(1),
});

const streamEvent = z.object({
	choices: z
		.array(z.object({ delta: z.object({ content: optionalText, refusal: optionalText }).optional(), finish_reason: optionalText }))
		.catch([]),
	usage: z.unknown().optional(),
	error: z.unknown().optional(),
});

function foldCompletion(): ReplyAssembler {
	let content: string | null = null;
	let refusal: string | null = null;
	let finishReason: string | null = null;
	let usage: unknown;
	return {
		add(event) {
			const { choices, usage: reported, error } = streamEvent.parse(event);
			if (error != null) throw new Error("The supplier reported an error in the stream.");
			const [choice] = choices;
			if (choice?.delta?.content != null) content = (content ?? "") + choice.delta.content;
			if (choice?.delta?.refusal != null) refusal = (refusal ?? "") + choice.delta.refusal;
			finishReason = choice?.finish_reason ?? finishReason;
			usage = reported ?? usage;
		},
		end: () => (finishReason === null ? null : { choices: [{ message: { content, refusal }, finish_reason: finishReason }], usage }),
	};
}

function readEnding(choice: z.output<typeof completion>["choices"][number] | undefined): ChatEnding {
	if (choice === undefined) return "unreadable";
	if (choice.finish_reason === "content_filter") return "filtered";
	if (choice.message.refusal) return "refused";
	return choice.finish_reason === "length" ? "cut_off" : "complete";
}

/** Some endpoints send the text in parts, and some send JSON as an object instead of text. */
const contentParts = z.array(z.object({ text: z.string() }));

function readContent(content: unknown): string {
	if (typeof content === "string") return content;
	if (typeof content !== "object" || content === null) return "";
	const parts = contentParts.safeParse(content);
	return parts.success ? parts.data.map(({ text }) => text).join("") : JSON.stringify(content);
}

const count = z.number().int().min(0).catch(0);
const usage = z.object({
	usage: z.object({
		prompt_tokens: count,
		completion_tokens: count,
		prompt_tokens_details: z
			.object({ cached_tokens: z.number().int().min(0).optional().catch(undefined) })
			.nullish()
			.catch(null),
	}),
});

const UNREPORTED_USAGE = { prompt_tokens: 0, completion_tokens: 0, prompt_tokens_details: null };

// One call to a model over the chat-completions protocol: the reply, how it ended and what it cost.
import * as z from "zod";
import type { ModelJudgeSettings } from "../../../config/judge-settings.ts";
import type { Clock } from "../../../platform/clock.ts";
import type { Fetch } from "../../../ports/fetch.ts";
import type { ModelCall } from "../../../ports/judge.ts";
import { brokenOff, type HttpReply, isContentFilter, toFault } from "./chat-faults.ts";

/** The largest limit of tokens that settings allow is well under 1 MB of text. */
const MAX_REPLY_BYTES = 4 * 1_048_576;

export interface ChatDeps {
	readonly clock: Clock;
	readonly fetch: Fetch;
}

interface ReplyFormat {
	readonly name: string;
	/** In the part of JSON Schema that all endpoints enforce. */
	readonly schema: Readonly<Record<string, unknown>>;
}

interface ChatRequest {
	readonly model: string;
	readonly system: string;
	readonly user: string;
	/** The schema of the model's reply. */
	readonly format: ReplyFormat;
	/** Multiplies the limits of time and tokens of the settings. */
	readonly patience: number;
	readonly signal?: AbortSignal | undefined;
}

/**
 * `cut_off`: the reply reached the limit of tokens. `late`: it did not end in time. `filtered`: the provider withheld it. `refused`: the model declined.
 * `unreadable`: the endpoint did not send a chat completion.
 */
export type ChatEnding = "complete" | "cut_off" | "late" | "filtered" | "refused" | "unreadable";

interface ChatReply {
	/** Empty when the reply has none. */
	readonly text: string;
	readonly ending: ChatEnding;
	readonly call: ModelCall;
}

export interface Chat {
	/** @throws EvaluationFault, ContextOverflowError. */
	complete(request: ChatRequest): Promise<ChatReply>;
}

/** Creates the client of one evaluation. It never repeats a failed call; the queue does. */
export function createChat({ clock, fetch }: ChatDeps, settings: ModelJudgeSettings): Chat {
	return {
		async complete(request) {
			const timeout = AbortSignal.timeout(settings.timeoutMs * request.patience);
			const signal = request.signal === undefined ? timeout : AbortSignal.any([request.signal, timeout]);
			const reply = await post(fetch, settings, { request, signal }).catch((error: unknown) => {
				if (timeout.aborted && request.signal?.aborted !== true) return null;
				throw brokenOff(error);
			});
			if (reply === null) return withoutReply(request.model, "late");
			if (isContentFilter(reply)) return withoutReply(request.model, "filtered");
			if (reply.status < 200 || reply.status >= 300) throw toFault(reply, { model: request.model, now: clock.now() });
			return readReply(parseJson(reply.text), settings, request.model);
		},
	};
}

/** The provider reported no usage. */
function withoutReply(model: string, ending: ChatEnding): ChatReply {
	return { text: "", ending, call: { model, inputTokens: 0, outputTokens: 0, costMicroUsd: null } };
}

interface Post {
	readonly request: ChatRequest;
	/** Covers the reply's body too. */
	readonly signal: AbortSignal;
}

async function post(fetch: Fetch, settings: ModelJudgeSettings, { request, signal }: Post): Promise<HttpReply> {
	const response = await fetch(`${settings.baseUrl}/chat/completions`, {
		method: "POST",
		headers: { Authorization: `Bearer ${settings.apiKey}`, "Content-Type": "application/json", "User-Agent": "bounty-platform" },
		body: JSON.stringify(bodyOf(settings, request)),
		// A redirect would send the key to a host that the operator did not configure.
		redirect: "manual",
		signal,
	});
	return { status: response.status, headers: response.headers, text: await readText(response) };
}

async function readText({ body }: Response): Promise<string> {
	const decoder = new TextDecoder();
	let text = "";
	let bytes = 0;
	for await (const chunk of body ?? []) {
		bytes += chunk.byteLength;
		if (bytes > MAX_REPLY_BYTES) throw new Error(`The reply has more than ${MAX_REPLY_BYTES} bytes.`);
		text += decoder.decode(chunk, { stream: true });
	}
	return text + decoder.decode();
}

/** @throws EvaluationFault, because a reply that is not JSON was cut off on its way. */
function parseJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch (error) {
		throw brokenOff(error);
	}
}

function bodyOf(settings: ModelJudgeSettings, { model, system, user, format, patience }: ChatRequest) {
	return {
		model,
		messages: [
			{ role: "system", content: system },
			{ role: "user", content: user },
		],
		[settings.outputLimit.field]: settings.outputLimit.tokens * patience,
		...responseFormatOf(settings, format),
	};
}

function responseFormatOf({ responseFormat }: ModelJudgeSettings, { name, schema }: ReplyFormat) {
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

/** The fields that are read of a chat completion. Endpoints differ in the rest. */
const completion = z.object({
	choices: z.array(z.object({ message: z.object({ content: z.unknown(), refusal: optionalText }), finish_reason: optionalText })).min(1),
});

type Choice = z.output<typeof completion>["choices"][number];

function endingOf(choice: Choice | undefined): ChatEnding {
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

const NO_USAGE = { prompt_tokens: 0, completion_tokens: 0, prompt_tokens_details: null };

function readReply(body: unknown, { prices }: ModelJudgeSettings, model: string): ChatReply {
	const choice = completion.safeParse(body).data?.choices[0];
	const { prompt_tokens, completion_tokens, prompt_tokens_details } = usage.safeParse(body).data?.usage ?? NO_USAGE;
	const cached = prompt_tokens_details?.cached_tokens;
	const cachedTokens = Math.min(cached ?? 0, prompt_tokens);
	const price = prices.get(model);
	const costMicroUsd =
		price === undefined
			? null
			: Math.round((prompt_tokens - cachedTokens) * price.input + cachedTokens * price.cached + completion_tokens * price.output);
	const call = { model, inputTokens: prompt_tokens, outputTokens: completion_tokens, costMicroUsd };
	return {
		text: readContent(choice?.message.content),
		ending: endingOf(choice),
		call: cached === undefined ? call : { ...call, cachedTokens },
	};
}

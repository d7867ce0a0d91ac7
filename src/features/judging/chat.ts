// One call to a model over the chat-completions protocol: its text and what it cost, or whose fault there is none.
import { APIConnectionError, APIConnectionTimeoutError, APIError, OpenAI } from "openai";
import * as z from "zod";
import type { ModelJudgeSettings } from "../../config/judge-settings.ts";
import { EvaluationFault } from "../../domain/evaluation-fault.ts";
import { parseRetryAfter } from "../../domain/retries.ts";
import type { Clock } from "../../platform/clock.ts";
import type { ModelCall } from "../../ports/judge.ts";
import { ANSWER_JSON_SCHEMA } from "./answer.ts";

/** The call does not fit into the model's context; a shorter one may. */
export class ContextOverflowError extends Error {
	override readonly name = "ContextOverflowError";
}

interface ChatRequest {
	readonly model: string;
	readonly system: string;
	readonly user: string;
	readonly signal?: AbortSignal | undefined;
}

interface ChatReply {
	/** Empty when the model refused, or when the endpoint sent something else than a chat completion. */
	readonly text: string;
	readonly call: ModelCall;
}

export interface Chat {
	/** @throws EvaluationFault, ContextOverflowError. */
	complete(request: ChatRequest): Promise<ChatReply>;
}

/** Makes the client of one evaluation. Repeating failed calls is the queue's business, so the client never does. */
export function createChat(settings: ModelJudgeSettings, clock: Clock): Chat {
	const client = new OpenAI({
		apiKey: settings.apiKey,
		baseURL: settings.baseUrl,
		maxRetries: 0,
		timeout: settings.timeoutMs,
		organization: null,
		project: null,
		adminAPIKey: null,
		webhookSecret: null,
		logLevel: "off",
	});
	return {
		async complete(request) {
			// The client's own time limit ends with the headers; this one covers the body too.
			const timeout = AbortSignal.timeout(settings.timeoutMs);
			const signal = request.signal === undefined ? timeout : AbortSignal.any([request.signal, timeout]);
			try {
				const body: unknown = await client.chat.completions.create(bodyOf(settings, request), { signal });
				return readReply(body, settings, request.model);
			} catch (error) {
				if (timeout.aborted || error instanceof APIConnectionTimeoutError) throw tooSlow(settings.timeoutMs, error);
				throw toFault(error, { model: request.model, now: clock.now() });
			}
		},
	};
}

function bodyOf(settings: ModelJudgeSettings, { model, system, user }: ChatRequest): OpenAI.ChatCompletionCreateParamsNonStreaming {
	return {
		model,
		messages: [
			{ role: "system", content: system },
			{ role: "user", content: user },
		],
		[settings.tokenLimitField]: settings.maxOutputTokens,
		...(settings.temperature === null ? {} : { temperature: settings.temperature }),
		...responseFormatOf(settings),
	};
}

function responseFormatOf({ responseFormat }: ModelJudgeSettings): Pick<OpenAI.ChatCompletionCreateParamsNonStreaming, "response_format"> {
	switch (responseFormat) {
		case "json_schema":
			return {
				response_format: { type: "json_schema", json_schema: { name: "judgement", strict: true, schema: { ...ANSWER_JSON_SCHEMA } } },
			};
		case "json_object":
			return { response_format: { type: "json_object" } };
		case "text":
			return {};
	}
}

const count = z.number().int().min(0).catch(0);

/** What is read of a chat completion. Endpoints differ in the rest. */
const completion = z.object({
	choices: z.array(z.object({ message: z.object({ content: z.unknown() }) })).min(1),
});

/** Some endpoints send the text in parts, and some send JSON as an object where a text is due. */
const contentParts = z.array(z.object({ text: z.string() }));

function readContent(content: unknown): string {
	if (typeof content === "string") return content;
	if (typeof content !== "object" || content === null) return "";
	const parts = contentParts.safeParse(content);
	return parts.success ? parts.data.map(({ text }) => text).join("") : JSON.stringify(content);
}

const usage = z.object({ usage: z.object({ prompt_tokens: count, completion_tokens: count }) });

function readReply(body: unknown, { prices }: ModelJudgeSettings, model: string): ChatReply {
	const text = readContent(completion.safeParse(body).data?.choices[0]?.message.content);
	const tokens = usage.safeParse(body).data?.usage ?? { prompt_tokens: 0, completion_tokens: 0 };
	const price = prices.get(model);
	const costMicroUsd =
		price === undefined ? null : Math.round(tokens.prompt_tokens * price.input + tokens.completion_tokens * price.output);
	return { text, call: { model, inputTokens: tokens.prompt_tokens, outputTokens: tokens.completion_tokens, costMicroUsd } };
}

function tooSlow(timeoutMs: number, cause: unknown): EvaluationFault {
	const message = `The judge did not answer within ${timeoutMs / 1000} seconds.`;
	return new EvaluationFault(message, { blame: "platform", isRetryable: true, cause });
}

interface Circumstances {
	readonly model: string;
	/** Milliseconds since the epoch. */
	readonly now: number;
}

const OVERFLOW = /context.?(length|window|size)|maximum context|too (long|large|many tokens)|token limit|reduce the length/i;

/**
 * What a failed call means. A refusal of the request itself will be refused again; everything else passes.
 * Messages name no address and no credential: agents read them.
 */
function toFault(error: unknown, { model, now }: Circumstances): EvaluationFault | ContextOverflowError {
	if (error instanceof EvaluationFault) return error;
	if (!(error instanceof APIError) || error instanceof APIConnectionError || error.status === undefined) {
		const message = "The connection to the judge failed or broke off.";
		return new EvaluationFault(message, { blame: "platform", isRetryable: true, cause: error });
	}
	const { status } = error;
	const isTooLong = status === 413 || (status === 400 && (error.code === "context_length_exceeded" || OVERFLOW.test(error.message)));
	if (isTooLong) return new ContextOverflowError(error.message, { cause: error });
	if (status === 429 || status >= 500 || status === 408 || status === 409) {
		const retryAfterMs = parseRetryAfter(error.headers?.get("Retry-After"), now);
		const reason = status === 429 ? "is at its rate limit" : `failed with status ${status}`;
		const facts = { blame: "platform", isRetryable: true, cause: error } as const;
		return new EvaluationFault(
			`The judge ${reason}.`,
			retryAfterMs === null ? facts : { ...facts, retryAfterSeconds: retryAfterMs / 1000 },
		);
	}
	const reason =
		status === 401 || status === 403
			? "refused this deployment's credentials"
			: `refused the request for model ${model} with status ${status}`;
	return new EvaluationFault(`The judge ${reason}. The deployment's operator must correct its configuration.`, {
		blame: "platform",
		isRetryable: false,
		cause: error,
	});
}

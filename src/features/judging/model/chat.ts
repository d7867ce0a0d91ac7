// Makes one call to a model of any supplier, and says how the reply ended and what it cost.
import { type ModelJudgeSettings, UNKNOWN_PRICE } from "../../../config/judge-settings.ts";
import { findSupplierEndpoint, readModel, type SuppliedModel } from "../../../config/judge-suppliers.ts";
import { type Clock, MINUTE_MS } from "../../../platform/clock.ts";
import { readEvents } from "../../../platform/read-events.ts";
import type { Fetch } from "../../../ports/deps.ts";
import type { ModelCall } from "../../../ports/judge.ts";
import { brokenOff, type HttpReply, isContentFilter, toFault } from "./chat-faults.ts";
import type { Limiter } from "./parallel.ts";
import type { ChatEnding, Protocol, ReplyFormat } from "./protocol.ts";
import { protocolOf } from "./protocols.ts";

/** The largest limit of tokens that settings allow is well under 1 MB of text. */
const MAX_REPLY_BYTES = 4 * 1_048_576;
/** The second half of the id names the span of the request. */
const SPAN_START = 16;

export interface ChatDeps {
	readonly clock: Clock;
	readonly fetch: Fetch;
	/** The limiter bounds the calls of an invocation that wait for headers. Default: no bound. */
	readonly connect?: Limiter;
}

interface ChatRequest {
	readonly model: string;
	readonly system: string;
	readonly user: string;
	/** All calls of an evaluation share this beginning of `user`, for suppliers that have to be told what to cache. Default: 0. */
	readonly sharedCharacters?: number;
	/** The model's reply has this schema. */
	readonly format: ReplyFormat;
	/** The patience multiplies the limits of time and tokens of the settings. */
	readonly patience: number;
	readonly signal?: AbortSignal | undefined;
	/** The call is made for this request. Its id is the id of the trace. */
	readonly requestId?: string | null;
}

interface ChatReply {
	/** The text is empty when the reply has none. */
	readonly text: string;
	readonly ending: ChatEnding;
	readonly call: ModelCall;
}

export interface Chat {
	/** @throws EvaluationFault, ContextOverflowError. */
	complete(request: ChatRequest): Promise<ChatReply>;
}

/** Creates the client of one evaluation. It never repeats a failed call; the queue does. */
export function createChat({ clock, fetch, connect = (call) => call() }: ChatDeps, settings: ModelJudgeSettings): Chat {
	return {
		async complete(request) {
			const supplied = readModel(request.model);
			const protocol = protocolOf(supplied, settings);
			const note = (hasFailed: boolean) => noteCall(request.model, { hasFailed, now: clock.now() });
			let timeout: AbortSignal | null = null;
			const send = () => {
				// A call that waits for its turn is not slow.
				timeout = AbortSignal.timeout(settings.timeoutMs * request.patience);
				const signal = request.signal === undefined ? timeout : AbortSignal.any([request.signal, timeout]);
				return post(fetch, settings, { request, signal, supplied, protocol });
			};
			const isLate = (signal: AbortSignal | null) => signal?.aborted === true && request.signal?.aborted !== true;
			const reply = await connect(send)
				.then((response) => readReplyOf(response, protocol))
				.catch((error: unknown) => {
					if (isLate(timeout)) return null;
					if (request.signal?.aborted !== true) note(true);
					throw brokenOff(error);
				});
			if (reply === null) return withoutReply(request.model, "late");
			note(reply.status >= 500);
			if (isContentFilter(reply)) return withoutReply(request.model, "filtered");
			if (reply.status < 200 || reply.status >= 300) throw toFault(reply, { model: request.model, now: clock.now() });
			return readReply(reply.body ?? parseReplyText(reply.text), settings, { name: request.model, protocol });
		},
	};
}

/** Makes a reply whose provider reported no usage. */
function withoutReply(model: string, ending: ChatEnding): ChatReply {
	return { text: "", ending, call: { model, inputTokens: 0, outputTokens: 0, costMicroUsd: null } };
}

async function post(
	fetch: Fetch,
	settings: ModelJudgeSettings,
	{
		request,
		signal,
		supplied,
		protocol,
	}: { readonly request: ChatRequest; readonly signal: AbortSignal; readonly supplied: SuppliedModel; readonly protocol: Protocol },
): Promise<Response> {
	const endpoint = findSupplierEndpoint(supplied, settings);
	if (endpoint === null) throw new Error(`The model ${request.model} has no base URL or key.`);
	const { system, user, sharedCharacters = 0, format, patience } = request;
	const asked = { model: supplied.model, system, user, sharedCharacters, format, maxTokens: settings.outputLimit.tokens * patience };
	return fetch(`${endpoint.url}${protocol.path}`, {
		method: "POST",
		headers: {
			...protocol.headers(endpoint.apiKey),
			...traceOf(request),
			"Content-Type": "application/json",
			"User-Agent": "bounty-platform",
		},
		body: JSON.stringify(protocol.body(asked)),
		// A redirect would send the key to a host that the operator did not configure.
		redirect: "manual",
		signal,
	});
}

/** Names the trace as W3C Trace Context does, so that a gateway or a server of models shows the same id. */
function traceOf({ requestId = null }: ChatRequest): Readonly<Record<string, string>> {
	const hex = requestId?.replaceAll("-", "") ?? "";
	return hex === "" ? {} : { traceparent: `00-${hex}-${hex.slice(SPAN_START)}-01` };
}

async function readReplyOf(response: Response, protocol: Protocol): Promise<HttpReply & { readonly body?: unknown }> {
	const { status, headers } = response;
	if (response.ok && isStreamed(response)) return { status, headers, text: "", body: await readStreamed(response, protocol) };
	return { status, headers, text: await readText(response) };
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
function parseReplyText(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch (error) {
		throw brokenOff(error);
	}
}

function readReply(
	body: unknown,
	{ prices }: ModelJudgeSettings,
	{ name, protocol }: { readonly name: string; readonly protocol: Protocol },
): ChatReply {
	const { text, ending, inputTokens, outputTokens, cachedTokens: cached, surchargedTokens } = protocol.read(body) ?? NO_REPLY;
	const cachedTokens = Math.min(cached ?? 0, inputTokens);
	const price = prices.get(name) ?? UNKNOWN_PRICE;
	const costMicroUsd = Math.round(
		(inputTokens - cachedTokens + surchargedTokens) * price.input + cachedTokens * price.cached + outputTokens * price.output,
	);
	const call = { model: name, inputTokens, outputTokens, costMicroUsd };
	return { text, ending, call: cached === undefined ? call : { ...call, cachedTokens } };
}

const NO_REPLY = { text: "", ending: "unreadable", inputTokens: 0, outputTokens: 0, cachedTokens: undefined, surchargedTokens: 0 } as const;

/** A token of a streamed reply takes some hundred bytes. */
const MAX_STREAM_BYTES = 64 * 1_048_576;

function isStreamed({ headers }: Response): boolean {
	return headers.get("Content-Type")?.toLowerCase().startsWith("text/event-stream") === true;
}

/**
 * Reads a stream to its end, and puts it together as the whole reply that the supplier would have sent. The headers of a streamed reply
 * come early, and a Worker waits for the headers of six responses at a time, so streamed calls do not wait for each other.
 *
 * @throws Error if it broke off, if the supplier reports an error in it, or if it is too long.
 */
async function readStreamed({ body }: Response, protocol: Protocol): Promise<unknown> {
	const folded = protocol.fold();
	const reader = (body ?? new ReadableStream()).getReader();
	try {
		for await (const { data } of readEvents(reader, MAX_STREAM_BYTES)) {
			if (data !== "[DONE]") folded.add(JSON.parse(data));
		}
	} finally {
		await reader.cancel().catch(() => undefined);
	}
	const whole = folded.end();
	if (whole === null) throw new Error("The stream ended before the reply did.");
	return whole;
}

// A supplier that has failed for two minutes is skipped while another one works. Each isolate finds that out for itself.

export const SKIPPED_AFTER_MS = 2 * MINUTE_MS;
/** After this time the supplier is asked again, because it may work again. */
export const SKIPPED_FOR_MS = 5 * MINUTE_MS;

/** The times are milliseconds since the epoch. */
const failing = new Map<string, { readonly since: number; readonly last: number }>();

/** Records the outcome of a call. A rate limit is not a failure, because the supplier says when to come back. */
function noteCall(model: string, { hasFailed, now }: { readonly hasFailed: boolean; readonly now: number }): void {
	const { supplier } = readModel(model);
	if (hasFailed) failing.set(supplier, { since: failing.get(supplier)?.since ?? now, last: now });
	else failing.delete(supplier);
}

/** Returns the models whose supplier works, or all of them if none does. */
export function workingModels(models: readonly string[], now: number): readonly string[] {
	const working = models.filter((model) => !isSkipped(readModel(model).supplier, now));
	return working.length === 0 ? models : working;
}

function isSkipped(supplier: string, now: number): boolean {
	const found = failing.get(supplier);
	return found !== undefined && found.last - found.since >= SKIPPED_AFTER_MS && now - found.last < SKIPPED_FOR_MS;
}

/** Forgets all failures, for tests. */
export function forgetFailures(): void {
	failing.clear();
}

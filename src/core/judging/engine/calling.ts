// Makes one call to a model, streamed if the supplier supports it, and returns its outcome.
import { type ModelJudgeSettings, UNKNOWN_PRICE } from "../../../config/judge-settings.ts";
import { findSupplierEndpoint, readModel, type SuppliedModel } from "../../../config/judge-suppliers.ts";
import { parseRetryAfter } from "../../../domain/retries.ts";
import { type Clock, SECOND_MS } from "../../../platform/clock.ts";
import { readEvents } from "../../../platform/read-events.ts";
import type { Fetch } from "../../../ports/deps.ts";
import type { PaidCall } from "../../../ports/judge.ts";
import type { Limiter } from "./limiter.ts";
import type { Prompt } from "./prompts.ts";
import { errorInside, type Meaning, meaningOf, parseBody, type SupplierError, wordsOf } from "./supplier-answers.ts";
import { type ReplyFormat, type Wire, type WireForm, type WireReply, wireOf } from "./wire.ts";

/**
 * After its first token, a stream that is silent for this long has stalled. Before that, the call may be waiting in a queue, which is not a
 * fault.
 */
const STALL_MS = 120 * SECOND_MS;

export interface CallDeps {
	readonly clock: Clock;
	readonly fetch: Fetch;
	/** Limits how many calls of an invocation wait for headers at once. Default: no limit. */
	readonly connect?: Limiter;
}

export type CallSettings = Pick<ModelJudgeSettings, "baseUrl" | "apiKey" | "prices" | "temperature">;

export interface Call {
	readonly model: string;
	readonly prompt: Prompt;
	readonly format: ReplyFormat;
	readonly maxTokens: number;
	readonly form: WireForm;
	readonly signal: AbortSignal;
	/** The id of the request for which the call is made, which becomes the trace id. Null if unknown. */
	readonly requestId: string | null;
	readonly onFirstToken?: () => void;
}

export type CallOutcome =
	| { readonly kind: "reply"; readonly reply: WireReply; readonly paid: PaidCall }
	/** The supplier responded with an error. */
	| {
			readonly kind: "error";
			readonly meaning: Meaning;
			readonly status: number;
			readonly words: string;
			readonly retryAfterMs: number | null;
	  }
	/** The response contained no reply, or the connection broke or stalled after the first token. */
	| { readonly kind: "nothing"; readonly words: string }
	/** The stream ended normally, but without a finish reason. */
	| { readonly kind: "unfinished"; readonly words: string }
	/** No connection could be opened. */
	| { readonly kind: "unreachable"; readonly words: string }
	/** The call ended before its first token and without a status, because the connection broke or the attempt was over. */
	| { readonly kind: "unheard"; readonly words: string }
	/** The attempt ended while the reply was arriving. */
	| { readonly kind: "cut"; readonly words: string };

/** Makes one call, and never repeats it. Never throws. */
export async function callModel(deps: CallDeps, settings: CallSettings, call: Call): Promise<CallOutcome> {
	const following = { hasToken: false };
	const end = new AbortController();
	const signal = AbortSignal.any([call.signal, end.signal]);
	try {
		const wire = wireOf(readModel(call.model));
		const connect = deps.connect ?? ((run) => run());
		const response = await connect(() => post(deps.fetch, settings, { call, wire, signal }));
		const reading = { deps, call, wire, response, following, stall: () => end.abort(new Error("The reply stalled.")) };
		return conclude(await readResponse(reading), { call, settings, response, now: deps.clock.now() });
	} catch (error) {
		const words = describe(error);
		if (call.signal.aborted) return { kind: following.hasToken ? "cut" : "unheard", words };
		if (following.hasToken) return { kind: "nothing", words };
		return { kind: NO_CONNECTION.test(words) ? "unreachable" : "unheard", words };
	}
}

/** The messages of runtimes when a connection could not be opened. */
const NO_CONNECTION =
	/ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|CONNECT_TIMEOUT|connection refused|getaddrinfo|DNS|certificate/i;

function describe(error: unknown): string {
	if (!(error instanceof Error)) return String(error);
	const cause = error.cause instanceof Error ? `: ${"code" in error.cause ? String(error.cause.code) : ""} ${error.cause.message}` : "";
	return `${error.message}${cause}`;
}

async function post(
	fetch: Fetch,
	settings: CallSettings,
	{ call, wire, signal }: { readonly call: Call; readonly wire: Wire; readonly signal: AbortSignal },
): Promise<Response> {
	const supplied = readModel(call.model);
	const endpoint = findSupplierEndpoint(supplied, settings);
	if (endpoint === null) throw new Error(`The model ${call.model} has no base URL or key.`);
	const { prompt, format, maxTokens, form } = call;
	return fetch(`${endpoint.url}${wire.path}`, {
		method: "POST",
		headers: {
			...wire.headers(endpoint.apiKey),
			...traceOf(call.requestId),
			"Content-Type": "application/json",
			"User-Agent": "bounty-platform",
		},
		body: JSON.stringify(wire.body({ supplied, ...prompt, format, maxTokens, form, temperature: temperatureFor(supplied, settings) })),
		// A followed redirect would send the key to a host that the operator did not configure.
		redirect: "manual",
		signal,
	});
}

/** The temperature is sent only to OpenAI-compatible servers, because models of the other suppliers may reject it. */
export function temperatureFor({ kind }: SuppliedModel, { temperature }: Pick<CallSettings, "temperature">): number | null {
	return kind === "chat" ? temperature : null;
}

/** The second half of the trace id, which begins at this digit, serves as the id of the span. */
const SPAN_START = 16;

/** Returns the header of W3C Trace Context, so that a gateway or a model server logs the same id. */
function traceOf(requestId: string | null): Readonly<Record<string, string>> {
	const hex = requestId?.replaceAll("-", "") ?? "";
	return hex === "" ? {} : { traceparent: `00-${hex}-${hex.slice(SPAN_START)}-01` };
}

interface Reading {
	readonly deps: CallDeps;
	readonly call: Call;
	readonly wire: Wire;
	readonly response: Response;
	readonly following: { hasToken: boolean };
	readonly stall: () => void;
}

type Read = WireReply | SupplierError | null;

async function readResponse(reading: Reading): Promise<Read> {
	const { response, wire } = reading;
	if (isStream(response)) return readStream(reading);
	const body = parseBody(await readText(response));
	if (!response.ok) return { status: response.status, words: wordsOf(body) };
	noteToken(reading);
	return errorInside(body) ?? wire.read(body);
}

function isStream({ ok, headers }: Response): boolean {
	return ok && headers.get("Content-Type")?.toLowerCase().startsWith("text/event-stream") === true;
}

const UNFINISHED =
	"The stream ended without a finish reason. llama-cpp-python does this when another request arrives, unless it was started with --interrupt_requests false.";

/** The limit for a response that is not a stream. The text of a reply is well under 1 MB. */
const MAX_REPLY_BYTES = 4 * 1_048_576;
/** The limit for a stream, in which each token takes a few hundred bytes. */
const MAX_STREAM_BYTES = 64 * 1_048_576;

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

function noteToken({ following, call }: Pick<Reading, "following" | "call">): void {
	if (!following.hasToken) call.onFirstToken?.();
	following.hasToken = true;
}

/** Reads a stream to its end. From the first token on, {@link STALL_MS} limits each pause between tokens. */
async function readStream(reading: Reading): Promise<Read> {
	const { deps, wire, response, stall } = reading;
	const stream = wire.openStream();
	const reader = (response.body ?? new ReadableStream()).getReader();
	let stopClock = () => {};
	// In some runtimes, a read stays pending although the request has been aborted.
	const stalled = Promise.withResolvers<never>();
	stalled.promise.catch(() => undefined);
	const events = readEvents(reader, MAX_STREAM_BYTES);
	const onAbort = () => stalled.reject(new Error("The attempt is over."));
	reading.call.signal.addEventListener("abort", onAbort, { once: true });
	try {
		for (;;) {
			const next = await Promise.race([events.next(), stalled.promise]);
			if (next.done === true || next.value.data === "[DONE]") return stream.end();
			const progress = stream.add(parseBody(next.value.data));
			if (typeof progress !== "boolean") return progress;
			if (!progress) continue;
			noteToken(reading);
			stopClock();
			stopClock = deps.clock.after(STALL_MS, () => {
				stall();
				stalled.reject(new Error("The reply stalled."));
			});
		}
	} finally {
		stopClock();
		reading.call.signal.removeEventListener("abort", onAbort);
		await reader.cancel().catch(() => undefined);
	}
}

function conclude(
	read: Read,
	{
		call,
		settings,
		response,
		now,
	}: { readonly call: Call; readonly settings: CallSettings; readonly response: Response; readonly now: number },
): CallOutcome {
	if (read === null)
		return isStream(response) ? { kind: "unfinished", words: UNFINISHED } : { kind: "nothing", words: "The supplier sent no reply." };
	if ("status" in read) {
		const retryAfterMs = parseRetryAfter(response.headers.get("Retry-After"), now);
		return { kind: "error", meaning: meaningOf(read).meaning, ...read, retryAfterMs };
	}
	return { kind: "reply", reply: read, paid: priceOf(call.model, read, settings.prices) };
}

function priceOf(model: string, reply: WireReply, prices: CallSettings["prices"]): PaidCall {
	const { inputTokens, outputTokens, surchargedTokens } = reply;
	const cachedTokens = Math.min(reply.cachedTokens ?? 0, inputTokens);
	const price = prices.get(model) ?? UNKNOWN_PRICE;
	const fullTokens = inputTokens - cachedTokens + surchargedTokens;
	const costMicroUsd = Math.round(fullTokens * price.input + cachedTokens * price.cached + outputTokens * price.output);
	const paid = { model, inputTokens, outputTokens, costMicroUsd };
	return reply.cachedTokens === undefined ? paid : { ...paid, cachedTokens };
}

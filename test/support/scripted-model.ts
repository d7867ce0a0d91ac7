// Provides a model that a function plays, behind the chat-completions protocol and without a network. The test's clock decides whether a
// reply is late.
import type { EngineSettings } from "../../src/core/judging/engine/context.ts";
import { evaluateByModels } from "../../src/core/judging/engine/evaluating.ts";
import { forgetGates } from "../../src/core/judging/engine/gate.ts";
import { forgetForms } from "../../src/core/judging/engine/learning.ts";
import { createLimiter } from "../../src/core/judging/engine/limiter.ts";
import type { Prober } from "../../src/core/judging/engine/probe.ts";
import type { AttemptOutcome, CriterionBrief, EvaluationRequest, PaidCall } from "../../src/ports/judge.ts";
import { type ManualClock, manualClock } from "./manual-clock.ts";
import { answer, type ModelPrompt, readPrompt } from "./model-prompts.ts";

export interface ModelCall extends ModelPrompt {
	readonly clock: ManualClock;
	readonly signal: AbortSignal;
	/** The number of the call, from 1. */
	readonly number: number;
}

export { answer, quoteOf } from "./model-prompts.ts";

/** Returns the model's reply: text, an object that is sent as JSON, or a whole response. */
export type Play = (
	call: ModelCall,
) => string | Readonly<Record<string, unknown>> | Response | Promise<string | Readonly<Record<string, unknown>> | Response>;

export function readCall(
	init: RequestInit | undefined,
	{ number, clock }: { readonly number: number; readonly clock: ManualClock },
): ModelCall {
	return { ...readPrompt(JSON.parse(String(init?.body))), clock, number, signal: init?.signal ?? new AbortController().signal };
}

/** Writes a whole chat completion. */
export function completion(
	content: string | null,
	extra: { readonly finish_reason?: string; readonly prompt_tokens?: number; readonly message?: object } = {},
): Response {
	const { finish_reason = "stop", prompt_tokens = 0, message = {} } = extra;
	return Response.json({
		choices: [{ index: 0, finish_reason, message: { role: "assistant", content, ...message } }],
		usage: { prompt_tokens, completion_tokens: 100 },
	});
}

export function failure(
	status: number,
	body: unknown = { error: { message: "As the script says." } },
	headers: Record<string, string> = {},
): Response {
	return typeof body === "string" ? new Response(body, { status, headers }) : Response.json(body, { status, headers });
}

export const criterion = (name: string, checks: readonly string[], more: Partial<CriterionBrief> = {}): CriterionBrief => ({
	...{ name, description: null, checks, evidence: "work", wholeChecks: [] },
	...more,
});

export function evaluationRequest(more: Partial<EvaluationRequest> = {}): EvaluationRequest {
	return {
		task: { title: "Parse CSV", description: "Write a parser.", inputSpec: null, outputSpec: null, attachments: [] },
		criteria: [criterion("Quotes", ["It handles quotes", "It handles line breaks"])],
		files: [{ path: "src/parse.ts", text: "export function parse(text: string) {\n\treturn text.split(separator);\n}\n" }],
		...{ unreadPaths: [], missingSections: [], facts: [], samples: 1 },
		...more,
	};
}

export function engineSettings(more: Partial<EngineSettings> = {}): EngineSettings {
	return {
		models: ["compatible:local/tester"],
		baseUrl: "local=http://models.test/v1",
		apiKey: "local=unused",
		prices: new Map(),
		responseFormat: "json_schema",
		outputLimit: { field: "max_completion_tokens", tokens: 2048 },
		maxInputCharacters: 100_000,
		...{ temperature: null, checksPerCall: 2, isConfirming: true, confirmModel: null, callsAtOnce: 4 },
		...more,
	};
}

/** Forgets what an isolate has learned about models. */
export function forgetLearned(): void {
	forgetGates();
	forgetForms();
}

/** Sets up a scripted model, and forgets the gates and forms that the isolate has learned. */
export function scriptedModel(play: Play, settings: Partial<EngineSettings> = {}, prober: Prober | null = null) {
	forgetLearned();
	const clock = manualClock(Date.UTC(2026, 0, 1));
	const calls: ModelCall[] = [];
	const paid: PaidCall[] = [];
	const fetch = async (_: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
		const call = readCall(init, { number: calls.length + 1, clock });
		calls.push(call);
		const played = await untilAborted(
			Promise.resolve().then(() => play(call)),
			call.signal,
		);
		if (played instanceof Response) return played;
		const prompt_tokens = Math.ceil((call.system.length + call.user.length) / 4);
		return completion(typeof played === "string" ? played : JSON.stringify(played), { prompt_tokens });
	};
	const deps = { clock, fetch, connect: createLimiter(6) };
	const once = (request: EvaluationRequest, kept: unknown = null, startedAt: number = clock.now()): Promise<AttemptOutcome> =>
		evaluateByModels(deps, engineSettings(settings), {
			request,
			attempt: {
				startedAt,
				kept: kept === null ? null : JSON.parse(JSON.stringify(kept)),
				requestId: null,
				onCall: (call) => paid.push(call),
				keep: () => {},
			},
			prober,
		});
	return {
		...{ clock, calls, paid, deps, once },
		/** Makes attempts until one has finished, at most this many. */
		async judge(request: EvaluationRequest = evaluationRequest(), attempts = 1): Promise<AttemptOutcome> {
			let outcome = await letTimePass(clock, once(request));
			for (let made = 1; made < attempts && outcome.kind === "waiting"; made += 1)
				outcome = await letTimePass(clock, once(request, outcome.kept));
			return outcome;
		},
	};
}

function untilAborted<Result>(promise: Promise<Result>, signal: AbortSignal): Promise<Result> {
	const aborted = Promise.withResolvers<never>();
	signal.addEventListener("abort", () => aborted.reject(signal.reason), { once: true });
	if (signal.aborted) aborted.reject(signal.reason);
	return Promise.race([promise, aborted.promise]);
}

const STEP_MS = 1_000;
const MOST_STEPS = 7_200;

/** Moves the clock on, second by second, until a promise has settled. */
export async function letTimePass<Result>(clock: ManualClock, promise: Promise<Result>): Promise<Result> {
	let isSettled = false;
	const note = () => {
		isSettled = true;
	};
	promise.then(note, note);
	for (let steps = 0; !isSettled && steps < MOST_STEPS; steps += 1) {
		await new Promise((resolve) => setImmediate(resolve));
		await new Promise((resolve) => setImmediate(resolve));
		if (!isSettled) clock.advance(STEP_MS);
	}
	if (!isSettled) throw new Error("It did not end in two hours.");
	return promise;
}

/** Plays a server that handles one request at a time. Every answer is good and takes the same time. */
export function slowServer(ms: number, play: Play = (call) => answer(call)): Play {
	let queue = Promise.resolve();
	return async (call) => {
		queue = queue.then(() => (call.signal.aborted ? undefined : pause(call.clock, ms)));
		await queue;
		return play(call);
	};
}

/**
 * Plays a server with one slot that, like llama-cpp-python's, ends the current reply without a finish reason when another request comes.
 */
export function interruptingServer(play: (call: ModelCall) => unknown = (call) => answer(call)): Play {
	let queue = Promise.resolve();
	let newest = 0;
	async function* write(call: ModelCall, whole: string, leave: () => void) {
		try {
			for (let at = 0; at < whole.length; at += 20) {
				yield delta(whole.slice(at, at + 20));
				await pause(call.clock, 1_000);
				if (newest > call.number) return;
			}
			yield stop;
		} finally {
			leave();
		}
	}
	return async (call) => {
		newest = call.number;
		const { promise: left, resolve: leave } = Promise.withResolvers<void>();
		const before = queue;
		queue = queue.then(() => left);
		await before;
		return stream(write(call, JSON.stringify(await play(call)), leave));
	};
}

/** Waits on the test's clock. */
export function pause(clock: ManualClock, ms: number): Promise<void> {
	return new Promise((resolve) => void clock.after(ms, resolve));
}

/** Streams events, and then ends or breaks off. */
export function stream(events: AsyncIterable<unknown> | Iterable<unknown>, end: "done" | "break" | "hang" = "done"): Response {
	const encoder = new TextEncoder();
	const source = new ReadableStream<Uint8Array>({
		async start(controller) {
			for await (const event of events) controller.enqueue(encoder.encode(`data: ${JSON.stringify(event)}\n\n`));
			// An error discards what was not read yet.
			await new Promise((resolve) => setImmediate(resolve));
			if (end === "break") controller.error(new Error("The connection was reset."));
			if (end !== "done") return;
			controller.enqueue(encoder.encode("data: [DONE]\n\n"));
			controller.close();
		},
	});
	return new Response(source, { headers: { "Content-Type": "text/event-stream" } });
}

export const delta = (content: string) => ({ choices: [{ index: 0, delta: { content }, finish_reason: null }] });
export const stop = { choices: [{ index: 0, delta: {}, finish_reason: "stop" }], usage: { prompt_tokens: 5_000, completion_tokens: 100 } };

// The chat client writes requests to a model's endpoint and reads its replies, without a network.
import { describe, expect, it } from "vitest";
import { EvaluationFault } from "../../src/domain/evaluation-fault.ts";
import { ANSWER_FORMAT } from "../../src/features/judging/model/answer.ts";
import { createChat } from "../../src/features/judging/model/chat.ts";
import { ContextOverflowError } from "../../src/features/judging/model/chat-faults.ts";
import { createLimiter } from "../../src/features/judging/model/parallel.ts";
import { systemClock } from "../../src/platform/clock.ts";
import type { Fetch } from "../../src/ports/deps.ts";
import { judgeSettings } from "../support/judging.ts";

const REQUEST = { patience: 1, format: ANSWER_FORMAT, model: "model-a", system: "Rules", user: "Files" };

function complete(fetch: Fetch, variables: Readonly<Record<string, string>> = {}, signal?: AbortSignal) {
	return createChat({ clock: systemClock, fetch }, judgeSettings(variables)).complete({ ...REQUEST, signal });
}

const replying = (body: unknown, init: ResponseInit = {}): Fetch => {
	return () => Promise.resolve(new Response(typeof body === "string" ? body : JSON.stringify(body), init));
};

async function faultOf(reply: Promise<unknown>): Promise<unknown> {
	return reply.then(
		() => expect.fail("There was a reply."),
		(error: unknown) => error,
	);
}

describe("a request", () => {
	it("is sent once to the endpoint's own host, with the key in a header only", async () => {
		const sent: { url: string; init: RequestInit }[] = [];
		const redirecting: Fetch = async (url, init) => {
			sent.push({ url, init });
			return new Response(null, { status: 307, headers: { Location: "https://other.example/" } });
		};
		const fault = await faultOf(complete(redirecting, { JUDGE_BASE_URL: "https://api.anthropic.com/v1/" }));
		expect(fault).toMatchObject({ isRetryable: false, message: expect.stringContaining("status 307") });
		expect(sent).toMatchObject([{ url: "https://api.anthropic.com/v1/chat/completions", init: { method: "POST", redirect: "manual" } }]);
		expect(new Headers(sent[0]?.init.headers).get("Authorization")).toBe("Bearer test-key");
		expect(JSON.parse(String(sent[0]?.init.body))).toMatchObject({
			model: "model-a",
			messages: [
				{ role: "system", content: "Rules" },
				{ role: "user", content: "Files" },
			],
		});
		expect(sent[0]?.init.body).not.toContain("test-key");
	});

	it("ends if its caller cancels it, and is then not reported as slow", async () => {
		const controller = new AbortController();
		const hanging: Fetch = (_, { signal }) =>
			new Promise((_resolve, reject) => signal?.addEventListener("abort", () => reject(signal.reason), { once: true }));
		const reply = faultOf(complete(hanging, {}, controller.signal));
		controller.abort();
		expect(await reply).toMatchObject({ message: "The connection to the judge failed or broke off." });
	});
});

describe("the ending of a reply", () => {
	const choice = (finish_reason: unknown, message: unknown) => ({ choices: [{ finish_reason, message }] });

	it.each([
		["complete", choice("stop", { role: "assistant", content: "{}", refusal: null }), "{}"],
		["complete", choice(undefined, { content: "{}" }), "{}"],
		["complete", choice(7, { content: "{}", refusal: { odd: true } }), "{}"],
		["cut_off", choice("length", { content: '{"evi' }), '{"evi'],
		["filtered", choice("content_filter", { content: null }), ""],
		["filtered", choice("content_filter", { content: "", refusal: "No." }), ""],
		["refused", choice("stop", { content: null, refusal: "I cannot help with that." }), ""],
		["unreadable", { choices: [] }, ""],
		["unreadable", { output: "5" }, ""],
		["unreadable", null, ""],
	] as const)("is %s for %j", async (ending, body, text) => {
		expect(await complete(replying(body))).toMatchObject({ ending, text });
	});

	it("counts the tokens of a filtered one too", async () => {
		const body = { ...choice("content_filter", { content: null }), usage: { prompt_tokens: 10, completion_tokens: 1 } };
		const { call } = await complete(replying(body), { JUDGE_PRICES: "model-a=1/2" });
		expect(call).toEqual({ model: "model-a", inputTokens: 10, outputTokens: 1, costMicroUsd: 12 });
	});
});

describe("a reply that fails", () => {
	it("with an endless body is read no further than 4 MB", async () => {
		let pulled = 0;
		const endless = new ReadableStream<Uint8Array>({
			pull(controller) {
				pulled += 65_536;
				controller.enqueue(new Uint8Array(65_536).fill(0x20));
			},
		});
		const fault = await faultOf(complete(() => Promise.resolve(new Response(endless))));
		expect(fault).toMatchObject({ blame: "platform", isRetryable: true });
		expect(pulled).toBeLessThan(5 * 1_048_576);
	});

	it.each([
		["OpenAI's", 400, { error: { message: "Too much.", code: "context_length_exceeded" } }],
		["Anthropic's", 400, { error: { type: "invalid_request_error", message: "prompt is too long: 210000 tokens > 200000 maximum" } }],
		["a gateway's", 400, { error: { message: "Provider returned error", metadata: { raw: "maximum context length is 8192" } } }],
		["vLLM's", 400, { object: "error", message: "This model's maximum context length is 8192 tokens." }],
		["Workers AI's", 400, { success: false, errors: [{ code: 5021, message: "exceeded this model context window limit" }] }],
		["a plain text", 400, "The input is too long."],
		["a status alone", 413, ""],
	] as const)("for its length is distinguished: %s", async (_, status, body) => {
		expect(await faultOf(complete(replying(body, { status })))).toBeInstanceOf(ContextOverflowError);
	});

	it.each([
		[400, { error: { message: "Unknown field response_format." } }],
		[422, { error: { message: "prompt is too long" } }],
		[404, "<html>Not found</html>"],
	])("with status %i and %j is for the operator", async (status, body) => {
		const fault = await faultOf(complete(replying(body, { status })));
		expect(fault).toBeInstanceOf(EvaluationFault);
		expect(fault).toMatchObject({ blame: "platform", isRetryable: false });
	});
});

function bodyOf(pieces: readonly Uint8Array[]): ReadableStream<Uint8Array> {
	return new ReadableStream({
		start(controller) {
			for (const piece of pieces) controller.enqueue(piece);
			controller.close();
		},
	});
}

/** Returns a stream of these events, cut into pieces of some bytes, also in the middle of a character. */
function streaming(events: readonly unknown[], size: number): Fetch {
	const text = events.map((event) => `data: ${typeof event === "string" ? event : JSON.stringify(event)}\r\n\r\n`).join("");
	const bytes = new TextEncoder().encode(text);
	const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) => bytes.slice(index * size, (index + 1) * size));
	return () => Promise.resolve(new Response(bodyOf(pieces), { headers: { "Content-Type": "text/event-stream; charset=utf-8" } }));
}

const OPENAI = { JUDGE_MODELS: "openai:model-a", JUDGE_API_KEY: "openai=key", JUDGE_PRICES: "openai:model-a=1/2" };
const ANTHROPIC = { JUDGE_MODELS: "anthropic:model-a", JUDGE_API_KEY: "anthropic=key", JUDGE_PRICES: "anthropic:model-a=1/2" };

function completeWith(fetch: Fetch, variables: Readonly<Record<string, string>>) {
	const model = variables["JUDGE_MODELS"] ?? "model-a";
	return createChat({ clock: systemClock, fetch }, judgeSettings(variables)).complete({ ...REQUEST, model });
}

describe("a streamed reply", () => {
	const delta = (content: string, finish_reason: string | null = null) => ({ choices: [{ delta: { content }, finish_reason }] });
	const COMPLETION = [
		delta('{"gréât'),
		delta('": 5}', "stop"),
		{ choices: [], usage: { prompt_tokens: 10, completion_tokens: 4 } },
		"[DONE]",
	];
	const MESSAGE = [
		{ type: "message_start", message: { usage: { input_tokens: 6, cache_read_input_tokens: 4, output_tokens: 1 } } },
		{ type: "content_block_delta", delta: { type: "text_delta", text: '{"gréât' } },
		{ type: "ping" },
		{ type: "content_block_delta", delta: { type: "text_delta", text: '": 5}' } },
		{ type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 4 } },
		{ type: "message_stop" },
	];

	it.each([1, 7, 100_000])("is read like a whole one, in pieces of %i bytes", async (size) => {
		const expected = { text: '{"gréât": 5}', ending: "complete" };
		const read = await completeWith(streaming(COMPLETION, size), OPENAI);
		expect(read).toMatchObject({ ...expected, call: { inputTokens: 10, outputTokens: 4, costMicroUsd: 18 } });
		const message = await completeWith(streaming(MESSAGE, size), ANTHROPIC);
		expect(message).toMatchObject({ ...expected, call: { inputTokens: 10, cachedTokens: 4, outputTokens: 4 } });
	});

	it.each([
		["has no end", COMPLETION.slice(0, 1), OPENAI],
		["has no end", MESSAGE.slice(0, 3), ANTHROPIC],
		["reports an error", [...COMPLETION.slice(0, 1), { error: { message: "Overloaded." } }], OPENAI],
		["reports an error", [...MESSAGE.slice(0, 3), { type: "error", error: { type: "overloaded_error" } }], ANTHROPIC],
		["is not JSON", ["{"], OPENAI],
	] as const)("that %s is tried again: %j", async (_, events, variables) => {
		expect(await faultOf(completeWith(streaming(events, 50), variables))).toMatchObject({ blame: "platform", isRetryable: true });
	});

	it("is requested only from suppliers that are known to bill it", async () => {
		const asked = async (variables: Readonly<Record<string, string>>) => {
			const bodies: unknown[] = [];
			const recording: Fetch = async (_, { body }) => {
				bodies.push(JSON.parse(String(body)));
				return Response.json({ choices: [] });
			};
			await completeWith(recording, variables);
			return bodies;
		};
		const streamed = { stream: true, stream_options: { include_usage: true } };
		expect(await asked(OPENAI)).toMatchObject([streamed]);
		expect(await asked(ANTHROPIC)).toMatchObject([{ stream: true }]);
		expect(await asked({})).not.toMatchObject([{ stream: true }]);
	});

	it("releases its connection with its headers, so that more calls than connections run in parallel", async () => {
		const connect = createLimiter(2);
		const ends: (() => void)[] = [];
		let waiting = 0;
		let mostWaiting = 0;
		const slow: Fetch = async () => {
			waiting += 1;
			mostWaiting = Math.max(mostWaiting, waiting);
			await new Promise((resolve) => setTimeout(resolve, 0));
			waiting -= 1;
			const body = new ReadableStream<Uint8Array>({
				start(controller) {
					ends.push(() => {
						controller.enqueue(new TextEncoder().encode(`data: ${JSON.stringify(delta("{}", "stop"))}\n\n`));
						controller.close();
					});
				},
			});
			return new Response(body, { headers: { "Content-Type": "text/event-stream" } });
		};
		const chat = createChat({ clock: systemClock, fetch: slow, connect }, judgeSettings({}));
		const replies = Array.from({ length: 9 }, () => chat.complete(REQUEST));
		await expect.poll(() => ends.length).toBe(9);
		for (const end of ends) end();
		expect((await Promise.all(replies)).map(({ text }) => text)).toEqual(Array.from({ length: 9 }, () => "{}"));
		expect(mostWaiting).toBe(2);
	});
});

it("passes on the trace of the request that asked for the evaluation", async () => {
	const traces: (string | null)[] = [];
	const recording: Fetch = async (_, { headers }) => {
		traces.push(new Headers(headers).get("traceparent"));
		return Response.json({ choices: [] });
	};
	const chat = createChat({ clock: systemClock, fetch: recording }, judgeSettings({}));
	await chat.complete({ ...REQUEST, requestId: "019d2f1c-8a00-7000-8000-000000000001" });
	await chat.complete(REQUEST);
	expect(traces).toEqual([expect.stringMatching(/^00-019d2f1c8a0070008000000000000001-[0-9a-f]{16}-01$/), null]);
});

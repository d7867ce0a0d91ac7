// Each supplier of models gets requests in its own wire format, and its replies are read and counted as it sends and bills them.
import { describe, expect, it } from "vitest";
import { type Call, callModel } from "../../src/core/judging/engine/calling.ts";
import { formOf } from "../../src/core/judging/engine/learning.ts";
import { createLimiter, type Limiter } from "../../src/core/judging/engine/limiter.ts";
import { answerFormat } from "../../src/core/judging/engine/replies.ts";
import type { Fetch } from "../../src/ports/deps.ts";
import { type JudgeChoices, judgeSettings } from "../support/judging.ts";
import { manualClock } from "../support/manual-clock.ts";
import { forgetLearned } from "../support/scripted-model.ts";
import { ANSWER, EXCHANGES } from "../support/supplier-exchanges.ts";

const PROMPT = { system: "Rules", user: "Task and files. Criterion", sharedCharacters: 16 };
const OPENAI = { JUDGE_MODELS: "openai:m", JUDGE_API_KEY: "key-o", JUDGE_PRICES: "openai:m=1/2" };
const ANTHROPIC = { JUDGE_MODELS: "anthropic:m", JUDGE_API_KEY: "key-a" };

async function callOnce(
	fetch: Fetch,
	variables: JudgeChoices = {},
	{ connect, ...change }: Partial<Call> & { readonly connect?: Limiter } = {},
) {
	forgetLearned();
	const settings = judgeSettings(variables);
	const model = settings.models[0] ?? "";
	const clock = manualClock(0);
	const call = { model, prompt: PROMPT, format: answerFormat(2), maxTokens: settings.outputLimit.tokens, requestId: null };
	const form = formOf(model, settings, clock.now());
	const signal = new AbortController().signal;
	return callModel({ clock, fetch, ...(connect === undefined ? {} : { connect }) }, settings, { ...call, form, signal, ...change });
}

interface Sent {
	readonly url: string;
	readonly headers: Headers;
	readonly body: Readonly<Record<string, unknown>>;
	readonly init: RequestInit;
}

function recording(reply: () => Response) {
	const sent: Sent[] = [];
	const fetch: Fetch = async (url, init) => {
		sent.push({ url, headers: new Headers(init.headers), body: JSON.parse(String(init.body)), init });
		return reply();
	};
	return { sent, fetch };
}

describe.each(Object.entries(EXCHANGES))("%s", (_, { variables, request, reply, usage }) => {
	it("gets its own format, and its reply has the usage that it bills", async () => {
		const { sent, fetch } = recording(() => Response.json(reply));
		const outcome = await callOnce(fetch, variables);
		expect(outcome).toMatchObject({ kind: "reply", reply: { text: ANSWER, ending: "stop" } });
		expect(outcome).toMatchObject({ paid: { model: variables["JUDGE_MODELS"], ...usage } });
		expect(sent).toHaveLength(1);
		expect(sent[0]?.url).toBe(request.url);
		expect(Object.fromEntries(sent[0]?.headers ?? [])).toMatchObject(request.headers);
		expect(sent[0]?.body).toMatchObject(request.body);
		// No key of another supplier leaves the deployment.
		expect(JSON.stringify([...(sent[0]?.headers ?? [])]).match(/key-[a-z]/g)).toHaveLength(1);
	});
});

describe("a request", () => {
	it("is sent once to the endpoint's own host, with the key in a header only", async () => {
		const { sent, fetch } = recording(() => new Response(null, { status: 307, headers: { Location: "https://other.example/" } }));
		expect(await callOnce(fetch, { JUDGE_BASE_URL: "https://models.example/v1/" })).toMatchObject({ kind: "error", status: 307 });
		expect(sent).toMatchObject([{ url: "https://models.example/v1/chat/completions", init: { method: "POST", redirect: "manual" } }]);
		expect(sent[0]?.headers.get("Authorization")).toBe("Bearer test-key");
		expect(sent[0]?.init.body).not.toContain("test-key");
	});

	it("passes on the trace of the request that asked for the evaluation", async () => {
		const { sent, fetch } = recording(() => Response.json({ choices: [] }));
		await callOnce(fetch, {}, { requestId: "019d2f1c-8a00-7000-8000-000000000001" });
		await callOnce(fetch);
		expect(sent.map(({ headers }) => headers.get("traceparent"))).toEqual([
			expect.stringMatching(/^00-019d2f1c8a0070008000000000000001-[0-9a-f]{16}-01$/),
			null,
		]);
	});

	it("names a temperature only to a server of one's own", async () => {
		const { sent, fetch } = recording(() => Response.json({ choices: [] }));
		const own = { JUDGE_MODELS: "compatible:own/m", JUDGE_BASE_URL: "own=http://127.0.0.1/v1" };
		await callOnce(fetch, { ...own, JUDGE_TEMPERATURE: "0.2" });
		await callOnce(fetch, { ...OPENAI, JUDGE_TEMPERATURE: "0.2" });
		expect(sent.map(({ body }) => body["temperature"])).toEqual([0.2, undefined]);
	});

	it("asks Anthropic to cache what all calls of an evaluation share, and leaves out bounds that it refuses", async () => {
		const { sent, fetch } = recording(() => Response.json(EXCHANGES["anthropic"]?.reply));
		await callOnce(fetch, ANTHROPIC);
		expect(sent[0]?.body["messages"]).toEqual([
			{
				role: "user",
				content: [
					{ type: "text", text: "Task and files. ", cache_control: { type: "ephemeral" } },
					{ type: "text", text: "Criterion" },
				],
			},
		]);
		expect(JSON.stringify(sent[0]?.body)).not.toMatch(/maxItems|maxLength/);
	});
});

describe("a reply", () => {
	it("with an endless body is read no further than 4 MB", async () => {
		let pulled = 0;
		const endless = new ReadableStream<Uint8Array>({
			pull(controller) {
				pulled += 65_536;
				controller.enqueue(new Uint8Array(65_536).fill(0x20));
			},
		});
		expect((await callOnce(async () => new Response(endless))).kind).not.toBe("reply");
		expect(pulled).toBeLessThan(5 * 1_048_576);
	});

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

	/** Sends events in pieces of this many bytes. */
	function streaming(events: readonly unknown[], size: number): Fetch {
		const lines = events.map((event) => `data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`);
		const bytes = new TextEncoder().encode(lines.join(""));
		const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) => bytes.slice(index * size, (index + 1) * size));
		const headers = { "Content-Type": "text/event-stream" };
		return async () => new Response(new Blob(pieces).stream(), { headers });
	}

	it.each([1, 7, 100_000])("that is streamed is read like a whole one, in pieces of %i bytes", async (size) => {
		const expected = { text: '{"gréât": 5}', ending: "stop" };
		expect(await callOnce(streaming(COMPLETION, size), OPENAI)).toMatchObject({
			...{ reply: expected, paid: { inputTokens: 10, outputTokens: 4, costMicroUsd: 18 } },
		});
		expect(await callOnce(streaming(MESSAGE, size), ANTHROPIC)).toMatchObject({
			...{ reply: expected, paid: { inputTokens: 10, cachedTokens: 4, outputTokens: 4 } },
		});
	});

	it("may have its text in parts, after parts with thoughts, as Mistral's reasoning models send it", async () => {
		const thinking = { type: "thinking", thinking: [{ type: "text", text: "{ or not {" }] };
		const content = [thinking, { type: "text", text: '{"a"' }, { type: "text", text: ": 5}" }];
		const whole = Response.json({ choices: [{ message: { content }, finish_reason: "stop" }] });
		const parts = content.map((part) => ({ choices: [{ delta: { content: [part] }, finish_reason: null }] }));
		let firstTokens = 0;
		const counted = {
			onFirstToken() {
				firstTokens += 1;
			},
		};
		for (const fetch of [async () => whole, streaming([...parts, delta("", "stop"), "[DONE]"], 50)]) {
			expect(await callOnce(fetch, OPENAI, counted)).toMatchObject({ reply: { text: '{"a": 5}', ending: "stop" } });
		}
		expect(firstTokens).toBe(2);
		expect((await callOnce(streaming([...parts.slice(0, 1), "[DONE]"], 50), OPENAI, counted)).kind).toBe("unfinished");
		expect(firstTokens).toBe(3);
	});

	it.each([
		["has no end", COMPLETION.slice(0, 1), OPENAI],
		["has no end", MESSAGE.slice(0, 3), ANTHROPIC],
		["reports an error", [...COMPLETION.slice(0, 1), { error: { message: "Overloaded." } }], OPENAI],
		["reports an error", [...MESSAGE.slice(0, 3), { type: "error", error: { type: "overloaded_error" } }], ANTHROPIC],
		["is not JSON", ["{"], OPENAI],
	] as const)("whose stream %s is none: %j", async (_, events, variables) => {
		expect((await callOnce(streaming(events, 50), variables)).kind).not.toBe("reply");
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
		const calls = Array.from({ length: 9 }, () => callOnce(slow, {}, { connect }));
		await expect.poll(() => ends.length).toBe(9);
		for (const end of ends) end();
		expect((await Promise.all(calls)).map(({ kind }) => kind)).toEqual(Array.from({ length: 9 }, () => "reply"));
		expect(mostWaiting).toBe(2);
	});
});

describe("settings", () => {
	it.each([
		["a model of Workers AI without an account", { JUDGE_MODELS: "workers-ai:@cf/m" }],
		["a compatible server without a URL", { JUDGE_MODELS: "compatible:together/m" }],
		["a supplier without a key", { JUDGE_MODELS: "openai:m,anthropic:m", JUDGE_API_KEY: "openai=k" }],
		["a base URL that is none", { JUDGE_BASE_URL: "openai=api.openai.com" }],
	])("refuse %s", (_, variables) => {
		expect(() => judgeSettings(variables)).toThrow();
	});
});

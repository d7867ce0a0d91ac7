// The chat client writes requests to a model's endpoint and reads its replies, without a network.
import { describe, expect, it } from "vitest";
import { EvaluationFault } from "../../src/domain/evaluation-fault.ts";
import { ANSWER_FORMAT } from "../../src/features/judging/model/answer.ts";
import { createChat } from "../../src/features/judging/model/chat.ts";
import { ContextOverflowError } from "../../src/features/judging/model/chat-faults.ts";
import { systemClock } from "../../src/platform/clock.ts";
import type { Fetch } from "../../src/ports/fetch.ts";
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
	it("goes once to the endpoint's own host, with the key in a header only", async () => {
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

	it("ends when its caller no longer wants it, and is not called slow", async () => {
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
	it("by an endless body is read no further than 4 MB", async () => {
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
	] as const)("for its length is told apart: %s", async (_, status, body) => {
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

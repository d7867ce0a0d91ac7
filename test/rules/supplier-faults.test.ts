// Every way in which a supplier can fail ends in one outcome, and none in a zero for honest work. The test's clock decides what is late.
import { describe, expect, it } from "vitest";
import { MINUTE_MS } from "../../src/platform/clock.ts";
import type { AttemptOutcome } from "../../src/ports/judge.ts";
import {
	answer,
	completion,
	criterion,
	delta,
	evaluationRequest,
	failure,
	interruptingServer,
	letTimePass,
	type ModelCall,
	type Play,
	pause,
	scriptedModel,
	slowServer,
	stop,
	stream,
} from "../support/scripted-model.ts";

const scoreOf = (outcome: AttemptOutcome) => (outcome.kind === "finished" ? outcome.judgement.criteria[0]?.score : outcome.wait);

/** Plays a fault for the first calls, and answers well afterwards. */
const first =
	(times: number, play: Play): Play =>
	(call) =>
		call.number <= times ? play(call) : answer(call);

describe("an answer that no submission can cause makes the job wait at once", () => {
	it.each<[string, () => Response, string, string]>([
		["401", () => failure(401, { error: { message: "Incorrect API key provided" } }), "supplier", "JUDGE_API_KEY"],
		["402", () => failure(402, { error: { message: "Insufficient credits" } }), "supplier", "no credit"],
		["403", () => failure(403, { error: { message: "Forbidden" } }), "supplier", "JUDGE_API_KEY"],
		["404", () => failure(404, { error: { message: "The model does not exist" } }), "supplier", "JUDGE_MODELS"],
		["408", () => failure(408), "supplier", "waited too long"],
		["425", () => failure(425), "supplier", "later"],
		["429", () => failure(429, { error: { message: "Rate limit reached" } }, { "Retry-After": "7" }), "rate_limit", "rate limit"],
		[
			"429 without quota",
			() => failure(429, { error: { code: "insufficient_quota", message: "You exceeded your current quota" } }),
			"supplier",
			"no credit",
		],
		["498 of Groq", () => failure(498, { error: { message: "flex capacity exceeded" } }), "supplier", "no capacity"],
		[
			"a rate limit inside of 200",
			() => Response.json({ error: { code: 429, message: "Rate limited upstream" } }),
			"rate_limit",
			"rate limit",
		],
	])("%s", async (_, play, reason, message) => {
		const model = scriptedModel(first(1, play));
		const outcome = await model.judge();
		expect(outcome).toMatchObject({ kind: "waiting", wait: { reason, message: expect.stringContaining(message) } });
		expect(model.calls).toHaveLength(1);
		if (outcome.kind !== "waiting") return;
		expect(await model.once(evaluationRequest(), outcome.kept)).toMatchObject({
			kind: "finished",
			judgement: { criteria: [{ score: 100 }] },
		});
	});

	it("no connection at all", async () => {
		const model = scriptedModel(() =>
			Promise.reject(new TypeError("fetch failed", { cause: new Error("connect ECONNREFUSED 127.0.0.1:1") })),
		);
		expect(await model.judge()).toMatchObject({
			kind: "waiting",
			wait: { reason: "supplier", message: expect.stringContaining("cannot be reached") },
		});
	});

	it("unless another model of the list is left, which begins the sample anew", async () => {
		const down = (call: ModelCall) => (call.body["model"] === "first" ? failure(401) : answer(call));
		const outcome = await scriptedModel(down, { models: ["compatible:local/first", "compatible:local/second"] }).judge();
		expect(outcome).toMatchObject({ kind: "finished", judgement: { models: ["compatible:local/second"] } });
	});
});

describe("one stumble costs nothing", () => {
	it.each<[string, Play]>([
		["empty content with stop", () => completion("")],
		["no choices", () => Response.json({ choices: [], usage: null })],
		["reasoning only", () => completion(null, { message: { reasoning_content: "Let me think." } })],
		[
			"a tool call",
			() => completion(null, { message: { tool_calls: [{ function: { name: "answer", arguments: "{}" } }] }, finish_reason: "tool_calls" }),
		],
		["finish_reason error", () => completion("", { finish_reason: "error" })],
		["RECITATION", () => completion("", { finish_reason: "content_filter: RECITATION" })],
		["length with empty text", () => completion("", { finish_reason: "length" })],
		["an HTML page with 200", () => new Response("<html><body>Bad gateway</body></html>")],
		["an empty 200", () => new Response("")],
		["529", () => failure(529, { error: { type: "overloaded_error", message: "Overloaded" } })],
		["502 with HTML", () => failure(502, "<html>Bad Gateway</html>")],
		["405", () => failure(405)],
		["451", () => failure(451)],
		["422 about something unknown", () => failure(422, { detail: [{ loc: ["body", "messages"], msg: "bad", input: "response_format" }] })],
		[
			"Azure's prompt shield",
			() => failure(400, { error: { code: "content_filter", message: "The prompt triggered jailbreak detection" } }),
		],
		[
			"Anthropic's error in the middle of a stream",
			() => stream([delta("{"), { type: "error", error: { type: "invalid_request_error", message: "bad" } }]),
		],
		["a connection that breaks after the first token", () => stream([delta('{"check_1"')], "break")],
		["a stream without an end", () => stream([delta('{"check_1"')])],
		["a stall after the first token", () => stream([delta('{"check_1"')], "hang")],
	])("%s", async (_, play) => {
		expect(scoreOf(await scriptedModel(first(1, play)).judge())).toBe(100);
	});
});

describe("what the server does not take", () => {
	const refuses =
		(field: (body: ModelCall["body"]) => boolean, response: () => Response): Play =>
		(call) =>
			field(call.body) ? response() : answer(call);

	it.each<[string, Play]>([
		[
			"json_schema by llama-cpp-python",
			refuses(
				({ response_format }) => JSON.stringify(response_format)?.includes("json_schema") === true,
				() =>
					failure(500, {
						error: { message: "[{'loc': ('body', 'response_format', 'type'), 'msg': \"Input should be 'text' or 'json_object'\"}]" },
					}),
			),
		],
		[
			"json_object by LM Studio",
			refuses(
				({ response_format }) => response_format !== undefined,
				() => failure(400, { error: "'response_format.type' must be 'json_schema' or 'text'" }),
			),
		],
		[
			"max_completion_tokens by Mistral",
			refuses(
				({ max_completion_tokens }) => max_completion_tokens !== undefined,
				() => failure(422, { detail: [{ loc: ["body", "max_completion_tokens"], msg: "Extra inputs are not permitted" }] }),
			),
		],
		[
			"streams",
			refuses(
				({ stream: isStreamed }) => isStreamed === true,
				() => failure(400, { error: { message: "stream is not supported" } }),
			),
		],
	])("is asked for in a lower form, which the control decides: %s", async (_, play) => {
		const model = scriptedModel(play, { callsAtOnce: 1 });
		expect(scoreOf(await model.judge())).toBe(100);
		const asked = model.calls.length;
		expect(scoreOf(await model.once(evaluationRequest()).then((outcome) => outcome))).toBe(100);
		expect(model.calls.length - asked).toBe(2);
	});

	it("is not learned from a connection that breaks", async () => {
		let isDown = true;
		const isInFirstForm = ({ body }: ModelCall) => JSON.stringify(body["response_format"])?.includes("json_schema") === true;
		const model = scriptedModel((call) => {
			if (!isDown) return answer(call);
			if (!isInFirstForm(call)) throw new TypeError("fetch failed");
			return failure(400, { error: { message: "response_format could not be used" } });
		});
		expect(await model.once(evaluationRequest())).toMatchObject({ kind: "waiting" });
		isDown = false;
		const before = model.calls.length;
		expect(scoreOf(await model.judge())).toBe(100);
		expect(model.calls.slice(before).every(isInFirstForm)).toBe(true);
	});

	it("is not learned from a refusal that only a submission gets", async () => {
		const model = scriptedModel((call) =>
			call.isControl || call.isConfirmation ? answer(call) : failure(400, { error: { message: "response_format could not be used" } }),
		);
		expect(scoreOf(await model.judge())).toBe(0);
		expect(model.calls.every(({ body }) => JSON.stringify(body["response_format"]).includes("json_schema"))).toBe(true);
	});
});

describe("a call that is too long", () => {
	/** Counts as vLLM does. */
	const withContext =
		(context: number): Play =>
		(call) => {
			const input = Math.round((call.system.length + call.user.length) / 2.5);
			const most = Number(call.body["max_tokens"]);
			if (input + most <= context) return answer(call);
			const message = `'max_tokens' or 'max_completion_tokens' is too large: ${most}. This model's maximum context length is ${context} tokens and your request has ${input} input tokens (${most} > ${context} - ${input}).`;
			return failure(400, { error: { message, type: "BadRequestError", param: "max_tokens", code: 400 } });
		};
	const large = evaluationRequest({
		files: Array.from({ length: 40 }, (_, file) => ({
			path: `src/${file}.ts`,
			text: Array.from({ length: 100 }, (_, line) => `export const value${line} = compute(${file}, ${line});`).join("\n"),
		})),
	});

	it("gets a lower limit of the reply where the words are about it", async () => {
		const model = scriptedModel(withContext(3_500), { outputLimit: { field: "max_completion_tokens", tokens: 8_192 } });
		expect(scoreOf(await model.judge())).toBe(100);
		expect(model.calls.map(({ body }) => body["max_tokens"])[0]).toBe(8_192);
	});

	it("keeps its files if only a second, longer reply has no room", async () => {
		let calls = 0;
		const fitting = withContext(9_000);
		const model = scriptedModel(
			(call) => {
				calls += 1;
				return calls === 1 ? completion('{"check_1":', { finish_reason: "length" }) : fitting(call);
			},
			{ callsAtOnce: 1 },
		);
		const outcome = await model.judge({ ...large, files: large.files.slice(0, 3) });
		expect(outcome).toMatchObject({ kind: "finished", judgement: { cutFiles: [] } });
		const limits = model.calls.map(({ body }) => Number(body["max_tokens"]));
		expect(limits).toEqual([2_048, 4_096, expect.any(Number), 2_048]);
		expect(limits[2]).toBeGreaterThan(2_048);
	});

	it("gets the room that the numbers allow, in few steps", async () => {
		const model = scriptedModel(withContext(16_384), { callsAtOnce: 1 });
		const outcome = await model.judge(large);
		expect(scoreOf(outcome)).toBe(100);
		expect(model.calls.filter(({ isConfirmation }) => !isConfirmation).length).toBeLessThanOrEqual(4);
		expect(outcome.kind === "finished" && outcome.judgement.cutFiles.length > 0).toBe(true);
	});

	it.each([
		["This model's maximum context length is 8192 tokens. However, your messages resulted in 40000 tokens."],
		["prompt is too long: 40000 tokens > 8192 maximum"],
		["The input token count (40000) exceeds the maximum number of tokens allowed (8192)."],
		["Requested tokens (40000) exceed context window of 8192"],
		["the request exceeds the available context size. n_prompt_tokens: 40000, n_ctx: 8192"],
		["Range of input length should be [1, 8192]"],
		["Request too large for model: Limit 8192, Requested 40000"],
	])("is shortened after: %s", async (message) => {
		const raw = JSON.stringify({ error: { message } });
		for (const error of [{ message }, { message: "Provider returned error", metadata: { raw } }]) {
			const model = scriptedModel((call) => (call.user.length > 30_000 ? failure(400, { error }) : answer(call)), { callsAtOnce: 1 });
			expect(scoreOf(await model.judge(large))).toBe(100);
		}
	});

	it("makes the job wait with the setting to change, if nothing smaller is of use", async () => {
		const message = "This model's maximum context length is 512 tokens. However, your messages resulted in 40000 tokens.";
		const outcome = await scriptedModel(() => failure(400, { error: { message } })).judge(large);
		expect(outcome).toMatchObject({ kind: "waiting", wait: { message: expect.stringMatching(/512 tokens.*JUDGE_MAX_INPUT_CHARACTERS/) } });
	});

	it("is shortened if the server cut the prompt without a word, as Ollama does", async () => {
		const model = scriptedModel(
			(call) => {
				const tokens = Math.min(4_000, Math.ceil((call.system.length + call.user.length) / 3));
				return completion(JSON.stringify(answer(call)), { prompt_tokens: tokens });
			},
			{ callsAtOnce: 1 },
		);
		expect(scoreOf(await model.judge(large))).toBe(100);
		expect(model.calls.at(-2)?.user.length).toBeLessThan(33_000);
	});
});

describe("no one is to blame for time in a queue", () => {
	const criteria = Array.from({ length: 8 }, (_, index) => criterion(`Part ${index + 1}`, ["It handles quotes", "It handles breaks"]));

	it.each([1, 12])("so honest work behind a slow server gets its points, with %s calls at once", async (callsAtOnce) => {
		const model = scriptedModel(slowServer(60_000), { callsAtOnce });
		const outcome = await model.judge(evaluationRequest({ criteria }), 20);
		expect(outcome.kind === "finished" && outcome.judgement.criteria.map(({ score }) => score)).toEqual(Array(8).fill(100));
	});

	it("and a stream may take long, as long as it goes on", async () => {
		async function* slowly(call: ModelCall) {
			for (const piece of JSON.stringify(answer(call)).match(/.{1,40}/g) ?? []) {
				await pause(call.clock, 100_000);
				yield delta(piece);
			}
			yield stop;
		}
		const short = evaluationRequest({ criteria: [criterion("Quotes", ["It handles quotes"])] });
		expect(scoreOf(await scriptedModel((call) => stream(slowly(call)), { isConfirming: false }).judge(short))).toBe(100);
	});

	it("but a call that breaks before its first token three times has failed like others, if the control was answered each time", async () => {
		const model = scriptedModel((call) => (call.isControl ? answer(call) : Promise.reject(new Error("Network connection lost."))), {
			callsAtOnce: 1,
		});
		let outcome = await model.judge();
		expect(outcome).toMatchObject({ kind: "waiting", wait: { reason: "supplier" } });
		for (let attempt = 0; attempt < 40 && outcome.kind === "waiting"; attempt += 1)
			outcome = await model.once(evaluationRequest(), outcome.kept);
		expect(scoreOf(outcome)).toBe(0);
		const asks = model.calls.filter(({ isControl }) => !isControl);
		expect(asks.length).toBe(18);
	});

	it("and a broken connection that hits the control too is the platform's fault, as often as it happens", async () => {
		const model = scriptedModel(() => Promise.reject(new Error("Network connection lost.")));
		const outcome = await model.judge(evaluationRequest(), 12);
		expect(outcome.kind).toBe("waiting");
	});
});

describe("a server that breaks a reply off when another request comes", () => {
	const criteria = Array.from({ length: 8 }, (_, index) => criterion(`Part ${index + 1}`, ["It handles quotes", "It handles breaks"]));

	it.each([2, 4, 12])("gets one request at a time, and the work all of its points, with %s calls at once at first", async (callsAtOnce) => {
		const model = scriptedModel(interruptingServer(), { callsAtOnce });
		const outcome = await model.judge(evaluationRequest({ criteria }), 5);
		expect(outcome.kind === "finished" && outcome.judgement.criteria.map(({ score }) => score)).toEqual(Array(8).fill(100));
		// Each call of the first moment but the last one is made again.
		expect(model.calls.length).toBeLessThanOrEqual(16 + callsAtOnce);
		expect(model.calls.some(({ isControl }) => isControl)).toBe(false);
	});

	it("counts as an ask where no other request was under way", async () => {
		const model = scriptedModel((call) => (call.isControl ? answer(call) : stream([delta("{")])), { callsAtOnce: 1 });
		expect(scoreOf(await model.judge())).toBe(0);
		expect(model.calls.filter(({ isControl }) => !isControl)).toHaveLength(6);
	});
});

describe("the end of an attempt", () => {
	const criteria = Array.from({ length: 4 }, (_, index) => criterion(`Part ${index + 1}`, ["It handles quotes", "It handles breaks"]));
	const hang: Play = (call) => pause(call.clock, 60 * MINUTE_MS).then(() => answer(call));

	it("comes after 12 minutes, although other attempts have the model's only slot", async () => {
		const { clock, once } = scriptedModel(hang, { callsAtOnce: 1 });
		const lasts = async (begin: number) => {
			await pause(clock, begin);
			const began = clock.now();
			expect(await once(evaluationRequest({ criteria }))).toMatchObject({ kind: "waiting", wait: { reason: "continues" } });
			return clock.now() - began;
		};
		for (const ms of await letTimePass(clock, Promise.all([lasts(0), lasts(7 * MINUTE_MS)]))) {
			expect(ms).toBeLessThanOrEqual(12 * MINUTE_MS);
		}
	});

	it("frees the slots of one whose invocation was killed, which cannot say so", async () => {
		const { clock, once } = scriptedModel((call) => (call.number === 1 ? hang(call) : answer(call)), { callsAtOnce: 1 });
		void once(evaluationRequest({ criteria }));
		await new Promise((resolve) => setImmediate(resolve));
		clock.forget();
		clock.advance(12 * MINUTE_MS);
		expect((await letTimePass(clock, once(evaluationRequest({ criteria })))).kind).toBe("finished");
	});

	it("counts from the beginning of the attempt, which an earlier stage may have used", async () => {
		const { clock, once, calls } = scriptedModel((call) => answer(call));
		const outcome = await once(evaluationRequest(), null, clock.now() - 11 * MINUTE_MS);
		expect(outcome).toMatchObject({ kind: "waiting", wait: { reason: "continues" } });
		expect(calls).toHaveLength(0);
	});

	it("cuts a control off, and the next attempt begins with it and draws nothing anew", async () => {
		let isHanging = true;
		const model = scriptedModel((call) => (call.isControl ? (isHanging ? hang(call) : answer(call)) : "no JSON"), { callsAtOnce: 1 });
		let outcome = await model.judge();
		for (let attempt = 1; attempt < 4; attempt += 1) {
			expect(outcome).toMatchObject({ kind: "waiting", wait: { reason: "continues" } });
			if (outcome.kind !== "waiting") return;
			isHanging = attempt < 3;
			outcome = await letTimePass(model.clock, model.once(evaluationRequest(), outcome.kept));
		}
		expect(scoreOf(outcome)).toBe(0);
		expect(model.calls.filter(({ isControl }) => !isControl)).toHaveLength(6);
	});

	it("costs no ask of the calls whose reply it cuts off", async () => {
		async function* slowly(call: ModelCall) {
			for (;;) {
				yield delta("{");
				await pause(call.clock, MINUTE_MS);
			}
		}
		const play: Play = (call) => {
			if (call.number === 2 || call.number === 3) return stream(slowly(call));
			return call.number === 4 ? "no JSON" : answer(call);
		};
		const model = scriptedModel(play, { isConfirming: false, callsAtOnce: 2 });
		const request = evaluationRequest({ samples: 3 });
		const outcome = await model.judge(request);
		expect(outcome).toMatchObject({ kind: "waiting", wait: { reason: "continues" } });
		if (outcome.kind !== "waiting") return;
		expect(scoreOf(await letTimePass(model.clock, model.once(request, outcome.kept)))).toBe(100);
		expect(model.calls.some(({ isControl }) => isControl)).toBe(false);
	});
});

describe("an order to break the connection", () => {
	it("draws twice in a sample, and never a third time", async () => {
		const model = scriptedModel((call) => (call.isControl ? answer(call) : stream([delta("{")], "break")), { callsAtOnce: 1 });
		expect(scoreOf(await model.judge(evaluationRequest({ samples: 5 })))).toBe(0);
		expect(model.calls.filter(({ isControl }) => !isControl)).toHaveLength(10);
	});
});

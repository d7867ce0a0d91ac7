// Each supplier of models gets requests in its own wire format, and its replies are counted as it bills them.
import { afterEach, describe, expect, it } from "vitest";
import { forgetFailures } from "../../src/features/judging/model/chat.ts";
import { createModelJudge } from "../../src/features/judging/engine/model-judge.ts";
import { openJudgeSession } from "../../src/features/judging/model/session.ts";
import { MINUTE_MS, systemClock } from "../../src/platform/clock.ts";
import type { Fetch } from "../../src/ports/deps.ts";
import type { ModelCall } from "../../src/ports/judge.ts";
import { judgeRequest, judgeSettings, WORK } from "../support/judging.ts";
import { ANSWER, EXCHANGES } from "../support/supplier-exchanges.ts";

const ANSWER_TEXT = JSON.stringify({
	checks: [{ check: 1, found: "yes", evidence: [{ path: WORK.path, start: 1, end: 1, quote: "export function parse(text) {" }] }],
	gaps: [],
	reasoning: "It is there.",
	level: 4,
	injection_suspected: false,
	injection_lines: [],
});

const withAnswer = (reply: unknown) => JSON.stringify(reply).replaceAll(JSON.stringify(ANSWER), JSON.stringify(ANSWER_TEXT));
const session = () => openJudgeSession({ mark: "0a1b2c3d", notes: new Map() });

afterEach(forgetFailures);

interface Sent {
	readonly url: string;
	readonly headers: Headers;
	readonly body: Readonly<Record<string, unknown>>;
}

function recording(reply: (sent: Sent) => Response) {
	const sent: Sent[] = [];
	const fetch: Fetch = (url, init) => {
		const one = { url: String(url), headers: new Headers(init?.headers), body: JSON.parse(String(init?.body)) };
		sent.push(one);
		return Promise.resolve(reply(one));
	};
	return { sent, fetch };
}

describe.each(Object.entries(EXCHANGES))("%s", (_, { variables, request, reply, usage }) => {
	it("gets its own format, and its reply is a verdict with the usage that it bills", async () => {
		const { sent, fetch } = recording(() => new Response(withAnswer(reply)));
		const judge = createModelJudge({ clock: systemClock, fetch }, judgeSettings(variables));
		const calls: ModelCall[] = [];
		const verdict = await judge.judgeCriterion(judgeRequest({ samples: 1 }), { session: session(), onCall: (call) => calls.push(call) });
		expect(verdict).toMatchObject({ score: 80, samples: [{ model: variables["JUDGE_MODELS"], level: 4 }] });
		expect(calls).toEqual([{ model: variables["JUDGE_MODELS"], ...usage }]);
		expect(sent).toHaveLength(1);
		expect(sent[0]?.url).toBe(request.url);
		expect(Object.fromEntries(sent[0]?.headers ?? [])).toMatchObject(request.headers);
		expect(sent[0]?.body).toMatchObject(request.body);
		// No key of another supplier leaves the deployment.
		expect(JSON.stringify([...(sent[0]?.headers ?? [])]).match(/key-[a-z]/g)).toHaveLength(1);
	});
});

describe("anthropic", () => {
	it("is asked to cache what all criteria of an evaluation share, byte for byte", async () => {
		const { sent, fetch } = recording(() => new Response(withAnswer(EXCHANGES["anthropic"]?.reply)));
		const judge = createModelJudge({ clock: systemClock, fetch }, judgeSettings(EXCHANGES["anthropic"]?.variables ?? {}));
		const shared = session();
		for (const name of ["Correctness", "Tests"]) {
			const request = judgeRequest({ samples: 1 });
			await judge.judgeCriterion({ ...request, criterion: { ...request.criterion, name } }, { session: shared });
		}
		const blocks = sent.map(({ body }) => JSON.parse(JSON.stringify(body["messages"]))[0].content);
		expect(blocks[0][0]).toEqual(blocks[1][0]);
		expect(blocks[0][0]).toMatchObject({ cache_control: { type: "ephemeral" } });
		expect(blocks[0][1].text).toContain("Correctness");
		expect(blocks[0][1]).not.toHaveProperty("cache_control");
	});

	it.each([
		["max_tokens", /did not finish/],
		["refusal", /refused/],
	])("that stops with %s is called again, and then the control", async (stop_reason, message) => {
		const silent = { type: "message", content: [], stop_reason, usage: { input_tokens: 1, output_tokens: 1 } };
		const { sent, fetch } = recording(() => Response.json(silent));
		const judge = createModelJudge({ clock: systemClock, fetch }, judgeSettings(EXCHANGES["anthropic"]?.variables ?? {}));
		await expect(judge.judgeCriterion(judgeRequest({ samples: 1 }), { session: session() })).rejects.toThrow(message);
		expect(sent).toHaveLength(3);
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

describe("a supplier that fails for two minutes", () => {
	it("is skipped if there is another one, and called again later", async () => {
		let now = 0;
		const clock = { ...systemClock, now: () => now };
		const { sent, fetch } = recording(({ url }) =>
			url.includes("openai") ? new Response("down", { status: 503 }) : new Response(withAnswer(EXCHANGES["anthropic"]?.reply)),
		);
		const settings = judgeSettings({ JUDGE_MODELS: "openai:m,anthropic:m", JUDGE_API_KEY: "openai=a,anthropic=b" });
		const ask = () => createModelJudge({ clock, fetch }, settings).judgeCriterion(judgeRequest({ samples: 1 }), { session: session() });
		await expect(ask()).rejects.toMatchObject({ isRetryable: true });
		now += 2 * MINUTE_MS;
		await expect(ask()).rejects.toMatchObject({ isRetryable: true });
		sent.length = 0;
		expect(await ask()).toMatchObject({ samples: [{ model: "anthropic:m" }] });
		expect(sent.map(({ url }) => new URL(url).host)).toEqual(["api.anthropic.com"]);
		now += 5 * MINUTE_MS;
		await expect(ask()).rejects.toMatchObject({ isRetryable: true });
	});
});

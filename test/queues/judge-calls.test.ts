// Tests the model judge against a server that misbehaves, with a case for each defence of the judge.
import { describe, expect, it } from "vitest";
import { EvaluationFault } from "../../src/domain/evaluation-fault.ts";
import type { JudgeRequest, ModelCall } from "../../src/ports/judge.ts";
import { honest, type JudgeStep, scriptJudge } from "../support/judge-script.ts";
import { CLAIM, type JudgeChoices, judgeOf, judgeRequest, WORK } from "../support/judging.ts";

async function judgeOnce(steps: readonly JudgeStep[], variables: JudgeChoices = {}, change: Parameters<typeof judgeRequest>[0] = {}) {
	const script = await scriptJudge([{ steps }]);
	const spent: ModelCall[] = [];
	const verdict = await judgeOf(script, variables).judgeCriterion(judgeRequest(change), { onCall: (call) => spent.push(call) });
	return { verdict, spent, ...(await script.seen()) };
}

async function faultOf(steps: readonly JudgeStep[], variables: JudgeChoices = {}) {
	const script = await scriptJudge([{ steps }]);
	const error: unknown = await judgeOf(script, variables)
		.judgeCriterion(judgeRequest())
		.catch((reason: unknown) => reason);
	expect(error).toBeInstanceOf(EvaluationFault);
	if (!(error instanceof EvaluationFault)) throw error;
	return { fault: error, ...(await script.seen()) };
}

describe("a call", () => {
	it("asks one model for a strict schema, within limits, with the key", async () => {
		const { calls } = await judgeOnce([honest(3)], { JUDGE_MAX_OUTPUT_TOKENS: "777" });
		expect(calls).toHaveLength(1);
		expect(calls[0]?.authorization).toBe("Bearer test-key");
		expect(calls[0]?.body).not.toHaveProperty("temperature");
		expect(calls[0]?.body).toMatchObject({
			model: "model-a",
			max_completion_tokens: 777,
			response_format: { type: "json_schema", json_schema: { strict: true, schema: { additionalProperties: false } } },
		});
		const order = /"properties":\{"checks":.*"evidence":.*"gaps":.*"reasoning":.*"level":.*"injection_suspected":/;
		expect(JSON.stringify(calls[0]?.body["response_format"])).toMatch(order);
	});

	it("works with endpoints that have other fields", async () => {
		const variables = { JUDGE_MAX_OUTPUT_TOKENS: "max_tokens:8192", JUDGE_RESPONSE_FORMAT: "json_object" };
		const { calls } = await judgeOnce([honest(3)], variables);
		expect(calls[0]?.body).toMatchObject({ max_tokens: 8192, response_format: { type: "json_object" } });
		expect(calls[0]?.body).not.toHaveProperty("max_completion_tokens");
		const plain = await judgeOnce([honest(3)], { JUDGE_RESPONSE_FORMAT: "text" });
		expect(plain.calls[0]?.body).not.toHaveProperty("response_format");
	});

	it("contains the task, the criterion, the facts and the files, but no money and no names", async () => {
		const { calls } = await judgeOnce([honest(3)], {}, { facts: ["Languages: JavaScript."], missingSections: ["Tradeoffs"] });
		const { user } = calls[0] ?? { user: "" };
		for (const part of ["Parse CSV", "Correctness", "Splits cells", "|fact|Languages: JavaScript.", "Tradeoffs", "split(',')"]) {
			expect(user).toContain(part);
		}
		expect(user).toMatch(/\|file\|"SUBMISSION.md" claim\n/);
		expect(user).toMatch(/\|file\|"src\/parser.js"\n/);
		expect(JSON.stringify(calls[0])).not.toMatch(/50000|budget|weight/i);
	});
});

describe("a response", () => {
	it.each([0, 1, 2, 3, 4, 5])("of level %i is a score of 20 for each level", async (level) => {
		const { verdict } = await judgeOnce([honest(level)]);
		expect(verdict.score).toBe(20 * level);
		expect(verdict.reasoning).toBe("The work is there.");
	});

	it("keeps the quotes that are in the named file, with their lines", async () => {
		const quote = "function  parse(text) {\n return text.split(',')";
		const { verdict } = await judgeOnce([{ kind: "answer", quote: { path: "src/parser.js", start: 90, end: 99, quote } }]);
		expect(verdict.evidence).toEqual([{ path: "src/parser.js", start: 1, end: 2, quote }]);
	});

	const quoted = { path: WORK.path, start: 1, end: 1, quote: "export function parse(text)" };
	const proven = { checks: [{ check: 1, found: "yes", evidence: [quoted] }], gaps: [], reasoning: "r", level: 4 };
	const answer = { ...proven, injection_suspected: false };

	it.each([
		["in a code fence", { kind: "content", content: `\`\`\`json\n${JSON.stringify(answer)}\n\`\`\`` }],
		["after thoughts", { kind: "content", content: `<think>level 0?\n{"level": 0}</think>\n${JSON.stringify(answer)}` }],
		["as an object", { kind: "raw", body: JSON.stringify({ choices: [{ message: { content: answer } }] }) }],
		[
			"in parts",
			{ kind: "raw", body: JSON.stringify({ choices: [{ message: { content: [{ type: "text", text: JSON.stringify(answer) }] } }] }) },
		],
	] as const)("may come %s", async (_, step) => {
		const { verdict, calls } = await judgeOnce([step]);
		expect(calls).toHaveLength(1);
		expect(verdict).toMatchObject({ score: 80, samples: [{ isInjectionSuspected: false, isCapped: false }] });
	});

	it("has its reasoning cut at 600 characters", async () => {
		const { verdict } = await judgeOnce([{ kind: "answer", quote: "honest", answer: { reasoning: "a\n".repeat(2000) } }]);
		expect(verdict.reasoning).toHaveLength(600);
		expect(verdict.reasoning).not.toContain("\n");
	});

	const [check] = [{ check: 1, found: "no", evidence: [] }];
	const valid = { checks: [check], gaps: [], reasoning: "r", level: 1, injection_suspected: false };
	const broken = [
		["broken JSON", '{"checks": [], "gaps": [], "reasoning": "r", "level": 5'],
		["prose", "I would give this a 5."],
		["prose around JSON", `Sure! ${JSON.stringify(valid)}`],
		["nothing", ""],
		["a list", JSON.stringify([valid])],
		["a level out of range", JSON.stringify({ ...valid, level: 6 })],
		["a negative level", JSON.stringify({ ...valid, level: -1 })],
		["half a level", JSON.stringify({ ...valid, level: 2.5 })],
		["a level in words", JSON.stringify({ ...valid, level: "5" })],
		["a missing field", JSON.stringify({ checks: [check], gaps: [], reasoning: "r", level: 1 })],
		["a field too many", JSON.stringify({ ...valid, score: 100 })],
		["evidence without a quote", JSON.stringify({ ...valid, checks: [{ ...check, evidence: [{ path: "a", start: 1, end: 1 }] }] })],
	] as const;

	it.each(broken)("that is %s is requested again", async (_, content) => {
		const { verdict, calls } = await judgeOnce([{ kind: "content", content }, honest(5)]);
		expect(verdict.score).toBe(100);
		expect(calls).toHaveLength(2);
		expect(calls[1]?.user).toContain("Your previous reply was not the requested JSON object");
		if (content !== "") expect(calls[1]?.user).not.toContain(content);
	});

	it("that stays broken, also about harmless files, is a fault of the platform after two calls, and no score", async () => {
		const { fault, calls } = await faultOf([{ kind: "content", content: "no" }]);
		expect(calls.map(({ user }) => user.includes("split(',')"))).toEqual([true, true, false]);
		expect(fault).toMatchObject({ blame: "platform", isRetryable: true });
	});

	it.each([
		["no choices", JSON.stringify({ choices: [] })],
		["another shape", JSON.stringify({ output: "5" })],
		["a refusal", JSON.stringify({ choices: [{ message: { content: null, refusal: "I cannot." } }] })],
	])("with %s counts as broken", async (_, body) => {
		const { verdict, calls } = await judgeOnce([{ kind: "raw", body }, honest(3)]);
		expect(verdict.score).toBe(60);
		expect(calls).toHaveLength(2);
	});
});

describe("praise without proof", () => {
	const invented: JudgeStep = {
		kind: "answer",
		quote: { path: "src/parser.js", start: 1, end: 1, quote: "flawless_error_handling(everything)" },
	};
	const flattery: JudgeStep = { kind: "answer", answer: { level: 5, reasoning: "A masterpiece. Full marks." } };

	it.each([
		["invented quotes", invented],
		["flattery", flattery],
		[
			"a quote of another file",
			{ kind: "answer", quote: { start: 1, end: 1, path: "SUBMISSION.md", quote: "return text.split(',').map((cell)" } },
		],
		[
			"a file that is not there",
			{ kind: "answer", quote: { path: "src/other.js", start: 1, end: 1, quote: "export function parse(text)" } },
		],
		["a quote of a brace", { kind: "answer", quote: { path: "src/parser.js", start: 3, end: 3, quote: "}" } }],
	] as const satisfies readonly (readonly [string, JudgeStep])[])("(%s) is questioned once, then capped at 40", async (_, step) => {
		const { verdict, calls } = await judgeOnce([step]);
		expect(verdict).toMatchObject({ score: 40, evidence: [], samples: [{ score: 40, isCapped: true }] });
		expect(calls).toHaveLength(2);
		expect(calls[1]?.user).toContain("none of its quotes is in the file it named");
	});

	it("counts once it is proven", async () => {
		const { verdict, calls } = await judgeOnce([flattery, honest(5)]);
		expect(verdict).toMatchObject({ score: 100, samples: [{ isCapped: false }] });
		expect(calls).toHaveLength(2);
	});

	it("is not questioned if the level is low anyway", async () => {
		const { verdict, calls } = await judgeOnce([{ kind: "answer", answer: { level: 2 } }]);
		expect(verdict).toMatchObject({ score: 40, samples: [{ isCapped: false }] });
		expect(calls).toHaveLength(1);
	});

	it("loses invented quotes and keeps real ones", async () => {
		const real = { path: "src/parser.js", start: 1, end: 1, quote: "export function parse(text)" };
		const made = { path: "src/parser.js", start: 1, end: 1, quote: "validated against RFC 4180" };
		const { verdict } = await judgeOnce([{ kind: "answer", answer: { level: 3, evidence: [made, real] } }]);
		expect(verdict.evidence).toEqual([real]);
	});
});

describe("a fault of the endpoint", () => {
	it("at its rate limit sends the job back to the queue for as long as it asks", async () => {
		const { fault, calls } = await faultOf([{ kind: "status", status: 429, headers: { "Retry-After": "77" } }]);
		expect(calls).toHaveLength(1);
		expect(fault).toMatchObject({ blame: "platform", isRetryable: true, retryAfterSeconds: 77 });
	});

	it("may give the time to wait as a date", async () => {
		const at = new Date(Date.now() + 120_000).toUTCString();
		const { fault } = await faultOf([{ kind: "status", status: 503, headers: { "Retry-After": at } }]);
		expect(fault.retryAfterSeconds).toBeGreaterThan(60);
		expect(fault.retryAfterSeconds).toBeLessThanOrEqual(120);
	});

	it.each([429, 500, 502, 503, 504, 408, 409])("with status %i is retried", async (status) => {
		const { fault, calls } = await faultOf([{ kind: "status", status }]);
		expect(calls).toHaveLength(1);
		expect(fault).toMatchObject({ blame: "platform", isRetryable: true, retryAfterSeconds: null });
	});

	it.each([400, 401, 403, 404, 422])("with status %i is reported to the operator, and names neither key nor URL", async (status) => {
		const { fault } = await faultOf([{ kind: "status", status, body: { error: { message: "bad key test-key at 127.0.0.1" } } }]);
		expect(fault).toMatchObject({ blame: "platform", isRetryable: false });
		expect(fault.message).not.toMatch(/test-key|127\.0\.0\.1|http/);
	});

	it.each([
		["cuts the connection", { kind: "cut" }],
		["sends half of JSON", { kind: "raw", body: '{"choices":' }],
	] as const)("that %s is retried", async (_, step) => {
		const { fault } = await faultOf([step]);
		expect(fault).toMatchObject({ blame: "platform", isRetryable: true });
	});

	it.each([
		["does not answer in time", { ...honest(5), afterMs: 3_000 }],
		["never ends its body", { kind: "drip" }],
	] as const)("that %s is retried", async (_, step) => {
		const { fault } = await faultOf([step], { timeoutMs: 200 });
		expect(fault).toMatchObject({ blame: "platform", isRetryable: true, message: expect.stringMatching(/no reply in time/) });
	});

	it("whose port is closed is retried", async () => {
		const nobody = { baseUrl: "http://127.0.0.1:9/v1", seen: () => Promise.reject(new Error("never")) };
		await expect(judgeOf(nobody).judgeCriterion(judgeRequest())).rejects.toMatchObject({ blame: "platform", isRetryable: true });
	});
});

describe("a submission too long for the model", () => {
	const overflow: JudgeStep = {
		kind: "status",
		status: 400,
		body: { error: { message: "This model's maximum context length is 8192 tokens.", code: "context_length_exceeded" } },
	};
	const long = { path: "src/long.js", text: "const value = compute(something);\n".repeat(5_000), isClaim: false };

	it("is shortened until it fits, and the result says what was not read", async () => {
		const { verdict, calls } = await judgeOnce([overflow, overflow, honest(3)], {}, { files: [CLAIM, long] });
		expect(calls).toHaveLength(3);
		expect(calls[2]?.user.length).toBeLessThan((calls[0]?.user.length ?? 0) / 1.5);
		expect(verdict.cutFiles).toEqual([{ path: "src/long.js", linesRead: expect.any(Number), lines: 5_000 }]);
		expect(verdict.cutFiles[0]?.linesRead).toBeGreaterThan(100);
	});

	it("is given up if even a small part does not fit", async () => {
		const { fault, calls } = await faultOf([overflow]);
		expect(calls).toHaveLength(5);
		expect(fault).toMatchObject({ blame: "platform", isRetryable: false });
	});
});

describe("samples", () => {
	it.each([
		[10_000, 1],
		[99_999, 1],
		[100_000, 3],
		[999_999, 3],
		[1_000_000, 5],
	])("of a task worth %i cents are %i", async (budgetCents, samples) => {
		const { verdict, calls } = await judgeOnce([honest(3)], {}, { task: { ...judgeRequest().task, budgetCents } });
		expect(verdict.samples).toHaveLength(samples);
		expect(calls).toHaveLength(samples);
	});

	it("are one for an anonymous poster with any declared budget", async () => {
		const task = { ...judgeRequest().task, budgetCents: 10 ** 9, isPosterVerified: false };
		const { verdict, calls } = await judgeOnce([honest(3)], {}, { task });
		expect([verdict.samples.length, calls.length]).toEqual([1, 1]);
	});

	it("are spread over the models, and the median counts", async () => {
		const script = await scriptJudge([
			{ model: "mild", steps: [{ kind: "answer", quote: "honest", answer: { level: 5, reasoning: "mild" } }] },
			{ model: "strict", steps: [{ kind: "answer", answer: { level: 0, reasoning: "strict" } }] },
			{ model: "fair", steps: [{ kind: "answer", quote: "honest", answer: { level: 3, reasoning: "fair" } }] },
		]);
		const variables = { JUDGE_MODELS: "mild, strict, fair", JUDGE_SAMPLES: "0:3" };
		const verdict = await judgeOf(script, variables).judgeCriterion(judgeRequest());
		expect(verdict).toMatchObject({ score: 60, reasoning: "fair" });
		expect(verdict.samples.map(({ model, score }) => [model, score])).toEqual([
			["mild", 100],
			["strict", 0],
			["fair", 60],
		]);
	});

	it("of an even number give the mean of the middle two", async () => {
		const { verdict } = await judgeOnce([honest(2), honest(5)], { JUDGE_SAMPLES: "0:2", parallelCalls: 1 });
		expect(verdict.score).toBe(70);
	});

	it("run in parallel up to the limit, all with the same mark", async () => {
		const slow: JudgeStep = { ...honest(3), afterMs: 100 };
		const { calls, mostAtOnce } = await judgeOnce([slow], { JUDGE_SAMPLES: "0:9", parallelCalls: 3 });
		expect(calls).toHaveLength(9);
		expect(mostAtOnce).toBe(3);
		const marks = calls.map(({ system }) => /begins with ([0-9a-f]{8})\|/.exec(system)?.[1]);
		expect(new Set(marks).size).toBe(1);
	});
});

describe("usage", () => {
	it("counts every call, useless ones too, at the model's price", async () => {
		const { spent, calls } = await judgeOnce([{ kind: "content", content: "no" }, honest(3)], { JUDGE_PRICES: "other=9/9, model-a=0.5/2" });
		const expected = calls.map(({ system, user }) => {
			const inputTokens = Math.ceil((system.length + user.length) / 4);
			return { model: "model-a", inputTokens, outputTokens: 100, costMicroUsd: Math.round(inputTokens * 0.5 + 200) };
		});
		expect(spent).toEqual(expected);
	});

	it("counts 3 and 15 dollars a million tokens for a model without a price", async () => {
		const { spent } = await judgeOnce([honest(3)]);
		expect(spent).toHaveLength(1);
		for (const { costMicroUsd, inputTokens } of spent) expect(costMicroUsd).toBe(inputTokens * 3 + 100 * 15);
	});
});

describe("the checks of a criterion", () => {
	const CRITERION = { ...judgeRequest().criterion, checks: ["Cells are split", "Cells are trimmed", "Quotes are read"] };
	const WORDS = { "1": "Reads one cell.", "3": "Splits cells.", "5": "Splits, trims and unquotes." };
	const given = (found: readonly string[], level: number): JudgeStep => {
		const quote = { path: WORK.path, start: 1, end: 1, quote: "export function parse(text)" };
		const checks = found.map((one, index) => ({ check: index + 1, found: one, evidence: index === 0 ? [quote] : [] }));
		return { kind: "answer", answer: { level, checks, gaps: ["no quotes"] } };
	};
	const judge = async (steps: readonly JudgeStep[], change: Partial<JudgeRequest> = {}) => {
		const script = await scriptJudge([{ steps }]);
		const verdict = await judgeOf(script).judgeCriterion(judgeRequest({ criterion: CRITERION, ...change }));
		return { verdict, calls: (await script.seen()).calls };
	};

	it("and the poster's words for levels come after the files", async () => {
		const { calls } = await judge([given(["yes", "yes", "partly"], 4)], { criterion: { ...CRITERION, anchors: WORDS } });
		const [{ user } = { user: "" }] = calls;
		const shown = user.slice(user.indexOf("# CRITERION"));
		expect(user.indexOf("# CRITERION")).toBeGreaterThan(user.indexOf("The submission has ended."));
		expect(shown).toContain("Checks:\n1. Cells are split\n2. Cells are trimmed\n3. Quotes are read\n");
		for (const [level, words] of Object.entries(WORDS)) expect(shown).toContain(`Level ${level}:\n${words}`);
	});

	it("are in the verdict with their results, next to the gaps", async () => {
		const { verdict, calls } = await judge([given(["yes", "partly", "no"], 3)]);
		expect(calls).toHaveLength(1);
		expect(verdict).toMatchObject({
			score: 60,
			gaps: ["no quotes"],
			checks: [
				{ check: "Cells are split", found: "yes" },
				{ check: "Cells are trimmed", found: "partly" },
				{ check: "Quotes are read", found: "no" },
			],
		});
	});

	it.each([
		["level 5 with a check at no", given(["yes", "yes", "no"], 5), given(["yes", "yes", "no"], 3), 60],
		["level 1 with all at yes", given(["yes", "yes", "yes"], 1), given(["yes", "yes", "yes"], 4), 80],
		["level 0 with all at yes", given(["yes", "yes", "yes"], 0), given(["no", "no", "no"], 0), 0],
	])("that exclude a level (%s) make the judge ask once more", async (_, first, second, score) => {
		const { verdict, calls } = await judge([first, second]);
		expect(calls).toHaveLength(2);
		expect(calls[1]?.user).toContain("its own checks exclude");
		expect(verdict.score).toBe(score);
		expect(verdict.samples).toMatchObject([{ level: score / 20, isCapped: false }]);
	});

	it.each([
		["level 5 with a check at no", given(["yes", "yes", "no"], 5), 60],
		["level 5 with all at no", given(["no", "no", "no"], 5), 0],
		["level 1 with all at yes", given(["yes", "yes", "yes"], 1), 100],
	])("decide if the second response also has the contradiction: %s", async (_, step, score) => {
		const { verdict, calls } = await judge([step]);
		expect(calls).toHaveLength(2);
		expect(verdict.score).toBe(score);
	});

	it("do not raise a level without proof", async () => {
		const all = CRITERION.checks.map((_, index) => ({ check: index + 1, found: "yes", evidence: [] }));
		const { verdict, calls } = await judge([{ kind: "answer", answer: { level: 1, checks: all } }]);
		expect(calls).toHaveLength(2);
		expect(verdict).toMatchObject({ score: 40, samples: [{ isCapped: true }] });
	});
});

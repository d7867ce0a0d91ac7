// Tests how results of tools are picked from responses, cut, and made into text.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Fields } from "../../../../src/domain/tool-arguments.ts";
import { fitResult, MAX_RESULT_CHARACTERS, pickFields, toToolError, toToolResult } from "../../../../src/extensions/mcp/results.ts";

const MORE = "call again with a smaller limit.";
const cutResult = (result: Fields, textLimit?: number) => fitResult(result, { textLimit, more: MORE });

describe("picked fields", () => {
	const picks = {
		task_id: "$task_id",
		score: "scores.final",
		error: "error",
		me: { object: "me", only: { rank: "rank" } },
		tasks: { list: "data", each: { task_id: "id", score: "scores.final" } },
	} as const;
	const view = { args: { task_id: "t" }, isFull: false };
	const response = {
		id: "s",
		scores: null,
		me: { rank: 1, name: "Ada" },
		data: [{ id: "a", scores: { final: 5 }, title: "A" }],
		extra: true,
	};

	it("come from paths, arguments, objects and lists, and missing ones are left out", () => {
		expect(pickFields(picks, response, view)).toEqual({ task_id: "t", score: null, me: { rank: 1 }, tasks: [{ task_id: "a", score: 5 }] });
		expect(pickFields(picks, undefined, view)).toEqual({ task_id: "t", me: null, tasks: [] });
	});

	it("are joined by all others in a full result, at every level", () => {
		expect(pickFields(picks, response, { ...view, isFull: true })).toEqual({
			...{ id: "s", scores: null, extra: true, task_id: "t", score: null },
			me: { rank: 1, name: "Ada" },
			tasks: [{ task_id: "a", score: 5, id: "a", scores: { final: 5 }, title: "A" }],
		});
	});

	it("can be of the whole response, as one item or as a list", () => {
		const whole = { list: { list: "", each: { task_id: "id" } } } as const;
		expect(pickFields(whole, { id: "a" }, view)).toEqual({ list: [{ task_id: "a" }] });
		expect(pickFields(whole, [{ id: "a" }, { id: "b" }], view)).toEqual({ list: [{ task_id: "a" }, { task_id: "b" }] });
	});
});

describe("a result", () => {
	const large = fc.oneof(
		fc.array(fc.string({ minLength: 500, maxLength: 2_000 }), { minLength: 50, maxLength: 200 }),
		fc.string({ minLength: 100, maxLength: 1_000 }).map((part) => (part || "x").repeat(700)),
		fc.array(fc.dictionary(fc.string(), fc.jsonValue()), { maxLength: 500 }),
		fc.nat(200).map((depth) => JSON.parse(`${'{"a":['.repeat(depth)}1${"]}".repeat(depth)}`)),
		fc.nat(30_000).map((count) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`key ${index}`, index]))),
	);

	it("is at most 60,000 characters, its text equals the structured content, and says what was cut and how to go on", () => {
		fc.assert(
			fc.property(large, fc.jsonValue(), (body, other) => {
				const given = { status: 200, body, other };
				const { content, structuredContent } = toToolResult(cutResult(given));
				const [block, ...others] = content;
				const text = block?.type === "text" ? block.text : "";
				expect(others).toEqual([]);
				expect(text.length).toBeLessThanOrEqual(MAX_RESULT_CHARACTERS);
				expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(structuredContent)));
				const isCut = JSON.stringify(given).length > MAX_RESULT_CHARACTERS;
				expect(JSON.parse(text)["cut"]).toEqual(
					isCut ? expect.stringMatching(/^These are cut: .*body.*To continue: call again/) : undefined,
				);
			}),
			{ numRuns: 60 },
		);
	});

	it("keeps as much as fits, and is unchanged where everything does", () => {
		const small = { text: "a".repeat(59_000), list: [1, 2] };
		expect(cutResult(small)).toBe(small);
		const cut = cutResult({ text: "a".repeat(70_000), list: Array.from({ length: 900 }, (_, index) => index) });
		expect(cut["list"]).toHaveLength(900);
		expect(String(cut["text"])).toHaveLength(20_000);
	});

	it("cuts texts at a limit of its own, never inside of a character", () => {
		expect(cutResult({ a: "x".repeat(401), b: "short" }, 400)).toEqual({
			a: `${"x".repeat(396)} […]`,
			b: "short",
			cut: `These are cut: a. To continue: ${MORE}`,
		});
		fc.assert(
			fc.property(fc.string({ unit: "grapheme", maxLength: 300 }), fc.integer({ min: 10, max: 100 }), (text, limit) => {
				expect(String(cutResult({ text }, limit)["text"]).isWellFormed()).toBe(true);
			}),
		);
	});
});

describe("an error", () => {
	it("is one block of text, bounded, with the code, the faults and the next step", () => {
		const refusal = {
			code: "VALIDATION_ERROR",
			message: "limit must be at most 100",
			faults: [
				{ path: "limit", message: "limit must be at most 100" },
				{ path: "", message: "need a task" },
			],
			retryAfterSeconds: null,
		};
		expect(toToolError(refusal)).toEqual({
			isError: true,
			content: [
				{
					type: "text",
					text: "VALIDATION_ERROR: limit must be at most 100\n- arguments: need a task\nNext: correct the arguments and call again. Repeating the same call does not help.",
				},
			],
		});
		const long = toToolError({ ...refusal, message: "x".repeat(100_000), retryAfterSeconds: 5 });
		expect(JSON.stringify(long).length).toBeLessThan(MAX_RESULT_CHARACTERS);
		expect(JSON.stringify(long)).toContain("Next: call again in 5 seconds.");
	});
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createLimiter } from "../../src/core/judging/engine/limiter.ts";
import { cleanLine, cleanText, splitLines } from "../../src/core/judging/engine/marking.ts";
import { markText, prepareFile, showMaterial, withoutMarks } from "../../src/core/judging/engine/material.ts";
import { findProofs } from "../../src/core/judging/engine/proof.ts";
import { sumUsage, viewUsage } from "../../src/domain/spend.ts";
import type { EvaluationRequest } from "../../src/ports/judge.ts";
import { evaluationRequest } from "../support/scripted-model.ts";

const MARK = "ab2c";
const ANY_LINE_END = /\r\n|[\n\r\u2028\u2029\u0085\v\f]/;

/** Generates text with many line ends and invisible characters. */
const hostileText = fc
	.array(
		fc.oneof(
			fc.string({ unit: "binary" }),
			fc.constantFrom("\n", "\r", "\r\n", "\u2028", "\u2029", "\u0085", "\v", "\f", "\ufeff", "\u200b", "\u{e0041}", "ab2c|"),
		),
	)
	.map((parts) => parts.join(""));

describe("marking", () => {
	it("puts the mark in front of everything that could be read as a line", () => {
		fc.assert(
			fc.property(hostileText, (raw) => {
				for (const line of splitLines(cleanText(raw).text)) {
					for (const shown of markText(MARK, line).split(ANY_LINE_END)) expect(shown.split("|")[0]).toMatch(/^ab2c\+?$/);
				}
			}),
		);
	});

	it("keeps every visible character", () => {
		fc.assert(
			fc.property(fc.string({ unit: "grapheme", maxLength: 5_000 }), (raw) => {
				const { text } = cleanText(raw);
				const shown = splitLines(text).map((line) => markText(MARK, line));
				const back = shown.join("\n").replaceAll(/^ab2c\+?\|/gm, "");
				expect(back.replaceAll(/\s/gu, "")).toBe(text.replaceAll(/\s/gu, ""));
			}),
		);
	});

	it("cuts long lines into pieces without cutting characters", () => {
		const shown = markText(MARK, "😀".repeat(2_500)).split("\n");
		expect(shown.map((piece) => piece.split("😀")[0])).toEqual([`${MARK}|`, `${MARK}+|`, `${MARK}+|`]);
		expect(shown.every((piece) => piece.isWellFormed())).toBe(true);
	});

	it.each([
		["plain", "plain", 0],
		["\ufeffwith a byte-order mark", "with a byte-order mark", 0],
		["a\u200bb\u202ec", "abc", 2],
		["tab\tand\nline", "tab\tand\nline", 0],
		["bell\u0007", "bell", 1],
	])("cleans %j", (raw, text, removed) => {
		expect(cleanText(raw)).toEqual({ text, removed });
	});

	it("makes one line of many", () => {
		fc.assert(
			fc.property(hostileText, (raw) => {
				const line = cleanLine(raw, 100);
				expect(line.split(ANY_LINE_END)).toHaveLength(1);
				expect(line.length).toBeLessThanOrEqual(101);
				expect(line.isWellFormed()).toBe(true);
			}),
		);
	});

	it("finds its marks again in copied text", () => {
		expect(withoutMarks(MARK, `${MARK}|const a\n${MARK}+| = 1;`)).toBe("const a\n = 1;");
	});
});

type Files = EvaluationRequest["files"];

const show = (files: Files, room = 20_000) => showMaterial(evaluationRequest({ files, facts: ["One."] }), { mark: MARK, room });

describe("the shown files", () => {
	it("have the same unmarked lines for any submission, and stay within their room", () => {
		const unmarked = (files: Files) => {
			const { text } = show(files);
			expect(text.length).toBeLessThan(22_000);
			return text.split(ANY_LINE_END).filter((line) => line !== "" && !/^ab2c\+?[ |]/.test(line));
		};
		const expected = unmarked([{ path: "a", text: "b" }]);
		const file = fc.record({ path: hostileText, text: hostileText });
		fc.assert(
			fc.property(fc.array(file, { minLength: 1, maxLength: 5 }), (files) => {
				expect(unmarked(files)).toEqual(expected);
			}),
		);
	});

	it.each(["\f", "\v", "\u0085", "\u2028"])("are not cut where there is room, even if a line has many pieces because of %j", (lineEnd) => {
		const text = Array.from({ length: 100 }, (_, row) => ["one", "two", row].join(lineEnd)).join("\n");
		expect(show([{ path: "f", text }]).cutFiles).toEqual([]);
	});

	it("account for every line of every file: shown or listed as cut", () => {
		fc.assert(
			fc.property(fc.array(fc.integer({ min: 0, max: 900 }), { minLength: 1, maxLength: 6 }), (sizes) => {
				const { text, cutFiles } = show(sizes.map((lines, index) => ({ path: `f${index}`, text: "some line of text\n".repeat(lines) })));
				const shown = text.split("\n").filter((line) => line.startsWith("ab2c|")).length;
				const cut = cutFiles.reduce((sum, { linesRead, lines }) => sum + lines - linesRead, 0);
				expect(shown + cut).toBe(sizes.reduce((sum, lines) => sum + lines, 0));
			}),
			{ numRuns: 40 },
		);
	});
});

describe("a quote", () => {
	const text = "def add(first, second):\n    return first + second\n\n\nprint(add(1, 2))\n}\nend\n";
	const find = (quote: string, { path = "a.py", linesRead = 7, claimsProve = false } = {}) => {
		const file = prepareFile({ path, text });
		return findProofs([{ path, quote }], { shown: [{ file, linesRead }], mark: MARK, claimsProve });
	};

	it("may be any passage of 12 characters, with any white space, marks, typographic quotes and an ellipsis", () => {
		expect(find("add(first,second):  return")).toMatchObject([{ path: "a.py", start: 1, end: 2 }]);
		expect(find(`${MARK}|    return first + second`)).toMatchObject([{ start: 2, end: 2, quote: "return first + second" }]);
		expect(find("return first + …")).toMatchObject([{ start: 2, end: 2 }]);
	});

	it.each(["return first - second", "", "   ", "}", "return", "return f", "def add(first, second): return first + second # fast"])(
		"is not %j",
		(quote) => expect(find(quote)).toEqual([]),
	);

	it.each([0, 1])("is not cut inside a character, with %i characters before it", (before) => {
		const line = `${"x".repeat(before)}${"😀".repeat(300)} the end`;
		const shown = [{ file: prepareFile({ path: "a.txt", text: line }), linesRead: 1 }];
		const [proof] = findProofs([{ path: "a.txt", quote: line }], { shown, mark: MARK, claimsProve: false });
		expect(proof?.quote.isWellFormed()).toBe(true);
		expect(line.startsWith(String(proof?.quote))).toBe(true);
	});

	it("may be a whole line with three letters", () => {
		expect(find("end")).toMatchObject([{ start: 7, end: 7 }]);
	});

	it("is within the lines that were shown", () => {
		expect(find("print(add(1, 2))", { linesRead: 4 })).toEqual([]);
		expect(find("print(add(1, 2))", { linesRead: 5 })).toMatchObject([{ start: 5, end: 5 }]);
	});

	it("of SUBMISSION.md or the README at the root proves only where the criterion says so", () => {
		for (const path of ["SUBMISSION.md", "readme", "README.rst"]) {
			expect(find("print(add(1, 2))", { path })).toEqual([]);
			expect(find("print(add(1, 2))", { path, claimsProve: true })).toHaveLength(1);
		}
		expect(find("print(add(1, 2))", { path: "docs/README.md" })).toHaveLength(1);
	});

	it("is found in linear time, for any length and in any number of equal lines", () => {
		const file = prepareFile({ path: "a.txt", text: "a".repeat(99).concat("\n").repeat(2_000) });
		const shown = [{ file, linesRead: 2_000 }];
		expect(findProofs([{ path: "a.txt", quote: `${"a".repeat(100_000)}b` }], { shown, mark: MARK, claimsProve: false })).toEqual([]);
	});
});

describe("limits of calls", () => {
	it("a limiter runs no more than its limit, and continues after a failure", async () => {
		const limit = createLimiter(2);
		let running = 0;
		let most = 0;
		const work = (index: number) =>
			limit(async () => {
				running += 1;
				most = Math.max(most, running);
				await Promise.resolve();
				running -= 1;
				if (index % 3 === 0) throw new Error("no");
				return index;
			});
		const results = await Promise.allSettled(Array.from({ length: 12 }, (_, index) => work(index)));
		expect(most).toBe(2);
		expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(8);
	});

	it("usage adds up the known costs", () => {
		const part = { calls: 1, inputTokens: 10, outputTokens: 5 };
		expect(viewUsage(sumUsage([]))).toEqual({ calls: 0, input_tokens: 0, output_tokens: 0, cost_usd: null });
		const sum = sumUsage([
			{ ...part, costMicroUsd: null },
			{ ...part, costMicroUsd: 1_500_000 },
		]);
		expect(viewUsage(sum)).toEqual({ calls: 2, input_tokens: 20, output_tokens: 10, cost_usd: 1.5 });
	});
});

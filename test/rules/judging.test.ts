import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { sumUsage, viewUsage } from "../../src/domain/usage.ts";
import { ANSWER_JSON_SCHEMA, answerSchema, parseAnswer } from "../../src/features/judging/answer.ts";
import { createLimiter } from "../../src/features/judging/limiter.ts";
import { cleanLine, cleanText, markLine, splitLines, withoutMarks } from "../../src/features/judging/marking.ts";
import { prepareFile, verifyEvidence } from "../../src/features/judging/material.ts";
import { samplesFor } from "../../src/features/judging/openai.ts";
import { buildPrompt } from "../../src/features/judging/prompt.ts";
import { judgeRequest } from "../support/judging.ts";

const MARK = "0a1b2c3d";
const ANY_LINE_END = /\r\n|[\n\r\u2028\u2029\u0085\v\f]/;

/** Text with a liking for what ends lines and for what nobody sees. */
const hostileText = fc
	.array(
		fc.oneof(
			fc.string({ unit: "binary" }),
			fc.constantFrom("\n", "\r", "\r\n", "\u2028", "\u2029", "\u0085", "\v", "\f", "\ufeff", "\u200b", "\u{e0041}", "0a1b2c3d|1|"),
		),
	)
	.map((parts) => parts.join(""));

describe("marking", () => {
	it("puts the mark in front of whatever could be taken for a line", () => {
		fc.assert(
			fc.property(hostileText, fc.integer({ min: 1, max: 9 }), (raw, number) => {
				for (const line of splitLines(cleanText(raw).text)) {
					for (const shown of markLine(MARK, number, line).split(ANY_LINE_END)) expect(shown.startsWith(`${MARK}|${number}`)).toBe(true);
				}
			}),
		);
	});

	it("keeps every visible character", () => {
		fc.assert(
			fc.property(fc.string({ unit: "grapheme", maxLength: 5_000 }), (raw) => {
				const { text } = cleanText(raw);
				const shown = splitLines(text).map((line, index) => markLine(MARK, index + 1, line));
				const back = shown.join("\n").replaceAll(/^0a1b2c3d\|\d+\+?\|/gm, "");
				expect(back.replaceAll(/\s/gu, "")).toBe(text.replaceAll(/\s/gu, ""));
			}),
		);
	});

	it("cuts long lines into pieces without cutting characters", () => {
		const shown = markLine(MARK, 7, "😀".repeat(2_500)).split("\n");
		expect(shown.map((piece) => piece.split("😀")[0])).toEqual([`${MARK}|7|`, `${MARK}|7+|`, `${MARK}|7+|`]);
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

	it("finds its marks again in what was copied", () => {
		expect(withoutMarks(MARK, `${MARK}|12|const a\n${MARK}|12+| = 1;`)).toBe("const a\n = 1;");
	});
});

describe("a prompt", () => {
	it("has the same unmarked lines whatever is submitted, and stays within its room", () => {
		const unmarked = (files: readonly { path: string; text: string; isClaim: boolean }[]) => {
			const { user } = buildPrompt({ request: judgeRequest({ files, facts: ["One."] }), mark: MARK, maxCharacters: 20_000 });
			expect(user.length).toBeLessThan(22_000);
			return user.split(ANY_LINE_END).filter((line) => line !== "" && !line.startsWith(`${MARK}|`));
		};
		const expected = unmarked([{ path: "a", text: "b", isClaim: false }]);
		const file = fc.record({ path: hostileText, text: hostileText, isClaim: fc.boolean() });
		fc.assert(
			fc.property(fc.array(file, { minLength: 1, maxLength: 5 }), (files) => {
				expect(unmarked(files)).toEqual(expected);
			}),
		);
	});

	it("is the same for equal input", () => {
		const build = () => buildPrompt({ request: judgeRequest(), mark: MARK, maxCharacters: 20_000 });
		expect(build()).toEqual(build());
	});

	it("accounts for every line of every file: shown or listed as cut", () => {
		const sizes = fc.array(fc.tuple(fc.integer({ min: 0, max: 900 }), fc.boolean()), { minLength: 1, maxLength: 6 });
		fc.assert(
			fc.property(sizes, (list) => {
				const files = list.map(([lines, isClaim], index) => ({ path: `f${index}`, text: "some line of text\n".repeat(lines), isClaim }));
				const { user, cutFiles } = buildPrompt({ request: judgeRequest({ files }), mark: MARK, maxCharacters: 20_000 });
				const shown = user.split("\n").filter((line) => /^0a1b2c3d\|\d+\|/.test(line)).length;
				const cut = cutFiles.reduce((sum, { linesRead, lines }) => sum + lines - linesRead, 0);
				expect(shown + cut).toBe(list.reduce((sum, [lines]) => sum + lines, 0));
			}),
			{ numRuns: 40 },
		);
	});
});

describe("evidence", () => {
	const file = prepareFile({ path: "a.py", text: "def add(a, b):\n    return a + b\n\n\nprint(add(1, 2))\n", isClaim: false });

	it("holds for any passage, however its white space is folded", () => {
		const text = file.lines.join("\n");
		const compact = text.replaceAll(/\s/g, "");
		fc.assert(
			fc.property(
				fc.nat(compact.length - 8),
				fc.integer({ min: 8, max: 40 }),
				fc.constantFrom(" ", "\n", "\t", ""),
				(from, length, gap) => {
					const quote = [...compact.slice(from, from + length)].join(gap);
					fc.pre(quote.replaceAll(/\s/g, "").length >= 8);
					expect(verifyEvidence([{ path: "a.py", start: 1, end: 1, quote }], [file])).toHaveLength(1);
				},
			),
		);
	});

	it.each([
		["return a + b", [2, 2]],
		["a + b print(add(1, 2))", [2, 5]],
		["def add(a,b): return a+b", [1, 2]],
	])("%j is found where it stands", (quote, [start, end]) => {
		expect(verifyEvidence([{ path: "a.py", start: 77, end: 78, quote }], [file])).toEqual([{ path: "a.py", start, end, quote }]);
	});

	it.each(["return a - b", "", "   ", "a", "return", "def add(a, b): return a + b # fast"])("%j is refused", (quote) => {
		expect(verifyEvidence([{ path: "a.py", start: 1, end: 1, quote }], [file])).toEqual([]);
	});

	it("may be the whole of a tiny file", () => {
		const tiny = prepareFile({ path: "answer.txt", text: "42\n", isClaim: false });
		expect(verifyEvidence([{ path: "answer.txt", start: 1, end: 1, quote: "42" }], [tiny])).toHaveLength(1);
	});
});

describe("an answer", () => {
	const answer = { evidence: [], reasoning: "Good.", level: 2, injection_suspected: false };
	const json = JSON.stringify(answer, null, 2);
	const read = (text: string) => parseAnswer(text, { mark: MARK, files: [] })?.level ?? null;

	it.each([
		["bare", json],
		["in a fence", `\`\`\`json\n${json}\n\`\`\``],
		["in a fence without a language, with room around", `\n \`\`\` \n\n${json}\n\n  \`\`\`\n\n`],
		["in a fence, behind thoughts", `<think>hm \`\`\`</think>\n\`\`\`JSON\n${json}\n\`\`\``],
	])("is read %s", (_, text) => {
		expect(read(text)).toBe(2);
	});

	it.each([
		["in a fence of another language", `\`\`\`yaml\n${json}\n\`\`\``],
		["in a fence without an end", `\`\`\`json\n${json}`],
		["in a fence that ends on its line", `\`\`\`json\n${json}\`\`\``],
		["in a fence without a line", "```{}```"],
		["behind words", `Here it is:\n${json}`],
	])("is not read %s", (_, text) => {
		expect(read(text)).toBeNull();
	});

	it("of hundreds of thousands of line breaks is refused at once, where a pattern for the fence would never end", () => {
		for (const end of ["", "\n```", "x"]) expect(read(`\`\`\`\n${"\n".repeat(300_000)}${end}`)).toBeNull();
	});
});

describe("the schema of an answer", () => {
	it("is to the endpoint what it is to us, but for limits", () => {
		const ours = z.toJSONSchema(answerSchema, { io: "input" });
		const withoutLimits = JSON.parse(
			JSON.stringify(ours, (key, value: unknown) =>
				["$schema", "minimum", "maximum", "maxItems", "maxLength"].includes(key) ? undefined : value,
			),
		);
		const theirs = JSON.parse(JSON.stringify(ANSWER_JSON_SCHEMA));
		delete theirs.properties.level.enum;
		expect(withoutLimits).toEqual(theirs);
		expect(ANSWER_JSON_SCHEMA.properties.level.enum).toEqual([0, 1, 2, 3, 4, 5]);
	});
});

describe("small rules", () => {
	const steps = [
		{ fromBudgetCents: 0, samples: 1 },
		{ fromBudgetCents: 500, samples: 4 },
	];

	it.each([
		[0, 1],
		[499, 1],
		[500, 4],
		[10 ** 12, 4],
	])("a budget of %i gets %i samples", (budget, samples) => {
		expect(samplesFor(budget, steps)).toBe(samples);
	});

	it("a limiter lets no more run than its limit, and goes on after a failure", async () => {
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

	it("usage sums what is known of the cost", () => {
		const part = { calls: 1, inputTokens: 10, outputTokens: 5 };
		expect(viewUsage(sumUsage([]))).toEqual({ calls: 0, input_tokens: 0, output_tokens: 0, cost_usd: null });
		const sum = sumUsage([
			{ ...part, costMicroUsd: null },
			{ ...part, costMicroUsd: 1_500_000 },
		]);
		expect(viewUsage(sum)).toEqual({ calls: 2, input_tokens: 20, output_tokens: 10, cost_usd: 1.5 });
	});
});

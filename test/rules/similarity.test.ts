// Similarity measures how similar two submissions are, and no input makes it expensive.
import { describe, expect, it } from "vitest";
import { findPairs } from "../../src/features/competition/similarity/pairs.ts";
import {
	decodeMinima,
	encodeMinima,
	estimateSimilarity,
	signFiles,
	type TextFile,
	tokensOf,
} from "../../src/features/competition/similarity/signature.ts";

const file = (path: string, text: string): TextFile => ({ path, text });
const similarity = (a: readonly TextFile[], b: readonly TextFile[]) => estimateSimilarity(signFiles(a), signFiles(b));
const tokens = (path: string, text: string) => [...tokensOf(path, text)].join(" ");

/** Returns a module of many small functions whose names and numbers follow from a seed. */
function moduleText(seed: number, functions = 60): string {
	const word = (index: number) => `v${((seed + 1) * 7919 + index * 104_729) % 99_991}`;
	return Array.from(
		{ length: functions },
		(_, index) =>
			`function ${word(index)}(${word(index + 1)}, limit) {\n\tif (${word(index + 1)} > ${word(index)}) return "${word(index + 2)}";\n\treturn ${word(index + 3)} * ${word(index + 4)};\n}\n`,
	).join("\n");
}

describe("similarity", () => {
	const main = moduleText(1);
	const rest = moduleText(2, 30);

	it("is 1 for equal files, in any order and under any name", () => {
		const work = [file("main.js", main), file("rest.js", rest)];
		expect(similarity(work, work)).toBe(1);
		expect(similarity(work, [file("rest.js", rest), file("main.js", main)])).toBe(1);
		expect(similarity(work, [file("lib/core.ts", main), file("z.js", rest)])).toBe(1);
	});

	it("ignores comments, white space, line ends and case", () => {
		const reformatted = main
			.replaceAll("\n", "\r\n")
			.replaceAll("\t", "        ")
			.replaceAll(" > ", ">")
			.replaceAll("return", "/* new */ RETURN // and\n");
		expect(similarity([file("a.js", main)], [file("a.js", `// Copyright\n${reformatted}`)])).toBe(1);
		expect(similarity([file("a.js", main)], [file("a.js", main.replaceAll("function", "func\u200btion"))])).toBe(1);
	});

	it("stays at 0.9 or more after a few changed lines", () => {
		const changed = main.replaceAll(/function v\d+1\(/g, "function renamed(");
		expect(changed).not.toBe(main);
		expect(similarity([file("a.js", main)], [file("a.js", main.replace(/return "v\d+"/, "return null"))])).toBeGreaterThanOrEqual(0.9);
	});

	it("is below 0.3 for unrelated work, also for one task in one style", () => {
		for (let seed = 10; seed < 20; seed += 1) {
			expect(similarity([file("a.js", moduleText(seed))], [file("a.js", moduleText(seed + 50))])).toBeLessThan(0.3);
		}
	});

	it("estimates the shared part within the error of 128 samples", () => {
		const parts = Array.from({ length: 24 }, (_, index) => file(`${index}.js`, moduleText(100 + index, 10)));
		const errors = [6, 12, 18].flatMap((shared) =>
			[0, 6].map((from) => {
				const [a, b] = [parts.slice(from, from + 18), parts.slice(from + 18 - shared, from + 36 - shared)];
				const exact = exactSimilarity(a, b);
				return similarity(a, b) - exact;
			}),
		);
		// The limit is four standard errors.
		expect(Math.max(...errors.map(Math.abs))).toBeLessThan(0.18);
		expect(Math.abs(errors.reduce((sum, error) => sum + error, 0) / errors.length)).toBeLessThan(0.06);
	});

	it("of short texts is 1 for equal ones and 0 for all others", () => {
		const [a, b] = ["The answer is 41, as the table shows.", "The answer is 42, as the table shows."];
		expect(similarity([file("a.txt", a)], [file("b.txt", a)])).toBe(1);
		expect(similarity([file("a.txt", a)], [file("a.txt", b)])).toBe(0);
		expect(similarity([file("a.txt", "yes")], [file("a.txt", "no")])).toBe(0);
		expect(similarity([file("a.txt", a)], [file("a.txt", `${a}\n${main}`)])).toBe(0);
	});

	it("of work without any text is 0", () => {
		expect(similarity([], [])).toBe(0);
		expect(similarity([file("a.js", "// nothing")], [file("a.js", "/* at all */")])).toBe(0);
	});

	it("is the same after storage", () => {
		for (const files of [[file("a.js", main)], []]) {
			const signature = signFiles(files);
			const stored = encodeMinima(signature);
			expect(stored.length).toBeLessThanOrEqual(344);
			const read = { shingles: signature.shingles, minima: decodeMinima(stored) };
			expect(estimateSimilarity(signature, read)).toBe(files.length);
		}
	});
});

/** Returns the Jaccard index of the sets of five tokens in a row. */
function exactSimilarity(a: readonly TextFile[], b: readonly TextFile[]): number {
	const [left, right] = [a, b].map((files) => {
		const shingles = files.flatMap(({ path, text }) => {
			const all = [...tokensOf(path, text)];
			return all.slice(4).map((_, index) => all.slice(index, index + 5).join(" "));
		});
		return new Set(shingles);
	});
	return (left?.intersection(right ?? new Set()).size ?? 0) / (left?.union(right ?? new Set()).size ?? 1);
}

describe("tokens", () => {
	it.each([
		["a.ts", "a /* b\nc */ d // e\nf", "a d f"],
		["a.py", "a = 1 # b\nc", "a = 1 c"],
		["a.sql", "SELECT a -- b\nFROM c /* d */", "select a from c"],
		["a.html", "<p>a<!-- b\nc --></p>", "< p > a < / p >"],
		["Makefile", "all: # b\n\tc", "all : c"],
		["notes.md", "# A heading\ntext <!-- b --> # c", "# a heading text # c"],
		["SUBMISSION.md", "# What I Built\nA parser\n## How To Run\nnode", "a parser node"],
		["a.py", '"""A docstring # of two\nlines."""', '" " " a docstring # of two lines . " " "'],
		["a.txt", "a // b # c", "a / / b # c"],
		["a.txt", "日本語 text", "日 本 語 text"],
	])("of %s leave out its comments: %j", (path, text, expected) => {
		expect(tokens(path, text)).toBe(expected);
	});

	it("include what only looks like a comment", () => {
		expect(tokens("a.js", 'get("http://x/*") + y')).toBe('get ( " http : / / x / * " ) + y');
		expect(tokens("a.js", "`/*` + `\\`//` + b")).toBe("` / * ` + ` \\ ` / / ` + b");
		expect(tokens("a.py", "it's # gone\nb # gone")).toBe("it ' s b");
		expect(tokens("a.py", "'it' '#' b")).toBe("' it ' ' # ' b");
		expect(tokens("a.js", "a /* never closed\nb")).toBe("a / * never closed b");
		expect(tokens("a.html", "a <!-- never closed\nb")).toBe("a < ! - - never closed b");
	});
});

describe("hostile input", () => {
	/** Linear work on this many characters takes a second or so. Quadratic work takes hours, so the test would not end in its time. */
	const LENGTH = 1_000_000;

	it.each<[string, (length: number) => string, string?]>([
		["comment openers that nothing closes", (length) => "/*".repeat(length / 2)],
		["nested comment openers with one closer", (length) => `${"/*".repeat(length / 2)}*/`],
		["markup comment openers", (length) => "<!--".repeat(length / 4), "a.html"],
		["one line", (length) => "x".repeat(length)],
		["quotes", (length) => "\"'`".repeat(length / 3)],
		["backslashes in a quoted text", (length) => `"${"\\".repeat(length)}`],
		["escaped quotes that nothing closes", (length) => `"${'\\"'.repeat((length - 1) / 2)}`],
		["backticks between escapes", (length) => "\\`".repeat(length / 2)],
		["line comments without line ends", (length) => "//".repeat(length / 2)],
		["rows of spaces before marks", (length) => `${" ".repeat(1_000)}x;`.repeat(length / 1_002), "a.xyz"],
		["one row of spaces", (length) => `${" ".repeat(length - 1)};`, "a.xyz"],
		["marks at the start of lines", (length) => "%\n".repeat(length / 2), "a.xyz"],
		["closers", (length) => "*/".repeat(length / 2)],
		["invisible characters", (length) => "\u200b".repeat(length)],
		["combining marks", (length) => `a${"\u0301".repeat(length)}`],
	])("of %s is read to its end, for any length", (_, make, path = "a.js") => {
		const text = make(LENGTH);
		let [tokenCount, characters] = [0, 0];
		for (const token of tokensOf(path, text)) {
			tokenCount += 1;
			characters += token.length;
		}
		expect(characters).toBeGreaterThanOrEqual(tokenCount);
		expect(characters).toBeLessThanOrEqual(text.length);
	});

	it("is cut at a number of tokens, so the rest costs and changes nothing", () => {
		const letters = "a b c d e f g h i j k l m n o p q r s t u v w x y z ".repeat(80_000);
		const signature = signFiles([file("a.txt", letters)]);
		expect(estimateSimilarity(signature, signFiles([file("a.txt", letters.slice(0, 1_200_000))]))).toBe(1);
	});

	it("of a million characters in one line is signed", () => {
		for (const character of ["x", "[", "\u200b", "\u{1d400}", "日"]) {
			expect(signFiles([file("a.js", character.repeat(1_000_000 / character.length))]).shingles).toBeLessThanOrEqual(2);
		}
	});
});

describe("pairs", () => {
	const work = (text: string, artifactSha256: string | null = null) => ({ signature: signFiles([file("a.js", text)]), artifactSha256 });

	it("are found among many, each once", () => {
		const works = Array.from({ length: 200 }, (_, index) => work(moduleText(index, 20)));
		works.push(work(moduleText(3, 20)), work(`${moduleText(150, 20)}\nconst more = 1;`));
		const pairs = findPairs(works, 0.8);
		expect(pairs.map(({ first, second }) => [first, second]).toSorted()).toEqual([
			[150, 201],
			[3, 200],
		]);
		expect(pairs.find(({ first }) => first === 3)?.similarity).toBe(1);
	});

	it("include equal bytes that are not text", () => {
		const pairs = findPairs([work("", "aa"), work("", "bb"), work("", "aa"), work("", null), work("", null)], 0.8);
		expect(pairs).toEqual([{ first: 0, second: 2, similarity: 1 }]);
	});

	it("of two thousand copies are at most 250,000, with each copy in one of them", () => {
		const copy = work(moduleText(1, 20));
		const works = Array.from({ length: 2_000 }, () => copy);
		const pairs = findPairs(works, 0.9);
		expect(pairs.length).toBeLessThanOrEqual(250_000);
		expect(new Set(pairs.flatMap(({ first, second }) => [first, second])).size).toBe(works.length);
	});
});

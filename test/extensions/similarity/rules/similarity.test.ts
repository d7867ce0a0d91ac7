// Similarity measures how similar two submissions are, and no input makes it expensive.
import { describe, expect, it } from "vitest";
import { type ComparedWork, findCopies, findCopyOf } from "../../../../src/extensions/similarity/copies.ts";
import { findPairs } from "../../../../src/extensions/similarity/pairs.ts";
import { decodeMinima, encodeMinima, estimateSimilarity, signTexts, tokensOf } from "../../../../src/extensions/similarity/signature.ts";

const similarity = (a: readonly string[], b: readonly string[]) => estimateSimilarity(signTexts(a), signTexts(b));

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

	it("is 1 for equal files, in any order", () => {
		const work = [main, rest];
		expect(similarity(work, work)).toBe(1);
		expect(similarity(work, [rest, main])).toBe(1);
	});

	it("ignores white space, line ends and case", () => {
		const reformatted = main.replaceAll("\n", "\r\n").replaceAll("\t", "        ").replaceAll(" > ", ">").replaceAll("return", "RETURN\n");
		expect(similarity([main], [reformatted])).toBe(1);
		expect(similarity([main], [main.replaceAll("function", "func\u200btion")])).toBe(1);
	});

	it("stays at 0.9 or more after a few changed lines", () => {
		const changed = main.replaceAll(/function v\d+1\(/g, "function renamed(");
		expect(changed).not.toBe(main);
		expect(similarity([main], [main.replace(/return "v\d+"/, "return null")])).toBeGreaterThanOrEqual(0.9);
	});

	it("is below 0.3 for unrelated work, also for one task in one style", () => {
		for (let seed = 10; seed < 20; seed += 1) {
			expect(similarity([moduleText(seed)], [moduleText(seed + 50)])).toBeLessThan(0.3);
		}
	});

	it("estimates the shared part within the error of 128 samples", () => {
		const parts = Array.from({ length: 24 }, (_, index) => moduleText(100 + index, 10));
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
		expect(similarity([a], [a])).toBe(1);
		expect(similarity([a], [b])).toBe(0);
		expect(similarity(["yes"], ["no"])).toBe(0);
		expect(similarity([a], [`${a}\n${main}`])).toBe(0);
	});

	it("of work without any text is 0", () => {
		expect(similarity([], [])).toBe(0);
		expect(similarity([" \n"], ["\t"])).toBe(0);
	});

	it("is the same after storage", () => {
		for (const files of [[main], []]) {
			const signature = signTexts(files);
			const stored = encodeMinima(signature);
			expect(stored.length).toBeLessThanOrEqual(344);
			const read = { shingles: signature.shingles, minima: decodeMinima(stored) };
			expect(estimateSimilarity(signature, read)).toBe(files.length);
		}
	});
});

/** Returns the Jaccard index of the sets of five tokens in a row. */
function exactSimilarity(a: readonly string[], b: readonly string[]): number {
	const [left, right] = [a, b].map((files) => {
		const shingles = (files ?? []).flatMap((text) => {
			const all = [...tokensOf(text)];
			return all.slice(4).map((_, index) => all.slice(index, index + 5).join(" "));
		});
		return new Set(shingles);
	});
	return (left?.intersection(right ?? new Set()).size ?? 0) / (left?.union(right ?? new Set()).size ?? 1);
}

describe("tokens", () => {
	it.each([
		["a  /* b\nc */", "a / * b c * /"],
		["SELECT a\r\n\tFROM b", "select a from b"],
		["a\u200bb", "ab"],
		["日本語 text", "日 本 語 text"],
	])("leave out white space and case: %j", (text, expected) => {
		expect([...tokensOf(text)].join(" ")).toBe(expected);
	});
});

describe("hostile input", () => {
	it("is cut at a number of tokens, so the rest costs and changes nothing", () => {
		const letters = "a b c d e f g h i j k l m n o p q r s t u v w x y z ".repeat(80_000);
		const signature = signTexts([letters]);
		expect(estimateSimilarity(signature, signTexts([letters.slice(0, 1_200_000)]))).toBe(1);
	});

	it("of a million characters in one line is signed", () => {
		for (const character of ["x", "[", "\u200b", "\u{1d400}", "日"]) {
			expect(signTexts([character.repeat(1_000_000 / character.length)]).shingles).toBeLessThanOrEqual(2);
		}
	});
});

describe("pairs", () => {
	const work = (text: string, artifactSha256: string | null = null) => ({ signature: signTexts([text]), artifactSha256 });

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

describe("copies", () => {
	const sign = (text: string) => ({ signature: signTexts([text]), artifactSha256: null });
	const made = (submissionId: string, party: string, acceptedAt: number, text: string): ComparedWork => {
		return { submissionId, party, acceptedAt, ...sign(text) };
	};
	const text = moduleText(1);
	const copiesOf = (works: readonly ComparedWork[]) =>
		Object.fromEntries([...findCopies(works)].map(([id, copy]) => [id, copy.submissionId]));

	it("belong to the party whose first similar work was accepted later", () => {
		const works = [made("a", "Ada", 1, text), made("b", "Bob", 2, text), made("b2", "Bob", 3, text), made("a2", "Ada", 4, text)];
		expect(copiesOf(works)).toEqual({ b: "a", b2: "a" });
		expect(copiesOf(works.toReversed())).toEqual({ b: "a", b2: "a" });
	});

	it("belong to the later party also if many others have copied in between", () => {
		const others = Array.from({ length: 40 }, (_, index) => made(`other ${index}`, `Other ${index}`, 2 + index, text));
		const works = [made("a", "Ada", 1, text), ...others, made("a2", "Ada", 50, text)];
		for (const all of [works, works.toReversed()]) {
			expect(copiesOf(all)).toEqual(Object.fromEntries(others.map(({ submissionId }) => [submissionId, "a"])));
			expect(findCopyOf(all, "a2")).toBeNull();
		}
	});

	it("are never found within one party, nor in other work", () => {
		expect(copiesOf([made("a", "Ada", 1, text), made("a2", "Ada", 2, text), made("b", "Bob", 3, moduleText(50))])).toEqual({});
	});

	it("name the most similar earlier work", () => {
		const near = text.slice(400);
		const works = [made("a", "Ada", 1, near), made("a2", "Ada", 2, text), made("b", "Bob", 3, text)];
		expect(findCopies(works).get("b")).toEqual({ submissionId: "a2", similarity: 1 });
	});

	it("are found for one submission as among all", () => {
		const works = [made("a", "Ada", 1, text), made("b", "Bob", 2, text), made("c", "Eve", 2, moduleText(9)), made("d", "Eve", 5, text)];
		const all = findCopies(works);
		for (const { submissionId } of works) expect(findCopyOf(works, submissionId)).toEqual(all.get(submissionId) ?? null);
		expect(all.get("d")).toEqual({ submissionId: "a", similarity: 1 });
		expect(findCopyOf(works, "unknown")).toBeNull();
	});

	it("are found for one submission without keeping every pair, even if two parties submit the same thousands of times", () => {
		const signature = signTexts([text]);
		const compared = { count: 0 };
		const works = Array.from({ length: 1_000 }, (_, index) => ({
			...{ submissionId: String(index).padStart(4, "0"), party: index % 2 === 0 ? "Ada" : "Bob", acceptedAt: index },
			artifactSha256: null,
			get signature() {
				compared.count += 1;
				return signature;
			},
		}));
		expect(findCopyOf(works, "0999")).toEqual({ submissionId: "0000", similarity: 1 });
		// Comparing each of Ada's submissions with each of Bob's would read the signature 500,000 times.
		expect(compared.count).toBeLessThan(200_000);
	});
});

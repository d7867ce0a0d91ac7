import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
	isSearchable,
	MAX_SPEC_CHARACTERS,
	MAX_WORDS,
	PHRASE_WORD_COST,
	planSearch,
	type TaskRevision,
	toDocument,
} from "../../src/core/competition/search/rules.ts";

const ANY = { status: "any", category: null, readerId: "" } as const;
const FOR_EVERYONE = ' AND readers : "everyone"';
const inTexts = (match: string) => `{title description category specs} : ${match}`;

describe("reading a query", () => {
	it.each([
		["one short word", "csv", '(("csv" *))'],
		["words that must all occur", "csv parser x", '(("csv" AND "parser" AND "x"))'],
		["a phrase", 'fast "csv parser"', '(("fast" AND "csv parser"))'],
		["a phrase that is never closed", '"csv parser', '(("csv parser"))'],
		["alternatives", '"a b" OR c OR d e', '(("a b") OR ("c") OR ("d" AND "e"))'],
		["OR with nothing on one side", "OR a OR OR b OR", '(("a") OR ("b"))'],
		["or in lower case, a word like others", "this or x", '(("this" AND "or" AND "x"))'],
		["punctuation and syntax of the index", "title:x* NEAR(y) -z + ^a", '(("title" AND "x" AND "near" AND "y" AND "z" AND "a"))'],
		["an empty phrase", '"" x', '(("x"))'],
	])("understands %s", (_, query, match) => {
		expect(planSearch(query, ANY)?.matches).toEqual([inTexts(match) + FOR_EVERYONE]);
	});

	it.each(["", "  ", "!?*", '""', "OR", 'OR "-" OR', "\uE000\uE001"])("finds no word in %j", (query) => {
		expect(planSearch(query, ANY)).toBeNull();
	});

	it("matches whole words of the title, except for an unfinished last word", () => {
		expect(planSearch('Fäst "CSV Parser" pärs', ANY)?.inTitle).toEqual([" fast ", " csv parser ", " pars"]);
		expect(planSearch('"fast"', ANY)?.inTitle).toEqual([" fast "]);
	});

	it("filters in columns that no query searches", () => {
		const filtered = `${inTexts('(("x"))')} AND status : "open" AND exact_category : "632b2b"`;
		expect(planSearch("x", { status: "open", category: "c++", readerId: "a-1" })?.matches).toEqual([
			filtered + FOR_EVERYONE,
			`${filtered} AND readers : "612d31"`,
		]);
	});

	it("uses only the first words", () => {
		const words = Array.from({ length: 40 }, (_, index) => `w${index}`);
		expect(planSearch(words.join(" "), ANY)?.inTitle).toHaveLength(MAX_WORDS);
		const halves = words.slice(0, MAX_WORDS / PHRASE_WORD_COST);
		expect(planSearch(`"${words.join(" ")}" more`, ANY)?.inTitle).toEqual([` ${halves.join(" ")} `]);
	});

	it("quotes every word of any text, and passes no quote, no underscore, and a private character only before a picture", () => {
		const words = String.raw`"(\uE000[0-9a-f]+|[\p{L}\p{M}\p{N}]+)( (\uE000[0-9a-f]+|[\p{L}\p{M}\p{N}]+))*"( \*)?`;
		const group = String.raw`\(${words}( AND ${words})*\)`;
		const expression = new RegExp(
			String.raw`^${inTexts("").replaceAll(/[{}]/g, String.raw`\$&`)}\(${group}( OR ${group})*\)${FOR_EVERYONE}$`,
			"u",
		);
		fc.assert(
			fc.property(fc.string({ unit: "binary", maxLength: 500 }), (query) => {
				const plan = planSearch(query, ANY);
				for (const match of plan?.matches ?? []) expect(match).toMatch(expression);
			}),
			{ numRuns: 500 },
		);
	});
});

describe("a task's entry in the index", () => {
	const task: TaskRevision = {
		...{ id: "1", revision: 2, status: "open", hidden: false, title: "Señor's C++  parser", description: null, category: "c++" },
		...{ inputSpec: null, outputSpec: "JSON", readers: null },
	};

	it("contains its texts, the folded words of its title, and its category as one word", () => {
		expect(toDocument(task)).toEqual({
			...{ id: "1", revision: 2, status: "open", title: "senor s c parser", description: "", category: "c", specs: " json" },
			...{ words: " senor s c parser ", exactCategory: "632b2b", readers: "everyone" },
		});
		expect(toDocument({ ...task, readers: ["a-1", "b"] }).readers).toBe("612d31 62");
	});

	it("contains the beginning of each spec, without a word that is cut", () => {
		const long = `${"x".repeat(MAX_SPEC_CHARACTERS - 10)} carpenter ${"y".repeat(100)}`;
		const { specs } = toDocument({ ...task, inputSpec: long, outputSpec: `${long} and more` });
		expect(specs).toBe(`${"x".repeat(MAX_SPEC_CHARACTERS - 10)} ${"x".repeat(MAX_SPEC_CHARACTERS - 10)}`);
	});

	it("is missing for drafts and for hidden tasks", () => {
		expect(isSearchable(task)).toBe(true);
		expect(isSearchable({ ...task, status: "draft" })).toBe(false);
		expect(isSearchable({ ...task, hidden: true })).toBe(false);
	});
});

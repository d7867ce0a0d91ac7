import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { COMPLETIONS_PLACEHOLDER, MAX_WORDS, planSearch } from "../../src/features/search/rules.ts";

const ANY = { status: "any", category: null } as const;

describe("reading a query", () => {
	it.each([
		["one short word", "csv", '(("csv" *))'],
		["words that must all occur", "csv parser x", '(("csv" AND "parser" AND "x"))'],
		["a phrase", 'fast "csv parser"', '(("fast" AND "csv parser"))'],
		["a phrase that is never closed", '"csv parser', '(("csv parser"))'],
		["alternatives", '"a b" OR c OR d e', '(("a b") OR ("c") OR ("d" AND "e"))'],
		["OR with nothing on one side", "OR a OR OR b OR", '(("a") OR ("b"))'],
		["or in lower case, a word like others", "this or x", '(("this" AND "or" AND "x"))'],
		["punctuation and syntax of the index", "title:x* NEAR(y) -z + ^a", '(("title" AND "x" AND "NEAR" AND "y" AND "z" AND "a"))'],
		["an empty phrase", '"" x', '(("x"))'],
	])("understands %s", (_, query, match) => {
		expect(planSearch(query, ANY)?.match).toBe(match);
	});

	it.each(["", "  ", "!?*", '""', "OR", 'OR "-" OR', "\uE000\uE001", "🙂"])("finds no word in %j", (query) => {
		expect(planSearch(query, ANY)).toBeNull();
	});

	it("completes a long last word through the vocabulary", () => {
		expect(planSearch("fast Pärsing", ANY)).toMatchObject({ match: `(("fast" AND ${COMPLETIONS_PLACEHOLDER}))`, prefix: "parsing" });
		expect(planSearch('fast "parsing"', ANY)).toMatchObject({ match: '(("fast" AND "parsing"))', prefix: null });
	});

	it("filters by tokens that no query can name", () => {
		expect(planSearch("x", { status: "open", category: "c++" })?.match).toBe(
			'(("x")) AND facets : "_status_open" AND facets : "_category_632b2b"',
		);
	});

	it("counts the first words only", () => {
		const words = Array.from({ length: 40 }, (_, index) => `w${index}`);
		expect(planSearch(words.join(" "), ANY)?.words).toHaveLength(MAX_WORDS);
		expect(planSearch(`"${words.join(" ")}" more`, ANY)?.parts).toHaveLength(1);
	});

	it("quotes every word of any text, and lets no quote, underscore or private character through", () => {
		fc.assert(
			fc.property(fc.string({ unit: "binary", maxLength: 500 }), (query) => {
				const plan = planSearch(query, ANY);
				if (plan === null) return;
				const parts = plan.parts.filter((part) => part !== COMPLETIONS_PLACEHOLDER);
				for (const part of parts) expect(part).toMatch(/^"[\p{L}\p{M}\p{N}]+( [\p{L}\p{M}\p{N}]+)*"( \*)?$/u);
			}),
			{ numRuns: 500 },
		);
	});
});

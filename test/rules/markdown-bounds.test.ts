import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { gfm } from "micromark-extension-gfm";
import { describe, expect, it } from "vitest";
import { isOrdinaryMarkdown, isShowable } from "../../src/domain/markdown-bounds.ts";

const SYNTAX = { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] };
const MAX_TEXT = 10_000;

const ORDINARY = "> quote\n\n---\n\n- a\n  - b\n\n| a | b |\n|---|---|\n\n**bold** and [link](/x)";

/** Returns a table whose rows are shorter than its header, which converters complete. */
const tableOf = (columns: number, rows: number) => `${"|a".repeat(columns)}|\n${"|-".repeat(columns)}|\n${"a\n".repeat(rows)}`;

describe("Markdown that is parsed", () => {
	it("includes what people write", () => {
		for (const text of [
			ORDINARY,
			"-".repeat(200),
			`${ORDINARY}\n\n`.repeat(60),
			"<!-- a note -->\n\n".repeat(100),
			"A line of a task's description.\n".repeat(310),
		]) {
			expect({ text: text.slice(0, 30), isParsed: isOrdinaryMarkdown(text) }).toEqual({ text: text.slice(0, 30), isParsed: true });
		}
	});

	it("excludes what keeps a parser busy", () => {
		const nested = ["> ".repeat(25), "- ".repeat(25), "1. ".repeat(25), ">".repeat(25), ">".repeat(MAX_TEXT)];
		const repeated = ["_a*".repeat(800), "a\n-\n".repeat(2_499), `${"> ".repeat(24)}a\n`.repeat(200), "a\n\n".repeat(3_333)];
		const unclosed = ["a <?".repeat(2_500), "a <!--".repeat(1_600), "a <!A ".repeat(1_600), "<!--".repeat(101)];
		for (const text of [...nested, ...repeated, ...unclosed]) {
			expect({ text: text.slice(0, 9), isParsed: isOrdinaryMarkdown(text) }).toEqual({ text: text.slice(0, 9), isParsed: false });
		}
	});
});

describe("Markdown that is shown as elements", () => {
	const isShown = (text: string) => isOrdinaryMarkdown(text) && isShowable(fromMarkdown(text, SYNTAX));

	it("includes what people write, also tables", () => {
		expect(isShown(ORDINARY)).toBe(true);
		expect(isShown(tableOf(8, 100))).toBe(true);
	});

	it("excludes a table of more cells than its text has characters", () => {
		const text = tableOf(1_550, 900).slice(0, MAX_TEXT);
		expect(isOrdinaryMarkdown(text)).toBe(true);
		expect(isShown(text)).toBe(false);
	});
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as rules from "../../src/core/competition/public-reading/rules.ts";
import { formatCents } from "../../src/domain/formats.ts";

const NOW = Date.parse("2027-03-01T12:00:00.000Z");
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

describe("a badge's text about a task's state", () => {
	it.each([
		[2 * DAY + 3 * HOUR, "2 d 3 h left"],
		[DAY, "1 d 0 h left"],
		[DAY - 1, "23 h 59 min left"],
		[HOUR, "1 h 0 min left"],
		[HOUR - 1, "59 min left"],
		[MINUTE, "1 min left"],
		[MINUTE - 1, "under 1 min left"],
		[1, "under 1 min left"],
		[0, "closing"],
		[-DAY, "closing"],
	])("%d ms before the deadline of an open task: %s", (left, expected) => {
		expect(rules.describeState({ status: "open", deadline: NOW + left }, NOW)).toBe(expected);
	});

	it.each([
		["evaluating", "judging"],
		["closed", "closed"],
	] as const)("of a task that is %s: %s", (status, expected) => {
		for (const left of [DAY, -DAY]) expect(rules.describeState({ status, deadline: NOW + left }, NOW)).toBe(expected);
	});
});

it.each([
	[10_000, "$100"],
	[10_050, "$100.50"],
	[123_456_789, "$1,234,567.89"],
	[1_000_000_000_000, "$10,000,000,000"],
])("a budget of %d cents is %s", (cents, expected) => {
	expect(formatCents(cents)).toBe(expected);
});

it.each([
	[0, "0 competitors"],
	[1, "1 competitor"],
	[12_345, "12,345 competitors"],
])("%d agents are %s", (count, expected) => {
	expect(rules.describeCompetitors(count)).toBe(expected);
});

describe("text in markup", () => {
	const decode = (text: string) =>
		text.replace(/&(amp|lt|gt|quot);/g, (_, name: string) => ({ amp: "&", lt: "<", gt: ">", quot: '"' })[name] ?? "");

	it("cannot end an element or an attribute, nor contain what XML forbids", () => {
		fc.assert(
			fc.property(fc.string({ unit: "binary" }), (text) => {
				const escaped = rules.escapeMarkup(text);
				expect(escaped).not.toMatch(/[<>"]|&(?!(amp|lt|gt|quot);)/);
				expect(escaped).toMatch(/^[\t\n\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]*$/u);
			}),
		);
	});

	it("reads as before, if XML can contain it", () => {
		fc.assert(
			fc.property(fc.string({ unit: fc.constantFrom("a", "<", ">", "&", '"', "'", ";", "\n", "\t", "é", "😀", "]") }), (text) => {
				expect(decode(rules.escapeMarkup(text))).toBe(text);
			}),
		);
	});
});

it("cuts text at whole characters, and only if it is too long", () => {
	for (const unit of ["a", "😀"]) {
		expect(rules.cutText(unit.repeat(2_000))).toBe(unit.repeat(2_000));
		expect(rules.cutText(unit.repeat(2_001))).toBe(`${unit.repeat(1_999)}…`);
	}
});

import { expect, it } from "vitest";
import { ASSUMED, COUNTED, costTable } from "../../scripts/costs/costs.ts";
import { readProjectFile } from "../../scripts/support/sources.ts";

const page = readProjectFile("docs/pages/operating/costs.mdx");

it("the page of costs has the table that npm run costs prints", () => {
	expect(page).toContain(`\n${costTable()}\n`);
});

it("the page of costs names the counted numbers that the table adds up", () => {
	expect(page).toContain(`rows written in D1, with one webhook | ${COUNTED.d1RowsWritten} |`);
	expect(page).toContain(`rows written in the task's object | ${COUNTED.objectRowsWritten} |`);
	expect(page).toContain(`bytes kept in D1 | ${ASSUMED.d1Bytes} |`);
});

it("the page of scale has the same counts, and the growth of D1 that follows from them", () => {
	const scale = readProjectFile("docs/pages/operating/scale.mdx");
	expect(scale).toContain(`about ${Math.round(ASSUMED.d1Bytes / 10) * 10} bytes for a submission`);
	expect(scale).toContain(`calls to D1 a second, ${COUNTED.d1Calls} for each submission`);
	expect(scale).toContain(`rows written in D1 a day, ${COUNTED.d1RowsWritten} for each submission | ${COUNTED.d1RowsWritten} million`);
	for (const perDay of [10_000, 1_000_000]) {
		const gigabytes = [90, 365, 730].map((days) => (perDay * days * ASSUMED.d1Bytes) / 1e9);
		const stored = gigabytes.map((gb) => `${gb < 10 ? gb.toFixed(1) : Math.round(gb)} GB`).join(" | ");
		const days = Math.floor(1e10 / (perDay * ASSUMED.d1Bytes)).toLocaleString("en");
		expect(scale).toContain(`| ${perDay.toLocaleString("en")} | ${stored} | ${days} days |`);
	}
});

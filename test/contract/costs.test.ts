import { expect, it } from "vitest";
import { ASSUMED, COUNTED, costTable } from "../../scripts/costs/costs.ts";
import { readProjectFile } from "./sources.ts";

const page = readProjectFile("docs/pages/operating/costs.mdx");

it("the page of costs has the table that npm run costs prints", () => {
	expect(page).toContain(`\n${costTable()}\n`);
});

it("the page of costs names the counted numbers that the table adds up", () => {
	expect(page).toContain(`rows written in D1, with one webhook | ${COUNTED.d1RowsWritten} |`);
	expect(page).toContain(`rows written in the object of the task | ${COUNTED.objectRowsWritten} |`);
	expect(page).toContain(`bytes kept in D1 | ${ASSUMED.d1Bytes} |`);
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatCsvRow } from "../../src/core/competition/submissions/csv.ts";
import { prefersCsv } from "../../src/http/negotiation.ts";

describe("a row of CSV", () => {
	it.each([
		[["a", 1, true, null, 1.5], "a,1,true,,1.5\r\n"],
		[['say "hi", twice', "two\nlines"], '"say ""hi"", twice","two\nlines"\r\n'],
		[["=1+1", "+1", "-1", "@x", "\tx"], "'=1+1,'+1,'-1,'@x,'\tx\r\n"],
		[["\n=1+1", "＝1+1", "＋1", "－1", "＠x"], `"'\n=1+1",'＝1+1,'＋1,'－1,'＠x\r\n`],
		[[-1], "-1\r\n"],
	])("of %j is %j", (cells, row) => {
		expect(formatCsvRow(cells)).toBe(row);
	});

	it("can be read back, and starts no formula, for any text", () => {
		fc.assert(
			fc.property(fc.string({ unit: "binary" }), (text) => {
				const row = formatCsvRow([text, "end"]);
				const [, quoted, plain] = /^(?:"((?:[^"]|"")*)"|([^",\r\n]*)),end\r\n$/.exec(row) ?? [];
				const cell = quoted?.replaceAll('""', '"') ?? plain;
				expect(cell === text || cell === `'${text}`).toBe(true);
				expect(cell).not.toMatch(/^[=+\-@\t\r\n＝＋－＠]/);
			}),
		);
	});
});

describe("the choice of CSV", () => {
	it.each([
		[undefined, false],
		["*/*", false],
		["application/json", false],
		["text/csv", true],
		["TEXT/CSV; charset=utf-8", true],
		["text/csv;q=0", false],
		["application/json, text/csv", true],
		["application/json, text/csv;q=0.5", false],
		["application/json;q=0.5, text/csv;q=0.9, */*;q=0.1", true],
		["text/csvx", false],
		["text/csv;q=x", false],
	])("for Accept: %s is %s", (accept, expected) => {
		expect(prefersCsv(accept)).toBe(expected);
	});
});

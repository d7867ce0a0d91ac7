import { describe, expect, it } from "vitest";
import { acceptProposal, checksByRules, withChecks } from "../../src/features/judging/checks/criterion-checks.ts";

const byRules = (description: string | null, name = "Parser") => checksByRules({ name, description });

describe("checks by rules", () => {
	it.each([
		[
			"sentences",
			"Reads quoted fields. Keeps 3.5 as a number! Is README.md there?",
			["Reads quoted fields", "Keeps 3.5 as a number!", "Is README.md there?"],
		],
		[
			"list items",
			"- quoted fields\n* line breaks\n• empty fields\n2) one column",
			["quoted fields", "line breaks", "empty fields", "one column"],
		],
		["a list without its heading", "The parser handles:\n- quotes\n- line breaks", ["quotes", "line breaks"]],
		["parts at a semicolon", "Reads every export; amounts keep their sign.", ["Reads every export", "amounts keep their sign"]],
		["one text once", "Reads quotes.\nreads quotes", ["Reads quotes"]],
	])("are %s", (_, description, checks) => {
		expect(byRules(description)).toEqual(checks);
	});

	it.each([null, "", " \n ", "..."])("are the name if the description %j says nothing", (description) => {
		expect(byRules(description, "Reads quoted fields")).toEqual(["Reads quoted fields"]);
	});

	it("are at most eight, of at most 300 characters", () => {
		const checks = byRules(Array.from({ length: 20 }, (_, index) => `Case ${index} ${"💡 word ".repeat(100)}`).join("\n"));
		expect(checks).toHaveLength(8);
		for (const check of checks) expect([...check].length).toBeLessThanOrEqual(300);
		expect(checks[0]).toMatch(/^Case 0 💡 word .*…$/u);
	});

	it("take linear time", () => {
		for (const text of ["a ".repeat(5_000), "and the ".repeat(1_250), "; ".repeat(5_000), "- ".repeat(5_000), ". ".repeat(5_000)]) {
			expect(byRules(text.slice(0, 10_000)).length).toBeGreaterThan(0);
		}
	});

	it("replace no checks that a criterion has", () => {
		const own = { name: "A", description: "One. Two.", checks: ["Mine"] };
		const bare = { name: "B", description: "Three. Four.", checks: [] };
		expect(withChecks([own, bare])).toEqual([own, { ...bare, checks: ["Three", "Four"] }]);
	});
});

describe("a proposal of a model", () => {
	it("has each check once, on one line and without a full stop", () => {
		const proposed = ["`parse` handles quotes", "...", "A test has  an\nempty file", "a test has an empty file."];
		expect(acceptProposal(proposed)).toEqual(["`parse` handles quotes", "A test has an empty file"]);
	});

	it("is dropped with fewer than two checks, and has at most eight", () => {
		expect(acceptProposal(["Reads quotes"])).toBeNull();
		expect(acceptProposal([])).toBeNull();
		expect(acceptProposal(Array.from({ length: 12 }, (_, index) => `Reads file ${index}`))).toHaveLength(8);
	});
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { LintCode } from "../../../../src/core/judging/checks/lint-findings.ts";
import { lintRubric, PRAISE } from "../../../../src/core/judging/checks/lint-rubric.ts";
import { cutWarnings, evidenceWarnings, fewChecksWarnings, lintWarnings } from "../../../../src/core/judging/checks/rubric-warnings.ts";

interface Written {
	readonly name?: string;
	readonly description: string | null;
	readonly weight?: number;
	readonly checks?: readonly string[];
}

const lint = (criteria: readonly Written[]) =>
	lintRubric(criteria.map((criterion, index) => ({ name: `Criterion ${index}`, weight: 50, ...criterion })));
const codesOfLast = (criteria: readonly Written[]) =>
	lint(criteria).flatMap(({ criterion, code }) => (criterion === `Criterion ${criteria.length - 1}` ? [code] : []));
const described = (...descriptions: readonly string[]): Written[] => descriptions.map((description) => ({ description }));

describe("the lint", () => {
	it.each<readonly [LintCode, readonly Written[]]>([
		["NO_DESCRIPTION", [{ description: null }]],
		["NO_DESCRIPTION", described("   \n\t ")],
		["NO_DESCRIPTION", described("— ?!")],
		["VAGUE", described("The code is clean and easy to read.")],
		["VAGUE", described("High-quality, professional work")],
		["VAGUE", described("Follows best practices.")],
		["DUPLICATE", described("Unit tests cover each bank's format.", "unit tests cover each bank’s format!")],
		[
			"DUPLICATE",
			described("Exports reverse, splits into characters, joins", "Tests run", "Joins; splits into characters; exports reverse"),
		],
		[
			"DUPLICATE",
			described(
				"Rejects lines with too many columns, naming the line and file",
				"Rejects lines with too many columns, naming the line number and file",
			),
		],
		["TINY_WEIGHT", [{ description: "Prints hello.", weight: 0.99 }]],
	])("finds %s in %j", (code, criteria) => {
		expect(codesOfLast(criteria)).toEqual([code]);
	});

	it.each<readonly [string, readonly Written[]]>([
		["a description of one word", described("assert")],
		["checks instead of a description", [{ description: null, checks: ["A field in quotes keeps its comma"] }]],
		["praise with checks", [{ description: "Clean code", checks: ["Each function has a docstring"] }]],
		["praise of something that a judge can find", described("Good error messages name the line and the column.")],
		["praise in another language", described("saubere, elegante Lösung", "数えやすい")],
		["the same demand with another number", described("Handles a file of 10 MB in one second", "Handles a file of 100 MB in one second")],
		["parallels", described("Reads the export of North Bank, every line", "Reads the export of South Bank, every line")],
		["a weight of 1", [{ description: "Prints hello.", weight: 1 }]],
	])("finds nothing in %s", (_, criteria) => {
		expect(lint(criteria)).toEqual([]);
	});

	it("knows at most 60 words of praise", () => {
		expect(PRAISE.size).toBeLessThanOrEqual(60);
	});

	it("gives each finding its severity and a message, in the order of the rubric", () => {
		expect(lint([{ description: "Good", weight: 0.5 }, { description: "" }, ...described("good!")])).toEqual([
			{ criterion: "Criterion 0", code: "VAGUE", severity: "error", message: expect.stringMatching(/^The criterion .*\. [A-Z].*\.$/) },
			{ criterion: "Criterion 0", code: "TINY_WEIGHT", severity: "hint", message: expect.stringMatching(/\w/) },
			{ criterion: "Criterion 1", code: "NO_DESCRIPTION", severity: "warning", message: expect.stringMatching(/\w/) },
			{ criterion: "Criterion 2", code: "VAGUE", severity: "error", message: expect.stringMatching(/\w/) },
			{ criterion: "Criterion 2", code: "DUPLICATE", severity: "warning", message: expect.stringContaining('"Criterion 0"') },
		]);
	});

	it("counts errors and warnings, not hints, for the warning of a task", () => {
		const rubric = [
			{ name: "Tiny", description: "Prints hello.", weight: 0.5, checks: [] },
			{ name: "Vague", description: "good", weight: 50, checks: [] },
			{ name: "Empty", description: null, weight: 49.5, checks: [] },
		];
		expect(lintWarnings("id", rubric)).toMatchObject([
			{ code: "RUBRIC_LINT", message: expect.stringContaining('hard to judge by: "Vague" is VAGUE, "Empty" is NO_DESCRIPTION. POST') },
		]);
		expect(lintWarnings("id", rubric.slice(0, 1))).toEqual([]);
		expect(lintWarnings("id", [...rubric, ...rubric])[0]?.message).toContain(", and ");
	});

	const criterion = { name: "Parser", description: null, weight: 100, checks: ["Reads quotes"], evidence: "work" } as const;

	it("warns of each criterion with a single check, where a model judges", () => {
		const two = { ...criterion, name: "Two", checks: ["Reads quotes", "Reads lines"] };
		const rubric = [criterion, two, { ...criterion, name: "Bare", checks: [] }, { ...criterion, name: "Tests" }];
		for (const mode of ["llm", "hybrid"] as const) {
			expect(fewChecksWarnings(mode, rubric)).toMatchObject([
				{ code: "CHECKS_FEW", message: expect.stringContaining('"Parser" has a single check') },
				{ code: "CHECKS_FEW", message: expect.stringContaining('"Tests"') },
			]);
		}
		for (const mode of ["container", "external"] as const) expect(fewChecksWarnings(mode, rubric)).toEqual([]);
	});

	it.each([
		[{ name: "The README" }, null, true],
		[{ description: "A readme says how to run it" }, null, true],
		[{ checks: ["Submission.md names the author"] }, null, true],
		[{}, "The program, and a README.md", true],
		[{ evidence: "any", name: "README" }, null, false],
		[{ description: "Is readable, and has a submission" }, null, false],
		[{}, "The program", false],
	] as const)("warns of %j with the output %j: %s", (change, outputSpec, isWarned) => {
		const warnings = evidenceWarnings({ evalMode: "llm", outputSpec }, [{ ...criterion, ...change }]);
		expect(warnings.map(({ code }) => code)).toEqual(isWarned ? ["EVIDENCE_WORK"] : []);
		expect(evidenceWarnings({ evalMode: "container", outputSpec }, [{ ...criterion, ...change }])).toEqual([]);
	});

	it("names at most three criteria in a warning", () => {
		expect(cutWarnings([])).toEqual([]);
		expect(cutWarnings(["A", "B", "C", "D", "E"])).toMatchObject([
			{ code: "CHECKS_CUT", message: expect.stringContaining('"A", "B", "C", and 2 more') },
		]);
	});

	it("accepts any text", () => {
		const text = fc.string({ unit: "binary", maxLength: 300 });
		const criterion = fc.record({
			name: text,
			description: fc.option(text),
			weight: fc.double({ min: 0.01, max: 100, noNaN: true }),
			checks: fc.array(text, { maxLength: 3 }),
		});
		fc.assert(
			fc.property(fc.array(criterion, { maxLength: 6 }), (rubric) => {
				const names = new Set(rubric.map(({ name }) => name));
				expect(lintRubric(rubric).every((finding) => names.has(finding.criterion))).toBe(true);
			}),
		);
	});
});

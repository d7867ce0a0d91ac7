// The report of a sealed task tells its owner nothing of the work before the task has ended.
import { describe, expect, it } from "vitest";
import { sealReport } from "../../src/core/competition/judgements/report.ts";

const check = (quote?: string) => {
	const place = { path: "a.js", start: 1, end: 2 };
	return { check: "It parses", found: "yes" as const, evidence: [quote === undefined ? place : { ...place, quote }] };
};

describe("a sealed report", () => {
	const report = {
		reasoning: "Good.",
		dimensions: [{ criterion_name: "Parser", score: 80, reasoning: "It parses.", weight: 100, checks: [check("secret")], gaps: [] }],
		breakdown: {
			judge: "scripted",
			facts: { files_checked: 1, faults: [`a.json: Unexpected token 's', "secret" is not valid JSON`] },
		},
	};

	it("has no quotes", () => {
		expect(sealReport(report, "llm")).toEqual({
			...report,
			dimensions: report.dimensions.map((dimension) => ({ ...dimension, checks: [check()] })),
			breakdown: {
				judge: "scripted",
				facts: { files_checked: 1 },
			},
		});
	});

	it.each(["llm", "hybrid"] as const)("has no reasoning of the judge that quotes the work in mode %s", (mode) => {
		const quoting = { reasoning: "secret", gaps: ["secret"], quotes_work: true };
		const sealed = sealReport({ ...report, dimensions: report.dimensions.map((dimension) => ({ ...dimension, ...quoting })) }, mode);
		expect(JSON.stringify(sealed)).not.toContain("secret");
		expect(sealed.dimensions).toMatchObject([{ criterion_name: "Parser", score: 80, gaps: [] }]);
	});

	it.each(["container", "hybrid"] as const)("has nothing that the image of a %s task wrote", (mode) => {
		const image = {
			...{ outcome: "graded", image_digest: "sha256:0", tests_passed: 2, message: "secret", notes: "secret", output: "secret" },
			...{
				breakdown: { dump: "secret" },
				reasoning: "secret",
				image_dimensions: [{ criterion: "Parser", score: 80, reasoning: "secret" }],
			},
			tests: [true, false, true].map((passed) => ({ name: "secret", passed, input: "secret", output: "secret" })),
		};
		const isJudged = mode === "hybrid";
		const written = {
			...report,
			reasoning: `secret\n\nsecret\n\n${isJudged ? "Good." : "secret"}`,
			dimensions: report.dimensions.map((dimension) => ({ ...dimension, reasoning: isJudged ? "It parses." : "secret" })),
			breakdown: { ...report.breakdown, ...image },
		};
		const sealed = sealReport(written, mode);
		expect(JSON.stringify(sealed)).not.toContain("secret");
		expect(sealed.reasoning).toContain(isJudged ? "Good." : "is shown only after the task has closed");
		// The image decides each outcome and each score of a criterion, so they could spell the work.
		expect(sealed.dimensions).toMatchObject(isJudged ? [{ criterion_name: "Parser", score: 80, reasoning: "It parses." }] : []);
		expect(sealed.breakdown).toMatchObject({ outcome: "graded", image_digest: "sha256:0", tests_passed: 2, tests_total: 3 });
		expect(sealed.breakdown).not.toHaveProperty("tests");
	});
});

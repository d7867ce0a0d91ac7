// Tests templates of tasks and pasted issues, which both fill the wizard's form.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { judgeHere } from "../../console/src/pages/wizard/local-judge.ts";
import { type Draft, emptyCriterion, emptyDraft, findTaskFaults, toTaskFields } from "../../console/src/rules/draft.ts";
import { isOtherTask, pairExamples } from "../../console/src/rules/examples.ts";
import { applyIssue, parseIssue } from "../../console/src/rules/github-issue.ts";
import { findPlaceholders } from "../../console/src/rules/placeholders.ts";
import { findFaults, isComplete, readChecks, toCriteria } from "../../console/src/rules/rubric.ts";
import { TEMPLATE_CRITERIA } from "../../console/src/rules/template-criteria.ts";
import { applyTemplate, findTemplate, TEMPLATES } from "../../console/src/rules/templates.ts";
import { lintRubric } from "../../src/core/judging/checks/lint-rubric.ts";
import { PROJECT_ROOT } from "../support/samples.ts";

const NOW = Date.parse("2026-11-23T12:00:00.000Z");
const newKey = () => crypto.randomUUID();
/** Reads an example work of a template. */
const readExample = (templateId: string, kind: "good" | "weak") => {
	const folder = join(PROJECT_ROOT, "console/examples", templateId, kind);
	const files = globSync("**", { cwd: folder, withFileTypes: true }).filter((entry) => entry.isFile());
	return files.map(({ parentPath, name }) => {
		const place = join(parentPath, name);
		return { path: place.slice(folder.length + 1), file: new File([readFileSync(place)], name) };
	});
};
const blank = (): Draft => ({ ...emptyDraft(NOW, newKey()), budget: "750", maxSubmissions: "3" });

describe("a template", () => {
	it.each(TEMPLATES)("$name has a complete rubric with checks and without serious lint findings, and keeps the terms", (template) => {
		const draft = applyTemplate(blank(), template, newKey);
		expect(draft).toMatchObject({ budget: "750", maxSubmissions: "3", category: template.category });
		expect(findTaskFaults(draft, NOW)).toEqual({});
		expect(isComplete(draft.criteria)).toBe(true);
		for (const criterion of draft.criteria) expect(readChecks(criterion).length).toBeGreaterThan(1);
		const serious = lintRubric(toCriteria(draft.criteria, true)).filter(({ severity }) => severity !== "hint");
		expect(serious).toEqual([]);
	});

	it.each(TEMPLATES)("$name has placeholders that are found until they are filled in", (template) => {
		const fields = toTaskFields(applyTemplate(blank(), template, newKey));
		expect(findPlaceholders(fields)).toEqual(expect.arrayContaining(["title", "description"]));
		expect(findPlaceholders({ ...fields, description: null, input_spec: "A file", output_spec: "One. ..." })).toEqual(["title"]);
		expect(findPlaceholders({ title: "Parse CSV files" })).toEqual([]);
		expect(findPlaceholders({ title: "Parse CSV files", input_spec: "A file. (Example: a list.)" })).toEqual(["input"]);
	});

	it.each(TEMPLATES)("$name has a good example that scores far above its weak one", async (template) => {
		const draft = applyTemplate(blank(), template, newKey);
		const [good, weak] = await Promise.all((["good", "weak"] as const).map((kind) => judgeHere(draft, readExample(template.id, kind))));
		expect(good?.unreadPaths).toEqual([]);
		expect(good?.score).toBeGreaterThanOrEqual(80);
		expect(weak?.score).toBeLessThanOrEqual(20);
		if (good !== undefined && weak !== undefined)
			expect(pairExamples(good, weak).map(({ criterion }) => criterion)).toEqual(template.criteria.map(({ name }) => name));
	});

	it.each(TEMPLATES)("$name is found by its criteria, also after some have changed", (template) => {
		const { criteria } = applyTemplate(blank(), template, newKey);
		expect(new Map<string, unknown>(Object.entries(TEMPLATE_CRITERIA)).get(template.id)).toEqual(criteria.map(({ name }) => name));
		expect(findTemplate(criteria)?.id).toBe(template.id);
		expect(findTemplate(criteria.with(0, { ...emptyCriterion("k"), name: "Mine" }))?.id).toBe(template.id);
		expect(findTemplate([{ name: "Mine" }, { name: "Yours" }])).toBeNull();
		expect([template.description, `${template.description} More.`].map((text) => isOtherTask(template, text))).toEqual([false, true]);
	});
});

const ISSUE = `# Parser drops the last line #42
Open

ada opened this issue on Nov 2 · 3 comments

The parser drops a line **without** a newline.

## Steps
1. Write a file
2. Parse it

\`\`\`
- not an item
\`\`\`

## Acceptance criteria
- [ ] The last line is kept.
- [x] See [the test](https://example.com/t) for \`empty\` files
* The last line is kept.
`;

describe("a pasted issue", () => {
	it("becomes a title, a text and criteria from the list about acceptance", () => {
		const issue = parseIssue(ISSUE);
		expect(issue).toEqual({
			title: "Parser drops the last line",
			body: expect.stringMatching(/^The parser drops a line \*\*without\*\* a newline\..*The last line is kept\.$/su),
			items: ["The last line is kept.", "See the test for empty files"],
		});
		if (issue === null) return;
		const { title, criteria, budget } = applyIssue(blank(), issue, newKey);
		expect({ title, budget }).toEqual({ title: "Parser drops the last line", budget: "750" });
		expect(criteria).toMatchObject([
			{ name: "The last line is kept", description: "The last line is kept.", weight: "50" },
			{ name: "See the test for empty files", weight: "50" },
		]);
	});

	it("names the items that consist of a mark only", () => {
		const issue = parseIssue("Fix it\n\n- ;\n- ,\n- .");
		const names = issue === null ? [] : applyIssue(blank(), issue, newKey).criteria.map(({ name }) => name);
		expect(names).toEqual(["Criterion", "Criterion (2)", "Criterion (3)"]);
	});

	it("is cut without half an emoji", () => {
		const issue = parseIssue(`a${"😀".repeat(150)}\n\nb${"😀".repeat(6000)}\n- ${"😀".repeat(60)}`);
		const filled = issue === null ? null : applyIssue(blank(), issue, newKey);
		const texts = [filled?.title, filled?.description, filled?.criteria[0]?.name];
		expect(texts.map((text) => text?.isWellFormed())).toEqual([true, true, true]);
	});

	it("uses every list if none is about acceptance, and keeps the form's criteria without a list", () => {
		expect(parseIssue("Fix it\r\n\r\n- one\r\n- two")).toMatchObject({ title: "Fix it", items: ["one", "two"] });
		const issue = parseIssue("Fix it\n\nNow.");
		const before = blank();
		if (issue !== null) expect(applyIssue(before, issue, newKey).criteria).toBe(before.criteria);
		expect(parseIssue(" \n\n")).toBeNull();
	});

	it("reads no line beyond 2,000 characters, because a pasted page can contain any text", () => {
		const long = "[".repeat(50_000);
		const issue = parseIssue(`${" ".repeat(90_000)}Fix it\n\n- ${long}`);
		expect(issue?.items.map(({ length }) => length)).toEqual([2_000 - "- ".length]);
		expect(parseIssue(`Fix it\n\n- ${long}`)?.title).toBe("Fix it");
		expect(parseIssue(`${long}\nText`)?.title).toHaveLength(200);
	});

	it("never makes criteria that the platform would refuse, for any text", () => {
		const line = fc.oneof(
			fc.string(),
			fc.string().map((text) => `- ${text}`),
			fc.constantFrom("- x", "- x.", "## Goals", "- x (2)", "```"),
		);
		fc.assert(
			fc.property(fc.array(line, { maxLength: 40 }), (lines) => {
				const issue = parseIssue(lines.join("\n"));
				if (issue === null) return;
				expect(issue.title.length).toBeLessThanOrEqual(200);
				const { criteria } = applyIssue(blank(), issue, newKey);
				if (issue.items.length === 0) return;
				for (const criterion of criteria) expect(findFaults(criterion, criteria)).toEqual({});
				expect(isComplete(criteria)).toBe(true);
			}),
		);
	});
});

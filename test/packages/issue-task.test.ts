// Tests how an issue's text becomes a task: its parts, its terms, and what a stranger may hide in it.
import { describe, expect, it } from "vitest";
import { readIssueTask, resolveDeadline } from "../../packages/cli/src/issues/issue-task.ts";
import type { Terms } from "../../packages/cli/src/issues/issue-terms.ts";

const NOW = Date.parse("2027-01-01T10:20:00Z");
const TERMS = { budget_cents: 50_000, deadline: "14d" };

function read(body: string, { title = "Parse CSV", terms = TERMS as Terms, now = NOW } = {}) {
	return readIssueTask({ key: "github.com/1", number: 1, url: "https://github.com/a/b/issues/1", title, body }, { terms, now });
}

function blockOf(yaml: string): string {
	return `\`\`\`bounty\n${yaml}\n\`\`\`\n`;
}

/** Returns the message and the hints of the error, or fails. */
function faultOf(body: string): string {
	try {
		read(body);
	} catch (error) {
		const hints = error instanceof Error && "hints" in error && Array.isArray(error.hints) ? error.hints : [];
		return [error instanceof Error ? error.message : error, ...hints].join(" ");
	}
	throw new Error(`This became a task: ${body.slice(0, 200)}`);
}

describe("an issue", () => {
	it("becomes a task with its terms, its input and output, and the rest as description", () => {
		const yaml = "budget_cents: 70000\ndeadline: 2w\ncategory: csv\nfinal_round: true\nsealed: false\nmax_submissions_per_agent: 3";
		const body = [
			"<!-- Fill this in -->",
			blockOf(`${yaml}\ncriteria:\n  - { name: Quotes, weight: 100, checks: [It keeps quotes] }`),
			"Read this <!-- hidden --> file, and keep `<!-- code -->`.\n\n    indented code\n",
			"## Input\n\n    first line\n\ntext\n\n### Details\n\nmore",
			"### Output:\n\n```html\n<!-- kept -->\n```\n\n# Notes\n\nend",
		].join("\n\n");
		const { task } = read(body.replaceAll("\n", "\r\n"), { terms: {} });
		expect(task).toEqual({
			title: "Parse CSV",
			description: "Read this  file, and keep `<!-- code -->`.\n\n    indented code\n\n\n# Notes\n\nend",
			input_spec: "    first line\n\ntext\n\n### Details\n\nmore",
			output_spec: "```html\n<!-- kept -->\n```",
			...{ budget_cents: 70_000, category: "csv", final_round: true, sealed: false, max_submissions_per_agent: 3 },
			criteria: [{ name: "Quotes", weight: 100, checks: ["It keeps quotes"] }],
			deadline: "2027-01-15T11:00:00.000Z",
		});
	});

	it("has terms that options override, and a digest that a relative deadline does not change", () => {
		const body = blockOf("budget_cents: 70000\ndeadline: 2w\nsealed: true");
		const { task, digest } = read(body, { terms: { budget_cents: 20_000, sealed: false } });
		expect(task).toMatchObject({ budget_cents: 20_000, sealed: false, deadline: "2027-01-15T11:00:00.000Z" });
		expect(read(body, { terms: { budget_cents: 20_000, sealed: false }, now: NOW + 86_400_000 }).digest).toBe(digest);
		expect(read(body, { terms: { budget_cents: 30_000, sealed: false } }).digest).not.toBe(digest);
		expect(read(`${body}more`, { terms: { budget_cents: 20_000, sealed: false } }).digest).not.toBe(digest);
	});

	it("needs a budget and a deadline", () => {
		expect(() => read("Hello", { terms: {} })).toThrow("does not say budget_cents");
		expect(() => read("Hello", { terms: { budget_cents: 1 } })).toThrow("does not say deadline");
	});

	it("has a title of one line that fits", () => {
		expect(read("", { title: " A\u202e\u0000 title\r\n of\tone line " }).task.title).toBe("A title of one line");
		expect([...read("", { title: "😀".repeat(256) }).task.title]).toHaveLength(200);
	});

	it("loses characters that control a terminal or turn text around, also in its code", () => {
		const { task } = read("\ufeffa\u001b[2J\u202eb\u2066c\u0085\tנ\u200f\ud800\n```\n\u202ed\u0000\n```");
		expect(task.description).toBe("a[2Jbc\tנ\u200f\ufffd\n```\nd\n```");
	});
});

describe("a deadline", () => {
	it("is a time from now that is rounded up to the hour, or a moment", () => {
		expect(resolveDeadline("24h", NOW)).toBe("2027-01-02T11:00:00.000Z");
		expect(resolveDeadline("14d", Date.parse("2027-01-01T10:00:00Z"))).toBe("2027-01-15T11:00:00.000Z");
		expect(resolveDeadline("2w", NOW)).toBe("2027-01-15T11:00:00.000Z");
		expect(resolveDeadline("2027-01-31T12:00:00Z", NOW)).toBe("2027-01-31T12:00:00Z");
		for (const text of ["tomorrow", "14", "d", "-1d", "1.5d", "99999d", "2027-13-01T00:00:00Z", "2027-01-31", "1e3d", ""])
			expect(() => resolveDeadline(text, NOW), text).toThrow("neither a time such as 14d");
	});
});

describe("a bounty block", () => {
	it.each(["eval_image", "eval_callback_url", "eval_network", "eval_mode", "access", "test", "title", "__proto__", "constructor", "<<"])(
		"cannot set %s",
		(name) => {
			expect(faultOf(blockOf(`${name}: x`))).toBe(
				`The bounty block cannot set ${name}. It can set: budget_cents, deadline, criteria, category, max_submissions_per_agent, final_round, sealed.`,
			);
		},
	);

	it.each([
		["an unknown field of a criterion", "criteria:\n  - { name: A, wieght: 100 }", "criteria[0] in the bounty block cannot set wieght."],
		["a criterion without fields", "criteria: [A]", "criteria[0] in the bounty block must contain fields"],
		["a list", "- a", "must contain fields"],
		["a text as a number", 'budget_cents: "50000"', "budget_cents in the bounty block must be a whole number"],
		["half a cent", "budget_cents: 1.5", "must be a whole number"],
		["a word as a truth", "sealed: yes", "sealed in the bounty block must be true or false"],
		["an alias", "category: &a x\ndeadline: *a", "not plain YAML"],
		["a bomb", "criteria:\n  - &a { name: x, checks: [x, x] }\n  - { name: x, checks: [*a, *a, *a] }", "not plain YAML"],
		["a tag", "category: !!binary aGk=", "not plain YAML"],
		["a tag of its own", "criteria: !include /etc/passwd", "not plain YAML"],
		["a directive", "%YAML 1.1\n---\nsealed: yes", "not plain YAML"],
		["a name twice", "sealed: true\nsealed: false", "not plain YAML"],
		["two documents", "---\nsealed: true\n---\nsealed: false", "not plain YAML"],
		["a key that is no text", "? [a]\n: 1", "not plain YAML"],
		["lists without end", "[".repeat(30_000), "not plain YAML"],
		["objects without end", "{a: ".repeat(10_000), "not plain YAML"],
	])("with %s is an error", (_, yaml, message) => {
		expect(faultOf(blockOf(yaml))).toContain(message);
	});

	it("must be the first fenced block, and the only one of its kind", () => {
		expect(faultOf(`\`\`\`js\n1\n\`\`\`\n${blockOf("sealed: true")}`)).toContain("must be the first fenced block");
		expect(faultOf(blockOf("sealed: true") + blockOf("sealed: true"))).toContain("more than one bounty block");
		expect(read(`Text first.\n\n~~~Bounty\nsealed: true\n~~~`).task).toMatchObject({ sealed: true, description: "Text first." });
	});

	it.each([
		["a comment", `<!--\n${blockOf("sealed: true")}-->\nHi`],
		["a comment that is never closed", `<!--\n\n${blockOf("sealed: true")}`],
		["an instruction", `<?x\n\n${blockOf("sealed: true")}?>`],
		["a quote", blockOf("sealed: true").replace(/^/gm, "> ")],
		["a list", `- ${blockOf("sealed: true").replaceAll("\n", "\n  ")}`],
		["indentation", blockOf("sealed: true").replace(/^/gm, "    ")],
		["longer code", `\`\`\`\`md\n${blockOf("sealed: true")}\`\`\`\``],
	])("sets nothing in %s", (_, body) => {
		expect(read(body).task.sealed).toBeUndefined();
	});

	it.each([
		["a comment over an empty line", `<div>\n<!--\n\n${blockOf("sealed: true")}\n-->\n</div>`],
		["a comment that browsers end earlier", `<!--> <div title=" -->\n\n${blockOf("sealed: true")}`],
		["a comment that ends in another way", `<!-- --!> <div title=" -->\n\n${blockOf("sealed: true")}`],
		["an attribute", `<div title="\n\n${blockOf("sealed: true")}\n">`],
		["a folded part", `<details><summary>Log</summary>\n\n${blockOf("sealed: true")}\n</details>`],
		["a tag in a line", `Hello <details>\n\n${blockOf("sealed: true")}`],
	])("is an error where %s could hide it", (_, body) => {
		expect(faultOf(body)).toContain("must come before any HTML");
	});
});

describe("the description", () => {
	it("has no comments, also those that go on after their HTML", () => {
		expect(read("a\n\n<div>\n<!-- x\n\nhidden -->\n\nb").task.description).toBe("a\n\n<div>\n\nb");
		expect(read("a\n\n<!-- x\n\n## Input\n\nhidden").task).toMatchObject({ description: "a" });
		expect(read("a <!-- x\ny --> b").task.description).toBe("a  b");
	});

	it.each([
		["length", "x".repeat(200_000)],
		["lists", "* ".repeat(3_000)],
		["comments", "<!--".repeat(20_000)],
		["quotes", ">".repeat(1_000)],
		["lines", "# a\n".repeat(16_000)],
	])("is refused quickly for too much of: %s", (_, body) => {
		const start = performance.now();
		expect(faultOf(body)).toContain("to be read as Markdown");
		expect(performance.now() - start).toBeLessThan(1_000);
	});
});

// The main loop has a small real task, and honest solutions of different quality.
import type { CreateTaskBody } from "../../packages/sdk/src/node.ts";

export interface Entry {
	readonly agentName: string;
	readonly what: string;
	readonly files: Readonly<Record<string, string>>;
}

export const TASK = {
	title: "Turn titles into URL slugs",
	description: "Write a JavaScript module that exports slugify(title). It turns any title into a short, readable part of a URL.",
	category: "javascript",
	budget_cents: 50_000,
	output_spec: "slugify.js, an ES module without dependencies, and its tests.",
	criteria: [
		{ name: "Correct slugs", description: "lowercase, hyphen, accents removed with normalize, trim, maximum length", weight: 50 },
		{ name: "Tests", description: "assert: empty, unicode, punctuation, repeated separators", weight: 30 },
		{ name: "Documentation", description: "JSDoc with param, returns, example", weight: 20 },
	],
} satisfies Omit<CreateTaskBody, "deadline">;

/**
 * Posters often begin with such criteria, but a judge can neither find praise in files, nor know which half of the second criterion was
 * met.
 */
export const WEAK_RUBRIC = [
	{ name: "Quality", description: "Good, clean code.", weight: 60 },
	{ name: "Rest", description: "Tests and documentation.", weight: 40 },
];

export const MAIN_FILE = "slugify.js";

const GOOD_SLUGIFY = `/**
 * Turns a title into the readable part of a URL.
 *
 * @param {string} title Any text.
 * @param {{ maximum?: number }} [options] Maximum length of the slug, 60 by default.
 * @returns {string} Lowercase words joined by hyphens; empty when the title has no letter or digit.
 * @example slugify("Crème brûlée!") // "creme-brulee"
 */
export function slugify(title, { maximum = 60 } = {}) {
	// This splits a letter from its accents, which are then removed.
	const plain = title.normalize("NFKD").replace(/\\p{M}/gu, "").toLowerCase();
	const words = plain.split(/[^\\p{L}\\p{N}]+/u).filter(Boolean);
	const slug = words.join("-");
	// This cuts the text to the maximum length without leaving a hyphen at the end.
	return slug.slice(0, maximum).replace(/-+$/, "");
}
`;

const GOOD_TESTS = `import assert from "node:assert/strict";
import { test } from "node:test";
import { slugify } from "./slugify.js";

test("joins words with a hyphen", () => assert.equal(slugify("Hello World"), "hello-world"));
test("empty titles stay empty", () => assert.equal(slugify(""), ""));
test("unicode: accents are removed", () => assert.equal(slugify("Crème Brûlée"), "creme-brulee"));
test("punctuation is a separator", () => assert.equal(slugify("What? Why!"), "what-why"));
test("repeated separators count once", () => assert.equal(slugify("a --- b"), "a-b"));
test("never longer than the maximum", () => assert.equal(slugify("abc def", { maximum: 4 }), "abc"));
`;

const WHOLE_SUBMISSION_MD = `# What I Built
slugify(title): readable URL parts for titles in any language that has letters and digits.

# How To Run
node --test

# Architecture
One pure function in slugify.js, and its tests.

# What Works
Accents, punctuation, repeated separators, a maximum length.

# Known Limitations
Scripts without a Latin form keep their own letters.

# Tradeoffs
No table of transliterations, so no dependency.
`;

const PLAIN_SLUGIFY = `// title in lowercase, spaces become a hyphen
export function slugify(title) {
	return title.trim().toLowerCase().replace(/ +/g, "-");
}
`;

/** The poster tries the rubric with her own solution. */
export const SAMPLE: Readonly<Record<string, string>> = {
	[MAIN_FILE]: GOOD_SLUGIFY,
	"slugify.test.js": GOOD_TESTS,
	"SUBMISSION.md": WHOLE_SUBMISSION_MD,
};

export const ENTRIES: readonly Entry[] = [
	{
		agentName: "Ada",
		what: "a documented module with tests",
		files: { [MAIN_FILE]: GOOD_SLUGIFY, "slugify.test.js": GOOD_TESTS, "SUBMISSION.md": WHOLE_SUBMISSION_MD },
	},
	{
		agentName: "Ben",
		what: "a plain function",
		files: { [MAIN_FILE]: PLAIN_SLUGIFY, "SUBMISSION.md": "# What I Built\nA slugify function.\n\n# How To Run\nImport it.\n" },
	},
	{ agentName: "Cleo", what: "a plan", files: { "plan.txt": "First I would look for a library.\n" } },
];

/** Ben makes this second attempt after reading what the first one lacked. */
export const IMPROVED_ENTRY: Entry = {
	agentName: "Ben",
	what: "tests and a better description",
	files: {
		[MAIN_FILE]: PLAIN_SLUGIFY,
		"slugify.test.js": `import assert from "node:assert/strict";
import { slugify } from "./slugify.js";

assert.equal(slugify("Hello World"), "hello-world");
assert.equal(slugify(""), "", "empty");
assert.equal(slugify("a  b"), "a-b", "repeated spaces");
`,
		"SUBMISSION.md": WHOLE_SUBMISSION_MD.replace(
			"Accents, punctuation, repeated separators, a maximum length.",
			"Spaces, also repeated ones.",
		),
	},
};

// The demo's task and its submissions. An agent's work grows step by step, up to each agent's own limit.
import type { CreateTaskBody } from "../../packages/sdk/src/node.ts";

export const TASK = {
	title: "Turn titles into URL slugs",
	description: "Write a JavaScript module that exports slugify(title). It turns any title into a short, readable part of a URL.",
	category: "javascript",
	budget_cents: 50_000,
	output_spec: "slugify.js, an ES module without dependencies, and its tests.",
	criteria: [
		{
			name: "Correct slugs",
			description: "The module handles the titles that people really write.",
			checks: [
				"A title becomes lowercase",
				"Words are joined by a hyphen",
				"Accents are removed with normalize",
				"A slug is cut at a maximum length",
			],
			weight: 50,
		},
		{
			name: "Tests",
			description: "The tests cover what usually goes wrong.",
			checks: ["A test covers an empty title", "A test covers unicode accents", "A test covers repeated separators"],
			weight: 30,
		},
		{
			name: "Documentation",
			description: "A reader can use the module without reading its code.",
			checks: ["The README shows an example with its result", "The README names a known limitation"],
			evidence: "any",
			weight: 20,
		},
	],
} satisfies Omit<CreateTaskBody, "deadline">;

/**
 * A rubric such as posters often begin with. A judge cannot find praise in files, and cannot say which half of the second criterion was
 * met.
 */
export const WEAK_RUBRIC = [
	{ name: "Quality", description: "Good, clean code.", weight: 60 },
	{ name: "Rest", description: "Tests and documentation.", weight: 40 },
];

const MAIN_FILE = "slugify.js";

/** Parts of a submission that each satisfy one check of the rubric. A module gets text and returns it changed. */
const MODULES = {
	lowercase: "export const lowercaseTitle = (title) => title.toLocaleLowerCase();\n",
	hyphen: 'const hyphen = "-";\n\nexport const joinWords = (title) => title.trim().split(/\\s+/).join(hyphen);\n',
	accents: 'export const removeAccents = (title) => title.normalize("NFKD").replace(/\\p{M}/gu, "");\n',
	maximum: "const maximum = 60;\n\nexport const cutSlug = (slug) => slug.slice(0, maximum);\n",
};
const TESTS = {
	empty: 'test("an empty title stays empty", () => assert.equal(slugify(""), ""));\n',
	unicode: 'test("unicode accents", () => assert.equal(slugify("Crème"), "creme"));\n',
	separators: 'test("repeated separators", () => assert.equal(slugify("a  b"), "a-b"));\n',
};
const README = {
	example: '\n## Example\n\n`slugify("Hello World")` returns `hello-world`: this example shows a title and the result that it gives.\n',
	limitation: "\n## Known limitations\n\nOne limitation is known: titles in Chinese or Arabic keep their own letters.\n",
};

export type Part = keyof typeof MODULES | keyof typeof TESTS | keyof typeof README;

const SECTIONS = ["What I Built", "How To Run", "Architecture", "What Works", "Known Limitations", "Tradeoffs"];

const FUNCTIONS: Readonly<Record<string, string>> = {
	lowercase: "lowercaseTitle",
	hyphen: "joinWords",
	accents: "removeAccents",
	maximum: "cutSlug",
};

/** Writes the files of a submission that has these parts. */
export function writeWork(parts: readonly Part[]): Record<string, string> {
	const modules = Object.entries(MODULES).filter(([name]) => parts.some((part) => part === name));
	const pick = (from: Readonly<Record<string, string>>) => parts.map((part) => from[part] ?? "").join("");
	const [tests, readme] = [pick(TESTS), pick(README)];
	const functions = modules.map(([name]) => FUNCTIONS[name]).join(", ");
	return {
		...Object.fromEntries(modules.map(([name, text]) => [`${name}.js`, text])),
		[MAIN_FILE]: `${modules.map(([name]) => `import { ${FUNCTIONS[name]} } from "./${name}.js";\n`).join("")}
export const slugify = (title) => [${functions}].reduce((text, change) => change(text), title);\n`,
		...(tests === ""
			? {}
			: {
					"slugify.test.js": `import assert from "node:assert/strict";\nimport { test } from "node:test";\nimport { slugify } from "./slugify.js";\n\n${tests}`,
				}),
		...(readme === "" ? {} : { "README.md": `# slugify\n${readme}` }),
		"SUBMISSION.md": SECTIONS.map((section) => `# ${section}\n${parts.join(", ")}\n`).join("\n"),
	};
}

/** The sample with which Paula tries her rubric. */
export const SAMPLE = writeWork(["lowercase", "hyphen", "accents", "maximum", "empty", "unicode", "separators", "example", "limitation"]);

export interface Move {
	readonly agent: string;
	readonly parts: readonly Part[];
}

/**
 * The moves in order. Otter leads early but gets no further. Quill starts late, reads what its submission lacks, and wins with its last
 * one.
 */
export const MOVES: readonly Move[] = [
	{ agent: "Otter", parts: ["lowercase", "hyphen"] },
	{ agent: "Moss", parts: ["example"] },
	{ agent: "Ledger", parts: ["lowercase", "hyphen", "maximum"] },
	{ agent: "Quill", parts: ["lowercase", "accents", "separators"] },
	{ agent: "Finch", parts: ["hyphen", "empty", "separators"] },
	{ agent: "Otter", parts: ["lowercase", "hyphen", "accents", "maximum", "empty", "example", "limitation"] },
	{ agent: "Quill", parts: ["lowercase", "hyphen", "accents", "empty", "unicode"] },
	{ agent: "Quill", parts: ["lowercase", "hyphen", "accents", "maximum", "empty", "unicode", "separators", "limitation"] },
];

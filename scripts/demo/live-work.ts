// This file contains the tasks and the submissions of the live demo. Solutions grow step by step, so that scores rise.
import type { CreateTaskBody } from "../../packages/sdk/src/node.ts";
import { TASK } from "./agent-loop-work.ts";

/** Each step adds one thing to a solution, in a separate file, so steps can come in any order. */
interface Step {
	readonly path: string;
	readonly text: string;
}

export interface LiveTask {
	readonly body: Omit<CreateTaskBody, "deadline">;
	readonly steps: readonly Step[];
}

const SLUG_STEPS: readonly Step[] = [
	{
		path: "lowercase.js",
		text: "/** lowercase: slugs are correct in any case of the title */\nexport const lowercase = (title) => title.toLowerCase();\n",
	},
	{ path: "hyphen.js", text: '/** Joins words with a hyphen. */\nexport const joinWords = (title) => title.split(/\\s+/).join("-");\n' },
	{
		path: "accents.js",
		text: '/** Accents are removed with normalize. */\nexport const removeAccents = (title) => title.normalize("NFKD").replace(/\\p{M}/gu, "");\n',
	},
	{
		path: "trim.js",
		text: "/** @returns the title without a separator at its ends */\nexport const trimEnds = (title) => title.trim();\n",
	},
	{ path: "length.js", text: "/** @param maximum length of the slug */\nexport const cut = (slug, maximum) => slug.slice(0, maximum);\n" },
	{
		path: "empty.test.js",
		text: 'import assert from "node:assert/strict";\nimport { trimEnds } from "./trim.js";\n\nassert.equal(trimEnds("  "), "", "empty titles stay empty");\n',
	},
	{
		path: "unicode.test.js",
		text: 'import assert from "node:assert/strict";\nimport { removeAccents } from "./accents.js";\n\nassert.equal(removeAccents("é"), "e", "unicode");\n',
	},
	{
		path: "separators.test.js",
		text: 'import assert from "node:assert/strict";\nimport { joinWords } from "./hyphen.js";\n\nassert.equal(joinWords("a  b"), "a-b", "repeated separators, also around punctuation");\n',
	},
	{
		path: "API.md",
		text: '# Documentation\nThe JSDoc of each module names its param and what it returns.\n\n## Example\n`lowercase("Hello")` is `"hello"`.\n',
	},
];

const CSV_STEPS: readonly Step[] = [
	{ path: "fields.js", text: '/** Splits a line at its commas. */\nexport const splitFields = (line) => line.split(",");\n' },
	{
		path: "quotes.js",
		text: '/** Takes the quotes off a quoted field; two quotes inside are one. */\nexport const unquote = (field) => field.replace(/^"|"$/g, "").replaceAll(\'""\', \'"\');\n',
	},
	{
		path: "lines.js",
		text: "/** A file ends its lines as Windows or Unix does: CRLF or LF. */\nexport const splitLines = (text) => text.split(/\\r?\\n/);\n",
	},
	{
		path: "header.js",
		text: "/** Names the fields of each row by the header. */\nexport const byHeader = ([header, ...rows]) => rows.map((row) => Object.fromEntries(row.map((field, at) => [header[at], field])));\n",
	},
	{
		path: "errors.js",
		text: "/** An error names its line number and column. */\nexport const malformed = (line, column) => new Error(['Malformed field in line number', line, 'column', column].join(' '));\n",
	},
	{
		path: "stream.js",
		text: "/** Reads a large file in chunks, in constant memory: a generator holds one line. */\nexport async function* readChunks(stream) {\n\tfor await (const chunk of stream) yield chunk;\n}\n",
	},
	{
		path: "quotes.test.js",
		text: 'import assert from "node:assert/strict";\nimport { unquote } from "./quotes.js";\n\nassert.equal(unquote(\'"a"\'), "a", "quoted fields");\n',
	},
	{
		path: "lines.test.js",
		text: 'import assert from "node:assert/strict";\nimport { splitLines } from "./lines.js";\n\nassert.deepEqual(splitLines("a\\r\\nb"), ["a", "b"], "line ends, empty lines");\n',
	},
];

export const LIVE_TASKS: readonly LiveTask[] = [
	{ body: TASK, steps: SLUG_STEPS },
	{
		body: {
			title: "Read CSV files of any size",
			description: "Write JavaScript modules that read CSV as spreadsheets write it. A file may be larger than the memory.",
			category: "javascript",
			budget_cents: 80_000,
			output_spec: "ES modules without dependencies, and their tests.",
			criteria: [
				{ name: "Parsing", description: "Fields, quotes, CRLF lines, a header that names the columns.", weight: 50 },
				{ name: "Large files", description: "Stream in chunks, in constant memory, with a generator.", weight: 20 },
				{ name: "Errors", description: "Malformed input gives an error with line number and column.", weight: 15 },
				{ name: "Tests", description: "assert: quoted fields, line ends, empty lines.", weight: 15 },
			],
		},
		steps: CSV_STEPS,
	},
];

const SECTIONS = ["What I Built", "How To Run", "Architecture", "What Works", "Known Limitations", "Tradeoffs"];

/** Writes the files of a solution with these steps. Its description grows with it. */
export function writeSolution({ body, steps }: LiveTask, order: readonly number[]): Record<string, string> {
	const chosen = order.flatMap((index) => steps[index] ?? []);
	const sections = SECTIONS.slice(0, chosen.length).map((section) => `# ${section}\n${chosen.map(({ path }) => path).join(", ")}\n`);
	const files = Object.fromEntries(chosen.map(({ path, text }) => [path, text]));
	return { ...files, "SUBMISSION.md": `${body.title}\n\n${sections.join("\n")}` };
}

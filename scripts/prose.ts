// Finds phrases of the word list in comments, messages and Markdown. `npm run check` runs it.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { findProse, type Prose } from "./prose/extract.ts";
import { PHRASES } from "./prose/words.ts";
import { PROJECT_ROOT } from "./support/wrangler.ts";

const CODE = [
	"src",
	"durable-objects",
	"queues",
	"grader",
	"scripts",
	"packages",
	"console/src",
	"site",
	"docs-site/src",
	"docs-site/build",
];
const MARKDOWN = ["README.md", "AGENTS.md", "CHANGELOG.md", "SECURITY.md", "docs", "console/README.md"];
/** The list itself quotes what it bans; built files are not ours to write. */
const EXCLUDED = /^scripts\/prose\/|\/(?:dist|generated|bundle|node_modules)\//;

function listFiles(path: string): string[] {
	try {
		return readdirSync(join(PROJECT_ROOT, path), { recursive: true, encoding: "utf8" }).map((name) => `${path}/${name}`);
	} catch {
		return [path];
	}
}

function readProse(path: string): Prose[] {
	return findProse(path, readFileSync(join(PROJECT_ROOT, path), "utf8"));
}

const wanted = process.argv.slice(2);
const files = [...CODE, ...MARKDOWN]
	.flatMap(listFiles)
	.filter((path) => /\.(ts|mts|mjs|tsx|mdx?)$/.test(path) && !EXCLUDED.test(path))
	.filter((path) => wanted.length === 0 || wanted.some((prefix) => path.startsWith(prefix)));
const faults = files.flatMap((path) =>
	readProse(path).flatMap(({ line, text }) =>
		PHRASES.flatMap(({ pattern, instead, except }) => {
			if (except?.test(path)) return [];
			const found = pattern.exec(text)?.[0].trim();
			return found === undefined ? [] : [`${path}:${line}: "${found}" (write: ${instead})\n    ${text.slice(0, 160)}`];
		}),
	),
);
for (const fault of faults) console.log(fault);
if (faults.length > 0) {
	console.log(`\n${faults.length} phrases to rewrite. docs/contributing.md, "Plain English", shows how.`);
	process.exitCode = 1;
}

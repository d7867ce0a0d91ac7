// Finds phrases of the word list in comments, messages and Markdown. `npm run check` runs this.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { findProse, type Prose } from "./prose/extract.ts";
import { PHRASES } from "./prose/words.ts";
import { PROJECT_ROOT } from "./support/wrangler.ts";

const FOLDERS = [".ci", ".github", "console", "docs", "docs-site", "grader", "packages", "scripts", "site", "src", "test"];
const READ = /\.(?:ts|tsx|mts|mjs|py|css|toml|ya?ml|sh|mdx?)$|Dockerfile$|\.ci\/run$/;
/**
 * Files that are not checked. The list itself quotes what it bans. The labelled cases and the templates' examples are submissions. Commands
 * write or install the others.
 */
const EXCLUDED =
	/^scripts\/(?:prose|judge\/cases)\/|^console\/examples\/|(?:^|\/)(?:dist|generated|bundle|node_modules|\.astro|\.cache|migrations)\/|^src\/worker-configuration/;

function listFiles(folder: string): string[] {
	return readdirSync(join(PROJECT_ROOT, folder), { recursive: true, encoding: "utf8" }).map((name) => `${folder}/${name}`);
}

function readProse(path: string): Prose[] {
	return findProse(path, readFileSync(join(PROJECT_ROOT, path), "utf8"));
}

const wanted = process.argv.slice(2);
const files = [...FOLDERS.flatMap(listFiles), ...readdirSync(PROJECT_ROOT)]
	.filter((path) => READ.test(path) && !EXCLUDED.test(path))
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

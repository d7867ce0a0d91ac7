// Whether dist/site/ is what its sources say. Plain JavaScript without dependencies, as scripts/setup.mjs is.
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Files and folders that the site is built from. The code is one of them, because the handbook is built from its tables. */
const SOURCES = [
	"docs/pages",
	"docs/agents",
	"docs/openapi.json",
	"site",
	"console",
	"src",
	"grader",
	"scripts/site.ts",
	"scripts/site",
	"scripts/openapi",
	"package-lock.json",
];
/** Present after a complete build. */
const OUTPUTS = ["dist/site/docs.json", "dist/types/openapi.d.ts"];
/** Next to the folder, because everything in it is deployed. */
const RECORD = "dist/site.sha256";

function* filesOf(root, path) {
	const entries = readdirSync(join(root, path), { withFileTypes: true, recursive: true });
	for (const entry of entries) if (entry.isFile()) yield join(entry.parentPath ?? entry.path, entry.name);
}

/** Digest of all sources, of their contents and not of their times, which a checkout sets anew. */
export function fingerprintSources(root) {
	const hash = createHash("sha256");
	for (const source of SOURCES) {
		const path = join(root, source);
		if (!existsSync(path)) continue;
		const files = /\.\w+$/.test(source) ? [path] : [...filesOf(root, source)].sort();
		for (const file of files) {
			const content = readFileSync(file);
			hash.update(`${file.slice(root.length)}\0${content.length}\0`).update(content);
		}
	}
	return hash.digest("hex");
}

/** Whether the site was last built from sources with this digest and is still there. */
export function isBuiltFrom(root, fingerprint) {
	try {
		return OUTPUTS.every((output) => existsSync(join(root, output))) && readFileSync(join(root, RECORD), "utf8") === fingerprint;
	} catch {
		return false;
	}
}

export function recordBuild(root, fingerprint) {
	writeFileSync(join(root, RECORD), fingerprint);
}

// Decides whether a build is current. This is plain JavaScript without dependencies, like scripts/setup.mjs.
import { createHash } from "node:crypto";
import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, sep } from "node:path";
import { isCoreOnly } from "../setup/extensions.mjs";

/** The files that the Worker needs, built by scripts/site.ts. The code is a source, because the handbook is built from its tables. */
export const WHOLE_SITE = {
	sources: [
		"docs/pages",
		"docs/agents",
		"docs/limits.json",
		"docs/openapi.json",
		"CHANGELOG.md",
		"site",
		"console",
		"packages",
		"src",
		"grader",
		"scripts/site.ts",
		"scripts/site",
		"scripts/openapi",
		"package-lock.json",
	],
	// The packages contain the URL of the repository.
	settings: ["PACKAGE_REPOSITORY"],
	// A complete build writes this file.
	outputs: ["dist/site/docs.json"],
	// The record is next to the folder, because everything in the folder is deployed.
	record: "dist/site.sha256",
};

/** The site of this platform. Without extensions it has other outputs, so that one checkout can contain both. */
export const SITE = isCoreOnly() ? { ...WHOLE_SITE, outputs: ["dist/core/docs.json"], record: "dist/core.sha256" } : WHOLE_SITE;

export const SITE_FOLDER = isCoreOnly() ? "dist/core" : "dist/site";

/** The documentation for people is built by scripts/docs.ts. */
export const DOCS = {
	sources: [
		"docs-site",
		"docs/pages",
		"docs/limits.json",
		"docs/openapi.json",
		"CHANGELOG.md",
		"site/styles",
		"scripts/docs.ts",
		"scripts/site/limits.ts",
	],
	outputs: ["dist/site/docs/index.html"],
	record: "dist/docs.sha256",
};

/**
 * The same documentation for a platform that started without it. The runtime restarts if its own files change, so these files are
 * elsewhere.
 */
export const STAGED_DOCS = { ...DOCS, outputs: ["dist/docs-staged/index.html"], record: "dist/docs-staged.sha256" };

const NO_SOURCES = new Set(["node_modules", "dist", ".astro"]);

function* filesOf(folder) {
	for (const entry of readdirSync(folder, { withFileTypes: true })) {
		const path = join(folder, entry.name);
		if (entry.isFile()) yield path;
		else if (entry.isDirectory() && !NO_SOURCES.has(entry.name)) yield* filesOf(path);
	}
}

/** Returns a digest of the contents of all sources of a build. Ignores file times, which a checkout sets anew. */
export function fingerprintSources(root, { sources, settings = [] }) {
	const hash = createHash("sha256");
	for (const name of settings) hash.update(`${name}=${process.env[name] ?? ""}\0`);
	for (const source of sources) {
		const path = join(root, source);
		if (!existsSync(path)) continue;
		const files = /\.\w+$/.test(source) ? [path] : [...filesOf(path)].sort();
		for (const file of files) {
			const content = readFileSync(file);
			hash.update(`${file.slice(root.length).replaceAll(sep, "/")}\0${content.length}\0`).update(content);
		}
	}
	return hash.digest("hex");
}

/** Returns true if the last build was made from sources with this digest and still exists. */
export function isBuiltFrom(root, { outputs, record }, fingerprint) {
	try {
		return outputs.every((output) => existsSync(join(root, output))) && readFileSync(join(root, record), "utf8") === fingerprint;
	} catch {
		return false;
	}
}

export function recordBuild(root, { record }, fingerprint) {
	writeFileSync(join(root, record), fingerprint);
}

/** Creates the record if it is missing. Otherwise, wrangler would watch the whole folder, and restart for other files in it. */
export function ensureRecord(root, { record }) {
	appendFileSync(join(root, record), "");
}

// Provides the project's source files: paths, text, and imports.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url).href);

export interface Import {
	/** A path from the project's root, or the name of a package. */
	readonly target: string;
	readonly isTypeOnly: boolean;
}

export interface SourceFile {
	/** The path from the project's root, with `/`. */
	readonly path: string;
	readonly text: string;
	/** The text without comments. */
	readonly code: string;
	readonly imports: readonly Import[];
}

/** The files that package.json selects by a condition. Tests read the platform with its extensions. */
const BY_CONDITION: Readonly<Record<string, string>> = {
	"#platform": "src/compose/whole.ts",
	"#extensions": "src/domain/extensions-all.ts",
	"#fields": "src/fields/all.ts",
};

/**
 * Returns all TypeScript files in some folders of the project, including those with JSX, but without the declarations that wrangler writes.
 */
export function readSources(...folders: readonly string[]): SourceFile[] {
	return folders.flatMap((folder) =>
		readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
			.filter((name) => /\.tsx?$/.test(name) && !name.endsWith(".d.ts"))
			.map((name) => readSource(join(folder, name)))
			.toSorted((a, b) => (a.path < b.path ? -1 : 1)),
	);
}

export function readProjectFile(path: string): string {
	return readFileSync(join(ROOT, path), "utf8");
}

export function lineCount(text: string): number {
	return text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
}

function readSource(path: string): SourceFile {
	const text = readProjectFile(path);
	const code = withoutComments(text);
	return { path, text, code, imports: importsOf(path, code) };
}

/** Removes comments but keeps strings, because a `//` in a URL is not a comment. */
function withoutComments(text: string): string {
	const token = /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`|\/\/[^\n]*|\/\*[\s\S]*?\*\//g;
	return text.replace(token, (found) => (found.startsWith("//") || found.startsWith("/*") ? "" : found));
}

function importsOf(path: string, code: string): Import[] {
	const statements = code.matchAll(/^(?:import|export)(\s+type)?\s(?:[^;"]*?\sfrom\s+)?"([^"]+)"/gm);
	const calls = code.matchAll(/\bimport\("([^"]+)"\)/g);
	return [
		...[...statements].map(([, type, target]) => ({ target: resolveImport(path, target ?? ""), isTypeOnly: type !== undefined })),
		...[...calls].map(([, target]) => ({ target: resolveImport(path, target ?? ""), isTypeOnly: false })),
	];
}

/** Resolves an import in a file to a path from the project's root, or to the name of a package. */
export function resolveImport(from: string, target: string): string {
	return BY_CONDITION[target] ?? (target.startsWith(".") ? relative(".", normalize(join(dirname(from), target))) : target);
}

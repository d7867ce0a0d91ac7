// Draws the folders of src into docs/architecture.md, from their imports.
import { lineCount, readSources, type SourceFile } from "../support/sources.ts";

/** The groups of the core, from the lowest up. */
export const GROUPS = ["identity", "judging", "competition", "events", "docs", "health"].map((group) => `core/${group}`);

/**
 * The steps of the ladder, from the lowest up. A unit imports only units before it.
 * A unit is a folder of `src/`, a group of the core, or a file in `src/` itself.
 */
export const LADDER = [
	...["domain", "platform", "config", "ports", "db", "http", "events", "fields"],
	...GROUPS,
	...["extensions", "compose", "queues", "durable-objects", "app.ts", "index.ts"],
];

const groupOf = (path: string): string | null => /^src\/(core\/[^/]+)\//.exec(path)?.[1] ?? null;
export const unitOf = (path: string): string => groupOf(path) ?? /^src\/([^/]+)/.exec(path)?.[1] ?? path;

const PICTURE = /(<!-- npm run openapi draws this -->\n)```mermaid\n[\s\S]*?```\n/;

/** @throws Error if the page has no place for the picture. */
export function drawLadder(page: string): string {
	if (!PICTURE.test(page)) throw new Error("docs/architecture.md has no picture of the folders.");
	return page.replace(PICTURE, (_, note: string) => `${note}\`\`\`mermaid\n${draw(readSources("src"))}\`\`\`\n`);
}

function draw(files: readonly SourceFile[]): string {
	const lines = new Map(LADDER.map((unit) => [unit, 0]));
	const imports = new Map(LADDER.map((unit) => [unit, new Set<string>()]));
	for (const { path, text, imports: found } of files) {
		const unit = unitOf(path);
		lines.set(unit, (lines.get(unit) ?? 0) + lineCount(text));
		const targets = found.map(({ target }) => target).filter((target) => target.startsWith("src/"));
		for (const target of targets) if (unitOf(target) !== unit) imports.get(unit)?.add(unitOf(target));
	}
	const node = (unit: string) => `${idOf(unit)}["${unit.replace("core/", "")}<br>${roundLines(lines.get(unit) ?? 0)}"]`;
	const fromTop = LADDER.toReversed();
	return [
		"flowchart TB",
		...fromTop.filter((unit) => !GROUPS.includes(unit)).map((unit) => `  ${node(unit)}`),
		"  subgraph core",
		...fromTop.filter((unit) => GROUPS.includes(unit)).map((unit) => `    ${node(unit)}`),
		"  end",
		...fromTop.flatMap((unit) => listSteps(unit, imports).map((target) => `  ${idOf(unit)} --> ${idOf(target)}`)),
		"",
	].join("\n");
}

/**
 * Returns the imports of a unit, except those that a longer path already implies: if a imports b and c, and b imports c, omits the import
 * of c by a.
 */
function listSteps(unit: string, imports: ReadonlyMap<string, ReadonlySet<string>>): string[] {
	const targets = [...(imports.get(unit) ?? [])];
	const reaches = (from: string, to: string): boolean => [...(imports.get(from) ?? [])].some((next) => next === to || reaches(next, to));
	return LADDER.filter((target) => targets.includes(target) && !targets.some((other) => other !== target && reaches(other, target)));
}

const idOf = (unit: string): string => unit.replaceAll(/\W/g, "_");

/** Formats a rounded number of lines, because a picture with exact counts would change with each commit. */
function roundLines(count: number): string {
	const step = count < 1_000 ? 100 : 1_000;
	return count < 100 ? "under 100 lines" : `${(Math.round(count / step) * step).toLocaleString("en")} lines`;
}

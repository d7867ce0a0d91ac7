// npm run figures measures the size and the entanglement of the project in the working tree.
import { globSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { listSettings } from "../src/config/setting.ts";
import { settings } from "../src/config/settings.ts";
import { EVENTS } from "../src/domain/events.ts";
import { MODES } from "../src/domain/modes.ts";
import { COLD_QUICK_SUBMIT, COUNTED, daysUntilFull } from "./costs/costs.ts";
import { measureBorder } from "./figures/border.ts";
import { openSources, walkFrom } from "./figures/walk.ts";
import { openMigratedDatabase } from "./migration/database.ts";
import { CommandError, runCommand } from "./support/command.ts";
import { MIGRATION_FOLDERS } from "./support/databases.ts";
import { askWrangler, PROJECT_ROOT } from "./support/wrangler.ts";

const MANY_IMPORTS = 15;
const CODE = "**/*.{ts,tsx,mts,mjs,js,py,sh}";
/** Files that commands have written or installed. */
const NOT_BY_HAND = [
	"**/node_modules/**",
	"**/dist/**",
	"**/generated/**",
	"**/*.generated.ts",
	"**/migrations/**",
	"packages/action/bundle/**",
];

interface SourceFile {
	readonly path: string;
	readonly text: string;
}

await runCommand(async () => {
	const src = readFiles(`src/${CODE}`);
	print("src", `${countLines(src)} lines, ${src.length} files`);
	for (const group of ["core", "extensions"]) {
		const files = src.filter(({ path }) => path.startsWith(`src/${group}/`));
		print(`src/${group}`, `${countLines(files)} lines, ${files.length} files`);
	}
	const border = measureBorder(src);
	print("imports of extensions by the core", String(border.imports.length));
	const lines = Object.entries(border.lines).filter(([, count]) => count > 0);
	print(
		"lines of the core with their words",
		`${lines.reduce((sum, [, count]) => sum + count, 0)} (${lines.map(([name, count]) => `${name} ${count}`).join(", ")})`,
	);
	for (const [name, figure] of Object.entries(measureWalks())) print(name, figure);
	print("tests by hand", `${countLines(readFiles(`test/${CODE}`))} lines`);
	print("scripts", `${countLines(readFiles(`scripts/${CODE}`))} lines`);
	print("packages by hand", `${countLines(readFiles(`packages/${CODE}`))} lines`);
	for (const [binding, folder] of Object.entries(MIGRATION_FOLDERS)) print(`D1 ${binding}`, describeDatabase(openMigratedDatabase(folder)));
	print("sweeps", String(countSweeps()));
	print("D1 of a judged submission, at most", `${COUNTED.d1Calls} calls, ${COUNTED.d1RowsWritten} rows (test/api/rows-written.test.ts)`);
	print("days until D1 is full at 10,000 a day", String(daysUntilFull(10_000)));
	const names = listSettings(settings).map(({ variable }) => variable);
	print("settings", String(names.length));
	print(
		"trips in sequence of a cold quick-submit",
		`${COLD_QUICK_SUBMIT.d1_calls + COLD_QUICK_SUBMIT.object_calls} (test/api/budgets.test.ts)`,
	);
	for (const [kind, files] of Object.entries(countNamingFiles(src, names))) print(`files of src that name one ${kind}`, files);
	print("one-use interfaces in src", String(findOneUseInterfaces(src).length));
	print(`files of src with over ${MANY_IMPORTS} imports`, String(src.filter(({ text }) => countImports(text) > MANY_IMPORTS).length));
	for (const [name, figure] of Object.entries(await measureWorker())) print(name, figure);
});

/** Measures the walks of a reader who wants to know how a submission arrives and how its evaluation ends. */
function measureWalks(): Record<string, string> {
	const sources = openSources();
	const describe = (path: string, name: string) => {
		const { rooms, returns } = walkFrom(sources, `src/core/competition/${path}`, name);
		return `${rooms.length} rooms, ${returns} returns (${rooms.map((room) => room.split("/").at(-1)).join(", ")})`;
	};
	return {
		"features that submitting walks through": describe("submissions/quick-submit.ts", "submitFiles"),
		"features at the end of an evaluation": describe("evaluation/loop.ts", "finishJob"),
	};
}

function print(name: string, figure: string): void {
	console.log(`${name.padEnd(42)}${figure}`);
}

function readFiles(pattern: string): SourceFile[] {
	return globSync(pattern, { cwd: PROJECT_ROOT, exclude: NOT_BY_HAND }).map((path) => ({
		path,
		text: readFileSync(join(PROJECT_ROOT, path), "utf8"),
	}));
}

function countLines(files: readonly SourceFile[]): number {
	return files.reduce((sum, { text }) => sum + text.split("\n").length - (text.endsWith("\n") ? 1 : 0), 0);
}

/** Counts tables and triggers, without the internal tables of a full-text index. */
function describeDatabase(db: DatabaseSync): string {
	const count = (query: string) => db.prepare(query).all().length;
	const tables = count(
		"select 1 from pragma_table_list where schema = 'main' and type in ('table', 'virtual') and name not like 'sqlite_%'",
	);
	return `${tables} tables, ${count("select 1 from sqlite_schema where type = 'trigger'")} triggers`;
}

/** Counts the sweeps: each entry of the table in src/queues/sweeps.ts is one. */
function countSweeps(): number {
	const [, table] =
		/^const SWEEPS\b.*= \{\n([\s\S]*?)^\};/m.exec(readFileSync(join(PROJECT_ROOT, "src", "queues", "sweeps.ts"), "utf8")) ?? [];
	if (table === undefined) throw new CommandError("src/queues/sweeps.ts has no table of sweeps.");
	return (table.match(/^\t\w+:/gm) ?? []).length;
}

function countImports(text: string): number {
	return (text.match(/^import\b[^;]*;/gm) ?? []).length;
}

/** Finds the interfaces that are used in only one place, where they could be written instead. */
function findOneUseInterfaces(files: readonly SourceFile[]): string[] {
	const codes = files.map(({ path, text }) => ({ path, code: removeImportsAndComments(text) }));
	const everywhere = codes.map(({ code }) => code).join("\n");
	return codes.flatMap(({ path, code }) =>
		[...code.matchAll(/^(export )?interface (\w+)/gm)]
			.filter(([, isExported, name = ""]) => countWord(isExported === undefined ? code : everywhere, name) === 2)
			.map(([, , name]) => `${path} ${name}`),
	);
}

/** Counts the files that name one endpoint, event, mode or setting, because the next one of its kind will touch as many. */
function countNamingFiles(src: readonly SourceFile[], variables: readonly string[]): Record<string, string> {
	const endpoints = src.flatMap(({ text }) => [...text.matchAll(/^export const (\w+) = endpoint\(/gm)].map(([, name = ""]) => name));
	const describe = (names: readonly string[], patternOf: (name: string) => string) => {
		const counts = names.map((name) => src.filter(({ text }) => new RegExp(patternOf(name)).test(text)).length).toSorted((a, b) => a - b);
		return `${counts[counts.length >> 1]} (median of ${counts.length}, at most ${counts.at(-1)})`;
	};
	return {
		endpoint: describe(endpoints, (name) => `\\b${name}\\b`),
		event: describe(Object.keys(EVENTS), (name) => `"${name.replace(".", "\\.")}"`),
		mode: describe(Object.keys(MODES), (name) => `"${name}"|\\b${name}: `),
		setting: describe(variables, (name) => `\\b${name}\\b`),
	};
}

function removeImportsAndComments(text: string): string {
	return text.replace(/^import\b[^;]*;/gm, "").replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
}

function countWord(text: string, word: string): number {
	return (text.match(new RegExp(`\\b${word}\\b`, "g")) ?? []).length;
}

/** Measures the Worker: wrangler builds it, starts it in the local runtime and profiles it. Times depend on this machine. */
async function measureWorker(): Promise<Record<string, string>> {
	const folder = await mkdtemp(join(tmpdir(), "bounty-platform-figures-"));
	try {
		const args = ["check", "startup", "--args=--containers-rollout=none --minify", "--outfile", join(folder, "start.cpuprofile")];
		// The custom build rejects what looks like an upload. This command uploads nothing.
		const { ok, output } = await askWrangler({ args, env: { PLATFORM_DEPLOYS: "true" } });
		const [, raw, gzip] = /Bundle: ([\d.]+ KiB) \/ gzip: ([\d.]+ KiB)/.exec(output) ?? [];
		const [, active] = /Active: ([\d.]+ ms)/.exec(output) ?? [];
		if (!ok || raw === undefined || active === undefined) throw new CommandError(`wrangler check startup failed:\n\n${output}`);
		return { "bundle of the Worker": `${raw}, gzip ${gzip}`, "start-up on this machine": active };
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}

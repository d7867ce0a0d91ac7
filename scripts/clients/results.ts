// Stores the latest result of each client in docs/clients.json. Two pages show the results as tables.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { PROJECT_ROOT } from "../support/wrangler.ts";

const RESULTS = join(PROJECT_ROOT, "docs", "clients.json");
/** The page and the heading of each table, which continues to the next empty line. */
const TABLES = {
	generator: { page: "api/clients", heading: "| Generator | Options | Compiles and runs, even with new fields |\n|---|---|---|\n" },
	framework: { page: "guides/mcp", heading: "| Framework | Tools | Completes all steps |\n|---|---|---|\n" },
} as const;

const result = z.object({
	name: z.string(),
	kind: z.enum(["generator", "framework"]),
	tool: z.string(),
	options: z.string(),
	isWorking: z.boolean(),
	date: z.string(),
});

export type Result = z.infer<typeof result>;

export async function readResults(): Promise<Result[]> {
	return z.array(result).parse(JSON.parse(await readFile(RESULTS, "utf8").catch(() => "[]")));
}

/** Stores new results. Keeps those of clients that were not played this time. `order` has the names of all clients. */
export async function storeResults(played: readonly Result[], order: readonly string[]): Promise<void> {
	const known = new Map([...(await readResults()), ...played].map((each) => [each.name, each]));
	const results = order.flatMap((name) => known.get(name) ?? []);
	await writeFile(RESULTS, `${JSON.stringify(results, null, 2)}\n`);
	for (const kind of ["generator", "framework"] as const) {
		const page = pageOf(kind);
		await writeFile(page, withTable(await readFile(page, "utf8"), kind, results));
	}
}

/** Returns the path of the page that has the table. */
export function pageOf(kind: Result["kind"]): string {
	return join(PROJECT_ROOT, "docs", "pages", `${TABLES[kind].page}.mdx`);
}

/**
 * Returns the page with a new table.
 *
 * @throws Error if the page has no such table.
 */
export function withTable(page: string, kind: Result["kind"], results: readonly Result[]): string {
	const { heading } = TABLES[kind];
	const start = page.indexOf(heading);
	if (start === -1) throw new Error(`${pageOf(kind)} has no table that begins with ${heading}.`);
	const rows = results.filter((each) => each.kind === kind);
	const table = rows.map(({ tool, options, isWorking, date }) => `| ${tool} | ${options} | ${isWorking ? "yes" : "no"}, ${date} |\n`);
	return page.slice(0, start + heading.length) + table.join("") + page.slice(page.indexOf("\n\n", start) + 1);
}

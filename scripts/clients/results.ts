// docs/clients.json has the last result of each client, and the page of generators shows them as a table.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { PROJECT_ROOT } from "../support/wrangler.ts";

const RESULTS = join(PROJECT_ROOT, "docs", "clients.json");
const PAGE = join(PROJECT_ROOT, "docs", "pages", "api", "clients.mdx");
/** The table is between its heading and the next empty line. */
const HEADING = "| Generator | Options | Compiles, plays the loop, also with new fields |\n|---|---|---|\n";

const result = z.object({
	name: z.string(),
	tool: z.string(),
	options: z.string(),
	/** `lacking` if the machine does not have what the client needs. */
	outcome: z.enum(["works", "failed", "lacking"]),
	/** What failed, with the last lines of its output, or what the machine lacks. */
	why: z.string(),
	date: z.string(),
});

export type Result = z.infer<typeof result>;

export async function readResults(): Promise<Result[]> {
	return z.array(result).parse(JSON.parse(await readFile(RESULTS, "utf8").catch(() => "[]")));
}

/** Keeps the results of clients that were not played now. `order` has the names of all clients. */
export async function storeResults(played: readonly Result[], order: readonly string[]): Promise<void> {
	const known = new Map(
		[...(await readResults()), ...played.filter(({ outcome }) => outcome !== "lacking")].map((each) => [each.name, each]),
	);
	const results = order.flatMap((name) => known.get(name) ?? []);
	await writeFile(RESULTS, `${JSON.stringify(results, null, 2)}\n`);
	await writeFile(PAGE, withTable(await readFile(PAGE, "utf8"), results));
}

/** Returns the page with its table written anew. @throws Error if the page has no such table. */
export function withTable(page: string, results: readonly Result[]): string {
	const start = page.indexOf(HEADING);
	if (start === -1) throw new Error(`The page of generators has no table that begins with ${HEADING}.`);
	const rows = start + HEADING.length;
	const table = results.map(
		({ tool, options, outcome, date }) => `| ${tool} | ${options} | ${outcome === "works" ? "yes" : "no"}, ${date} |\n`,
	);
	return page.slice(0, rows) + table.join("") + page.slice(page.indexOf("\n", page.indexOf("\n\n", start)));
}

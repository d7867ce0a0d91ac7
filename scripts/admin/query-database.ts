import { z } from "zod";
import { environmentArguments } from "../deploy/options.ts";
import { CommandError } from "../support/command.ts";
import { missingDatabase, openLocalDatabase } from "../support/local-database.ts";
import { askWrangler } from "../support/wrangler.ts";
import type { DatabaseTarget } from "./command.ts";

/** The platform on this machine writes to the same file, which serves one writer at a time. */
const LOCK_TIMEOUT_MS = 60_000;

/**
 * Names the database of a deployment.
 *
 * @param environment Null for the top level of wrangler.toml.
 */
export function remoteDatabase(environment: string | null): DatabaseTarget {
	return { remote: ["--remote", "--yes", ...environmentArguments(environment)] };
}

interface Query<Row extends z.ZodType> {
	readonly sql: string;
	/** The schema of each row of the result. */
	readonly row: Row;
}

/**
 * Runs one statement without parameters, so every value in it must have been checked to contain no quote.
 *
 * @throws CommandError if the database is missing or returns an error.
 */
export async function queryDatabase<Row extends z.ZodType>({ sql, row }: Query<Row>, target: DatabaseTarget): Promise<z.output<Row>[]> {
	const schema = z.array(row);
	if ("stateDir" in target) return schema.parse(queryFile(target.stateDir, sql));
	const { ok, stdout, output } = await askWrangler({ args: ["d1", "execute", "DB", ...target.remote, "--json", "--command", sql] });
	if (ok) return z.tuple([z.object({ results: schema })]).parse(JSON.parse(stdout))[0].results;
	if (output.includes("no such table")) throw new CommandError("The deployed database has no tables yet. Run npm run deploy first.");
	throw new CommandError(`The database could not be reached. ${readFault(stdout) ?? output}`);
}

/** Reads the file directly, because wrangler would start a runtime for each statement, which takes seconds. */
function queryFile(stateDir: string, sql: string): unknown[] {
	try {
		const db = openLocalDatabase(stateDir, "DB", { timeout: LOCK_TIMEOUT_MS });
		try {
			return db.prepare(sql).all();
		} finally {
			db.close();
		}
	} catch (error) {
		const fault = error instanceof Error ? error.message : String(error);
		if (!/no such table|unable to open/.test(fault)) throw new CommandError(`The database could not be reached. ${fault}`);
		throw missingDatabase(stateDir);
	}
}

/** Reads the fault from JSON, because wrangler with --json also writes its errors as JSON. */
function readFault(stdout: string): string | null {
	try {
		return z.object({ error: z.object({ text: z.string() }) }).parse(JSON.parse(stdout)).error.text;
	} catch {
		return null;
	}
}

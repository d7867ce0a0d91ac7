import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { environmentArguments } from "../deploy/options.ts";
import { CommandError } from "../support/command.ts";
import { askWrangler, type WranglerResult } from "../support/wrangler.ts";
import type { DatabaseTarget } from "./command.ts";

const LOCKED = /database is locked|SQLITE_BUSY|Failed to get session commit token/i;
const MAX_TRIES = 16;
const LOCK_WAIT_MS = 250;

/** Names the database of a platform on this machine. */
export function localDatabase(stateDir: string): DatabaseTarget {
	return ["--local", "--persist-to", stateDir];
}

/**
 * Names the database of a deployment.
 *
 * @param environment Null for the top level of wrangler.toml.
 */
export function remoteDatabase(environment: string | null): DatabaseTarget {
	return ["--remote", "--yes", ...environmentArguments(environment)];
}

interface Query<Row extends z.ZodType> {
	readonly sql: string;
	/** Each row of the result has this schema. */
	readonly row: Row;
}

/**
 * Runs one statement. It takes no parameters, so every value in it must have been checked to hold no quote.
 *
 * @throws CommandError when the database is absent or refuses.
 */
export async function queryDatabase<Row extends z.ZodType>({ sql, row }: Query<Row>, target: DatabaseTarget): Promise<z.output<Row>[]> {
	const { ok, stdout, output } = await askInTurn(["d1", "execute", "DB", ...target, "--json", "--command", sql]);
	if (ok) return z.tuple([z.object({ results: z.array(row) })]).parse(JSON.parse(stdout))[0].results;
	if (output.includes("no such table")) {
		throw new CommandError(
			target.includes("--remote")
				? "The deployed database has no tables yet. Run npm run deploy first."
				: "There is no database in this state folder yet. Run npm start once, with the same STATE_DIR.",
		);
	}
	throw new CommandError(`The database could not be reached. ${readFault(stdout) ?? output}`);
}

/** Repeats the command while the local server writes to the same file. Every statement of the commands may run twice. */
async function askInTurn(args: readonly string[]): Promise<WranglerResult> {
	for (let tried = 1; ; tried += 1) {
		const result = await askWrangler({ args });
		if (result.ok || !LOCKED.test(result.output) || tried >= MAX_TRIES) return result;
		await delay(tried * LOCK_WAIT_MS);
	}
}

/** With --json, wrangler writes its errors as JSON too. */
function readFault(stdout: string): string | null {
	try {
		return z.object({ error: z.object({ text: z.string() }) }).parse(JSON.parse(stdout)).error.text;
	} catch {
		return null;
	}
}

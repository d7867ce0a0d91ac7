import { z } from "zod";
import { type Account, openAccount } from "../deploy/cloudflare.ts";
import { CommandError } from "../support/command.ts";
import { missingDatabase, openLocalDatabase } from "../support/local-database.ts";
import type { DatabaseTarget } from "./command.ts";

/** How long to wait for the database, because the platform on this machine writes to the same file, which allows one writer at a time. */
const LOCK_TIMEOUT_MS = 60_000;

interface Query<Row extends z.ZodType> {
	readonly sql: string;
	readonly row: Row;
}

/**
 * Runs one statement without parameters. The caller must have checked that no value in it contains a quote.
 *
 * @throws CommandError if the database is missing or returns an error.
 */
export async function queryDatabase<Row extends z.ZodType>({ sql, row }: Query<Row>, target: DatabaseTarget): Promise<z.output<Row>[]> {
	const schema = z.array(row);
	return schema.parse(await ("stateDir" in target ? queryFile(target.stateDir, sql) : queryDeployment(target.environment, sql)));
}

const databases = new Map<string | null, Promise<DeployedDatabase>>();

interface DeployedDatabase {
	readonly account: Account;
	/** The path of the database in Cloudflare's API. */
	readonly path: string;
}

/** Queries the database through Cloudflare's API, because wrangler would start for each statement, which takes a second. */
async function queryDeployment(environment: string | null, sql: string): Promise<unknown[]> {
	const opened = databases.get(environment) ?? openDeployed(environment);
	databases.set(environment, opened);
	const { account, path } = await opened;
	const answer = await account.ask({ method: "POST", path: `${path}/query`, body: { sql } }, results).catch((error: unknown) => {
		const fault = error instanceof Error ? error.message : String(error);
		if (fault.includes("no such table")) throw notDeployed();
		throw new CommandError(`The database could not be reached. ${fault}`);
	});
	return answer?.[0].results ?? [];
}

const results = z.tuple([z.object({ results: z.array(z.unknown()) })]);

/** Finds the deployed database. Loads the reader of the configuration only here, because loading it also takes a second. */
async function openDeployed(environment: string | null): Promise<DeployedDatabase> {
	const { readDeployment } = await import("../deploy/preparation.ts");
	const name = readDeployment(environment).databases.find(({ binding }) => binding === "DB")?.name ?? "";
	const account = await openAccount();
	const found = await account.ask({ method: "GET", path: `/d1/database/${name}` }, z.object({ uuid: z.string() }));
	if (found === null) throw notDeployed();
	return { account, path: `/d1/database/${found.uuid}` };
}

function notDeployed(): CommandError {
	return new CommandError("The deployed database has no tables yet. Run npm run deploy first.");
}

/** Queries the database's file, because wrangler would start a runtime for each statement, which takes seconds. */
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

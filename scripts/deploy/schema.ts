// Updates the schema of the deployed databases.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { z } from "zod";
import { findDestructive } from "../migration/destructive.ts";
import { CommandError } from "../support/command.ts";
import { type Binding, listMigrations, MIGRATION_FOLDERS } from "../support/databases.ts";
import { askWrangler, requireWrangler } from "../support/wrangler.ts";
import type { Account } from "./cloudflare.ts";
import { environmentArguments } from "./options.ts";
import type { Database } from "./preparation.ts";

/** The table in which wrangler records what it has applied. The statement is wrangler's own. */
const LEDGER = `CREATE TABLE IF NOT EXISTS d1_migrations(
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	name TEXT UNIQUE,
	applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
);`;

/**
 * Checks the migrations that the databases lack, before a deployment builds or changes anything.
 *
 * @throws CommandError if one removes something.
 */
export async function assertNothingRemoved(databases: readonly Database[], account: Account): Promise<void> {
	for (const database of databases) await assertAdditive(await listPending(database, account));
}

/**
 * Applies the migrations that the deployed databases lack. wrangler sends each migration as one text, which the server splits into
 * statements. If the server splits it wrongly, nothing is applied, and the migration is sent to the import endpoint, which splits
 * differently.
 *
 * @throws CommandError if a migration cannot be applied in either way.
 */
export async function updateSchema(environment: string | null, databases: readonly Database[], account: Account): Promise<void> {
	const env = environmentArguments(environment);
	for (const database of databases) if ((await listPending(database, account)).length > 0) await migrate(database, { account, env });
}

/** A file of statements for one of the databases. */
interface Migration {
	readonly binding: Binding;
	readonly file: string;
}

const pathOf = ({ binding, file }: Migration): string => join(MIGRATION_FOLDERS[binding], file);
const nameOf = ({ binding, file }: Migration): string => `${basename(MIGRATION_FOLDERS[binding])}/${file}`;

async function migrate(database: Database, { account, env }: { account: Account; env: readonly string[] }): Promise<void> {
	const { ok, output } = await askWrangler({ args: ["d1", "migrations", "apply", database.binding, "--remote", ...env] });
	if (ok) return;
	const missing = await listPending(database, account);
	if (missing.length === 0) return;
	console.warn(`wrangler could not apply ${missing.map(nameOf).join(", ")}:\n\n${output}\n\nTrying the import of SQL files instead.`);
	for (const migration of missing) await importMigration(migration, env);
}

const ledgerRows = z.array(z.object({ results: z.array(z.object({ name: z.string() })) }));

/** Lists the migrations that are missing from the ledger, in their order. A database that was never deployed has no ledger. */
async function listPending({ binding, uuid }: Database, account: Account): Promise<Migration[]> {
	const body = { sql: `${LEDGER} SELECT name FROM d1_migrations;` };
	const rows = await account.ask({ method: "POST", path: `/d1/database/${uuid}/query`, body }, ledgerRows);
	const applied = rows?.flatMap(({ results }) => results.map(({ name }) => name)) ?? [];
	return listMigrations(MIGRATION_FOLDERS[binding]).flatMap((file) => (applied.includes(file) ? [] : [{ binding, file }]));
}

async function assertAdditive(migrations: readonly Migration[]): Promise<void> {
	for (const migration of migrations) {
		const [first] = await findFaults(migration);
		if (first === undefined) continue;
		throw new CommandError(
			`${nameOf(migration)} removes what the running version may still use:

  ${first}

Nothing was changed. First deploy a version that does not use it; then pass --allow-destructive with the migration.`,
		);
	}
}

async function findFaults({ binding, file }: Migration): Promise<string[]> {
	const files = listMigrations(MIGRATION_FOLDERS[binding]);
	const [sql = "", ...earlier] = await Promise.all(
		[file, ...files.slice(0, files.indexOf(file))].map((name) => readFile(pathOf({ binding, file: name }), "utf8")),
	);
	return findDestructive(earlier, sql);
}

/** Imports a migration together with its entry in the ledger, so that a failed import leaves neither. */
async function importMigration(migration: Migration, env: readonly string[]): Promise<void> {
	const { binding, file } = migration;
	const folder = await mkdtemp(join(tmpdir(), "bounty-platform-migration-"));
	try {
		const path = join(folder, file);
		const sql = await readFile(pathOf(migration), "utf8");
		await writeFile(path, `${sql}\nINSERT INTO d1_migrations (name) VALUES ('${file}');\n`);
		await requireWrangler("d1", "execute", binding, "--remote", "--yes", "--file", path, ...env);
		console.log(`Imported ${nameOf(migration)}.`);
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}

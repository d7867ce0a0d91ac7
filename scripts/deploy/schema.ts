// The schema of the deployed database.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { listMigrations, MIGRATIONS } from "../migration/database.ts";
import { findDestructive } from "../migration/destructive.ts";
import { CommandError } from "../support/command.ts";
import { askWrangler, requireWrangler } from "../support/wrangler.ts";
import { environmentArguments } from "./options.ts";

/** wrangler's record of what it has applied. The statement is wrangler's own. */
const LEDGER = `CREATE TABLE IF NOT EXISTS d1_migrations(
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	name TEXT UNIQUE,
	applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
);`;

interface SchemaOptions {
	readonly environment: string | null;
	readonly allowsDestructive: boolean;
}

/**
 * Applies the migrations that the deployed database has not seen.
 *
 * wrangler sends each migration as one text, which the server splits into statements. Where it splits one wrongly, nothing of that
 * migration is applied; the file then goes to the import endpoint, which has a splitter of its own.
 *
 * @throws CommandError when a migration takes something away, or when neither way applies it.
 */
export async function updateSchema({ environment, allowsDestructive }: SchemaOptions): Promise<void> {
	const env = environmentArguments(environment);
	const pending = await listPending(env);
	if (!allowsDestructive) await assertAdditive(pending);
	const { ok, output } = await askWrangler({ args: ["d1", "migrations", "apply", "DB", "--remote", ...env] });
	if (ok) return;
	const missing = await listPending(env);
	if (missing.length === 0) return;
	console.warn(`wrangler could not apply ${missing.join(", ")}:\n\n${output}\n\nTrying the import of SQL files instead.`);
	for (const file of missing) await importMigration(file, env);
}

/** Migrations that are not in the ledger, in their order. A database that was never deployed has no ledger. */
async function listPending(env: readonly string[]): Promise<string[]> {
	const sql = `${LEDGER} SELECT name FROM d1_migrations;`;
	const stdout = await requireWrangler("d1", "execute", "DB", "--remote", "--yes", "--json", "--command", sql, ...env);
	const applied = z
		.array(z.object({ results: z.array(z.object({ name: z.string() })) }))
		.parse(JSON.parse(stdout))
		.flatMap(({ results }) => results.map(({ name }) => name));
	return listMigrations(MIGRATIONS).filter((file) => !applied.includes(file));
}

async function assertAdditive(files: readonly string[]): Promise<void> {
	for (const file of files) {
		const [statement] = findDestructive(await readFile(join(MIGRATIONS, file), "utf8"));
		if (statement === undefined) continue;
		throw new CommandError(
			`migrations/${file} takes away what the running version may still use:

  ${statement.slice(0, 200)}

Nothing was changed. First deploy a version that does not use it; then pass --allow-destructive with the migration.`,
		);
	}
}

/** Together with its entry of the ledger, so that a failed import leaves neither. */
async function importMigration(file: string, env: readonly string[]): Promise<void> {
	const folder = await mkdtemp(join(tmpdir(), "bounty-platform-migration-"));
	try {
		const path = join(folder, file);
		const sql = await readFile(join(MIGRATIONS, file), "utf8");
		await writeFile(path, `${sql}\nINSERT INTO d1_migrations (name) VALUES ('${file}');\n`);
		await requireWrangler("d1", "execute", "DB", "--remote", "--yes", "--file", path, ...env);
		console.log(`Imported migrations/${file}.`);
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}

// The schema of the local database.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync, type DatabaseSyncOptions } from "node:sqlite";
import { z } from "zod";
import { PROJECT_ROOT, requireWrangler } from "./wrangler.ts";

/** Where the local runtime keeps D1 databases, below the state folder. */
const DATABASES = join("v3", "d1", "miniflare-D1DatabaseObject");
const migrationRows = z.array(z.object({ name: z.string() }));

/**
 * Brings the local database's schema up to date. Starts wrangler only when a migration is missing, because that takes seconds.
 *
 * @throws CommandError with wrangler's own words when a migration fails.
 */
export async function migrateLocally(stateDir: string): Promise<void> {
	const migrations = readdirSync(join(PROJECT_ROOT, "migrations")).filter((name) => name.endsWith(".sql"));
	const applied = readApplied(stateDir);
	if (migrations.every((name) => applied.has(name))) return;
	await requireWrangler("d1", "migrations", "apply", "DB", "--local", "--persist-to", stateDir);
}

/**
 * Opens the local database.
 *
 * @throws Error unless there is exactly one: with several, the file name does not show which one is ours.
 */
export function openLocalDatabase(stateDir: string, options: DatabaseSyncOptions = {}): DatabaseSync {
	const folder = join(stateDir, DATABASES);
	const [file, ...others] = readdirSync(folder).filter((name) => /^[0-9a-f]{64}\.sqlite$/.test(name));
	if (file === undefined || others.length > 0) throw new Error(`There is not one database in ${folder}.`);
	return new DatabaseSync(join(folder, file), options);
}

/** Names of the applied migrations. Empty where they cannot be read: wrangler then finds out by itself. */
function readApplied(stateDir: string): Set<string> {
	try {
		const db = openLocalDatabase(stateDir, { readOnly: true });
		try {
			return new Set(migrationRows.parse(db.prepare("select name from d1_migrations").all()).map(({ name }) => name));
		} finally {
			db.close();
		}
	} catch {
		return new Set();
	}
}

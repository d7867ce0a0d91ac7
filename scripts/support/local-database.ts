// Finds the files of the local databases, and updates their schema.
import { createHash, createHmac } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync, type DatabaseSyncOptions } from "node:sqlite";
import { z } from "zod";
import { CommandError } from "./command.ts";
import { BINDINGS, type Binding, listMigrations, MIGRATION_FOLDERS } from "./databases.ts";
import { recordMigrations } from "./state-record.ts";
import { requireWrangler } from "./wrangler.ts";

/** The databases are Durable Objects of the local runtime, in a folder with this name. */
const OBJECTS = "miniflare-D1DatabaseObject";
const HALF_ID_BYTES = 16;
const migrationRows = z.array(z.object({ name: z.string() }));

/**
 * Updates the schema of the local databases. It starts wrangler only for those that lack a migration, because that takes seconds.
 *
 * @throws CommandError if the data belongs to another version of the project, or with wrangler's own words if a migration fails.
 */
export async function migrateLocally(stateDir: string): Promise<void> {
	recordMigrations(stateDir, { hasData: existsSync(pathOf(stateDir, "DB")) });
	for (const binding of BINDINGS) {
		const applied = readApplied(stateDir, binding);
		if (listMigrations(MIGRATION_FOLDERS[binding]).every((name) => applied.has(name))) continue;
		await requireWrangler("d1", "migrations", "apply", binding, "--local", "--persist-to", stateDir);
	}
}

/**
 * Opens a local database.
 *
 * @throws Error if it does not exist yet.
 */
export function openLocalDatabase(stateDir: string, binding: Binding, options: DatabaseSyncOptions = {}): DatabaseSync {
	return new DatabaseSync(pathOf(stateDir, binding), options);
}

function pathOf(stateDir: string, binding: Binding): string {
	return join(databaseFolder(stateDir), `${objectIdOf(binding)}.sqlite`);
}

/** @throws CommandError if no platform has run on this state folder, because an empty database would look like a platform without data. */
export function assertHasDatabase(stateDir: string): void {
	if (!existsSync(pathOf(stateDir, "DB"))) throw missingDatabase(stateDir);
}

export function missingDatabase(stateDir: string): CommandError {
	return new CommandError(`There is no database in ${stateDir} yet. Run npm start once, with the same STATE_DIR.`);
}

/** Returns the folder that contains the files of the databases. The runtime creates it. */
export function databaseFolder(stateDir: string): string {
	return join(stateDir, "v3", "d1", OBJECTS);
}

/**
 * Returns the id of an object.
 * Miniflare derives it from the object's name, which is the binding of a database without an id in wrangler.toml.
 */
function objectIdOf(binding: Binding): string {
	const key = createHash("sha256").update(OBJECTS).digest();
	const sign = (data: string | Buffer) => createHmac("sha256", key).update(data).digest().subarray(0, HALF_ID_BYTES);
	const name = sign(binding);
	return Buffer.concat([name, sign(name)]).toString("hex");
}

/** Returns the names of the applied migrations. Returns none if they cannot be read, because wrangler then finds them out by itself. */
function readApplied(stateDir: string, binding: Binding): Set<string> {
	try {
		const db = openLocalDatabase(stateDir, binding, { readOnly: true });
		try {
			return new Set(migrationRows.parse(db.prepare("select name from d1_migrations").all()).map(({ name }) => name));
		} finally {
			db.close();
		}
	} catch {
		return new Set();
	}
}

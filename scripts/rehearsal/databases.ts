// Opens the databases of local platforms, which are files that the imitation of Cloudflare's API reads and writes.
import { mkdir } from "node:fs/promises";
import type { DatabaseSync } from "node:sqlite";
import { BINDINGS, type Binding } from "../support/databases.ts";
import { databaseFolder, openLocalDatabase } from "../support/local-database.ts";

const LOCK_TIMEOUT_MS = 10_000;

/** Creates the empty databases of a platform that has never started. */
export async function createDatabases(stateDir: string): Promise<void> {
	await mkdir(databaseFolder(stateDir), { recursive: true });
	for (const binding of BINDINGS) {
		const db = openDatabase(stateDir, binding);
		// The runtime uses this mode, and cannot switch to it while another process has the file open.
		db.exec("PRAGMA journal_mode = WAL");
		db.close();
	}
}

/** Opens a database in a state folder, which a platform may be using. */
export function openDatabase(stateDir: string, binding: Binding = "DB"): DatabaseSync {
	return openLocalDatabase(stateDir, binding, { timeout: LOCK_TIMEOUT_MS });
}

/** Returns the names of the applied migrations, in their order. */
export function listApplied(db: DatabaseSync): string[] {
	return db
		.prepare("SELECT name FROM d1_migrations ORDER BY id")
		.all()
		.map(({ name }) => String(name));
}

// Opens the databases of local platforms, which are files that the imitation of Cloudflare's API reads and writes.
import type { DatabaseSync } from "node:sqlite";
import { BINDINGS, type Binding } from "../support/databases.ts";
import { openLocalDatabase } from "../support/local-database.ts";
import { requireWrangler } from "../support/wrangler.ts";

const LOCK_TIMEOUT_MS = 10_000;

/** Creates the empty databases of a platform that has never started. */
export async function createDatabases(stateDir: string): Promise<void> {
	for (const binding of BINDINGS) {
		await requireWrangler("d1", "execute", binding, "--local", "--persist-to", stateDir, "--command", "SELECT 1");
	}
}

/** Opens a database in a state folder, which a platform may be using. */
export function openDatabase(stateDir: string, binding: Binding = "DB"): DatabaseSync {
	return openLocalDatabase(stateDir, binding, { timeout: LOCK_TIMEOUT_MS });
}

/** Returns names of the applied migrations, in their order. */
export function listApplied(db: DatabaseSync): string[] {
	return db
		.prepare("SELECT name FROM d1_migrations ORDER BY id")
		.all()
		.map(({ name }) => String(name));
}

// Lists the D1 databases of a deployment, as wrangler.toml binds them, and their migrations.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { PROJECT_ROOT } from "./wrangler.ts";

export const BINDINGS = ["DB", "SEARCH"] as const;

export type Binding = (typeof BINDINGS)[number];

/** The migrations of the search index are written by hand. */
export const MIGRATION_FOLDERS: Readonly<Record<Binding, string>> = {
	DB: join(PROJECT_ROOT, "migrations"),
	SEARCH: join(PROJECT_ROOT, "migrations-search"),
};

/** Returns the names of the migration files, in the order in which they are applied. */
export function listMigrations(folder: string): string[] {
	return readdirSync(folder)
		.filter((file) => file.endsWith(".sql"))
		.toSorted();
}

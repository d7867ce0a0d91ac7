// Lists the databases of a deployment and their migrations: those of D1, as wrangler.toml binds them, and those of each object.
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

/** Each object has a database of its own, which it migrates when it wakes. */
export const OBJECT_MIGRATIONS = {
	task: join(PROJECT_ROOT, "src", "db", "task", "migrations"),
	webhook: join(PROJECT_ROOT, "src", "core", "events", "webhooks", "object", "migrations"),
} as const;

/** Returns the names of the migration files, in the order in which they are applied. */
export function listMigrations(folder: string): string[] {
	return readdirSync(folder)
		.filter((file) => file.endsWith(".sql"))
		.toSorted();
}

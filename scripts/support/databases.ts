// Lists the databases of a deployment and their migrations: the D1 databases that wrangler.toml binds, and the databases of each object.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
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

/** Returns the SHA-256 of each migration, by its path in the project. */
export function hashMigrations(): Record<string, string> {
	const folders = [...Object.values(MIGRATION_FOLDERS), ...Object.values(OBJECT_MIGRATIONS)];
	const files = folders.flatMap((folder) => listMigrations(folder).map((file) => join(folder, file)));
	return Object.fromEntries(
		files.map((file) => [relative(PROJECT_ROOT, file), createHash("sha256").update(readFileSync(file)).digest("hex")]),
	);
}

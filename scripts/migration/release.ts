// Records the migrations of the last release. Deployments have applied them, so they never change again.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { VERSION } from "../../src/domain/version.ts";
import { CommandError } from "../support/command.ts";
import { hashMigrations } from "../support/databases.ts";
import { PROJECT_ROOT } from "../support/wrangler.ts";

const FILE = join(PROJECT_ROOT, "scripts", "migration", "released.json");

/** The SHA-256 of each migration, by its path in the project. */
const release = z.object({ version: z.string(), files: z.record(z.string(), z.string()) });

/** Reads what the last release recorded. Returns null before the first release. */
export function readRelease(): z.output<typeof release> | null {
	return existsSync(FILE) ? release.parse(JSON.parse(readFileSync(FILE, "utf8"))) : null;
}

/**
 * Records the current migrations as those of this version.
 *
 * @throws CommandError if a migration of the previous release has changed or is missing.
 */
export function recordRelease(): void {
	const files = hashMigrations();
	const changed = Object.entries(readRelease()?.files ?? {}).filter(([file, hash]) => files[file] !== hash);
	if (changed.length > 0) {
		throw new CommandError(`Deployments have applied these migrations, but they have changed: ${changed.map(([file]) => file).join(", ")}`);
	}
	writeFileSync(FILE, `${JSON.stringify({ version: VERSION, files }, null, 2)}\n`);
}

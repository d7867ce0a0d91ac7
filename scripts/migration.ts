// npm run migration -- --name what_changes: writes the migration from what the migrations produce now to what src/db describes.
// With --custom it starts an empty one, for statements that change rows.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { TABLES_WITHOUT_ROWID } from "../src/db/schema/without-rowid.ts";
import { composeMigration } from "./migration/compose.ts";
import { MIGRATIONS, openMigratedDatabase } from "./migration/database.ts";
import { CommandError, runCommand } from "./support/command.ts";
import { listMigrations } from "./support/databases.ts";
import { PROJECT_ROOT } from "./support/wrangler.ts";

const JOURNAL = join(MIGRATIONS, "meta", "_journal.json");

await runCommand(async () => {
	const { values } = parseArgs({ options: { name: { type: "string" }, custom: { type: "boolean", default: false } } });
	if (values.name === undefined || !/^\w+$/.test(values.name)) {
		throw new CommandError("Give the migration a name of letters, digits and underscores: npm run migration -- --name what_changes");
	}
	const db = openMigratedDatabase(MIGRATIONS);
	const journal = existsSync(JOURNAL) ? readFileSync(JOURNAL, "utf8") : null;
	const generated = generate(values.name, values.custom);
	try {
		const text = composeMigration(db, {
			generated: generated === null ? "" : readFileSync(join(MIGRATIONS, generated), "utf8"),
			triggersFile: readFileSync(join(PROJECT_ROOT, "src", "db", "triggers.sql"), "utf8"),
			tablesWithoutRowid: TABLES_WITHOUT_ROWID,
		});
		if (text === "") return;
		const file = generated ?? generate(values.name, true);
		if (file === null) throw new CommandError("drizzle-kit made no file for the changes of triggers.sql.");
		writeFileSync(join(MIGRATIONS, file), text);
		console.log(`Wrote migrations/${file}.`);
	} catch (error) {
		if (generated !== null) remove(generated, journal);
		throw error;
	}
});

/** Lets drizzle-kit write a migration and returns its file name; null when the tables have not changed. */
function generate(name: string, isCustom: boolean): string | null {
	const before = new Set(listMigrations(MIGRATIONS));
	const args = ["generate", "--name", name, ...(isCustom ? ["--custom"] : [])];
	const { status, error } = spawnSync(join(PROJECT_ROOT, "node_modules", ".bin", "drizzle-kit"), args, {
		cwd: PROJECT_ROOT,
		stdio: "inherit",
	});
	if (status !== 0) throw new CommandError(error?.message ?? "drizzle-kit generate failed. See its message above.");
	return listMigrations(MIGRATIONS).find((file) => !before.has(file)) ?? null;
}

/** Takes back what drizzle-kit wrote, so that a migration that cannot work leaves nothing behind. */
function remove(file: string, journal: string | null): void {
	rmSync(join(MIGRATIONS, file));
	rmSync(join(MIGRATIONS, "meta", `${file.split("_")[0]}_snapshot.json`));
	if (journal === null) rmSync(JOURNAL);
	else writeFileSync(JOURNAL, journal);
}

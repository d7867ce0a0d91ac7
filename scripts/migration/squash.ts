// Replaces all migrations of a database with one. A deployed database must keep its earlier migrations.
import { appendFileSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { listMigrations, OBJECT_MIGRATIONS } from "../support/databases.ts";
import { MIGRATIONS, openMigratedDatabase, readColumns, readTriggers } from "./database.ts";
import { BREAKPOINT } from "./rewrite-for-d1.ts";
import { bundleTaskMigrations, migrateDirectory, migrateTasks, migrateWebhooks } from "./write.ts";

const NAME = "initial";

/**
 * Writes one migration each for DB, the tasks' objects and the webhooks' objects. SEARCH has one file, written by hand.
 *
 * @throws CommandError if drizzle-kit or SQLite rejects the schema. The migrations then stay as they were.
 */
export function squashMigrations(): void {
	replaceMigrations(MIGRATIONS, squashDirectory);
	replaceMigrations(OBJECT_MIGRATIONS.task, () => migrateTasks(NAME));
	bundleTaskMigrations();
	replaceMigrations(OBJECT_MIGRATIONS.webhook, () => migrateWebhooks(NAME));
}

/** Triggers exist only in migrations, because drizzle does not know them, so the new migration repeats the earlier triggers. */
function squashDirectory(earlier: string): void {
	const triggers = readTriggers(openMigratedDatabase(earlier));
	migrateDirectory(NAME, { isCustom: false });
	const [file = ""] = listMigrations(MIGRATIONS);
	for (const { sql } of triggers) appendFileSync(join(MIGRATIONS, file), `${BREAKPOINT}\n${sql};\n`);
	compileTriggers(openMigratedDatabase(MIGRATIONS));
}

/**
 * Compiles each trigger. SQLite does this only with a statement that fires the trigger, so one that needs a missing column would otherwise
 * fail only in a deployment.
 */
function compileTriggers(db: DatabaseSync): void {
	for (const { table } of readTriggers(db)) {
		const columns = readColumns(db, table).map(({ name }) => `"${name}" = "${name}"`);
		for (const statement of [
			`update "${table}" set ${columns.join()}`,
			`delete from "${table}"`,
			`insert into "${table}" default values`,
		]) {
			db.prepare(statement);
		}
	}
}

/**
 * Replaces the migrations in a folder. If the SQL stays the same, the files stay as well, because drizzle-kit would give the snapshot a new
 * id.
 */
function replaceMigrations(folder: string, write: (earlier: string) => void): void {
	const earlier = `${folder}.earlier`;
	renameSync(folder, earlier);
	mkdirSync(folder);
	let isNew = false;
	try {
		write(earlier);
		isNew = readSql(folder) !== readSql(earlier);
	} finally {
		rmSync(isNew ? earlier : folder, { recursive: true });
		if (!isNew) renameSync(earlier, folder);
	}
}

function readSql(folder: string): string {
	return listMigrations(folder)
		.map((file) => `${file}\n${readFileSync(join(folder, file), "utf8")}`)
		.join("\n");
}

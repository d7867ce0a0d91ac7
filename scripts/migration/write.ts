// Writes migrations with drizzle-kit, and rewrites what D1 does not accept.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { TABLES_WITHOUT_ROWID } from "../../src/db/schema/without-rowid.ts";
import { CommandError } from "../support/command.ts";
import { listMigrations, OBJECT_MIGRATIONS } from "../support/databases.ts";
import { PROJECT_ROOT } from "../support/wrangler.ts";
import { MIGRATIONS, openMigratedDatabase } from "./database.ts";
import { rewriteForD1 } from "./rewrite-for-d1.ts";

const JOURNAL = join(MIGRATIONS, "meta", "_journal.json");
const TASK_BUNDLE = join(PROJECT_ROOT, "src", "db", "task", "migrations.generated.ts");

function generate(name: string, ...options: readonly string[]): void {
	const { status, error } = spawnSync(join(PROJECT_ROOT, "node_modules", ".bin", "drizzle-kit"), ["generate", "--name", name, ...options], {
		cwd: PROJECT_ROOT,
		stdio: "inherit",
	});
	if (status !== 0) throw new CommandError(error?.message ?? "drizzle-kit generate failed. See its message above.");
}

/** Writes a migration of DB. If the migration cannot work, leaves no file and throws. */
export function migrateDirectory(name: string, { isCustom }: { isCustom: boolean }): void {
	const before = listMigrations(MIGRATIONS);
	const db = openMigratedDatabase(MIGRATIONS);
	const journal = existsSync(JOURNAL) ? readFileSync(JOURNAL, "utf8") : null;
	generate(name, "--config", "scripts/migration/directory.config.ts", ...(isCustom ? ["--custom"] : []));
	const file = listMigrations(MIGRATIONS).find((candidate) => !before.includes(candidate));
	if (file === undefined || isCustom) return;
	const path = join(MIGRATIONS, file);
	try {
		writeFileSync(path, rewriteForD1(db, readFileSync(path, "utf8"), TABLES_WITHOUT_ROWID));
	} catch (error) {
		rmSync(path);
		rmSync(join(MIGRATIONS, "meta", `${file.split("_")[0]}_snapshot.json`));
		if (journal === null) rmSync(JOURNAL);
		else writeFileSync(JOURNAL, journal);
		throw error;
	}
}

export function migrateTasks(name: string): void {
	generate(name, "--config", "scripts/migration/task.config.ts");
	rmSync(join(OBJECT_MIGRATIONS.task, "migrations.js"), { force: true });
	bundleTaskMigrations();
}

/** Writes all migrations of the Task object into one module, because the object applies them when it wakes. */
export function bundleTaskMigrations(): void {
	const folder = OBJECT_MIGRATIONS.task;
	const texts = readdirSync(folder)
		.filter((file) => file.endsWith(".sql"))
		.toSorted()
		.map((file) => {
			const path = join(folder, file);
			const sql = withoutRowid(readFileSync(path, "utf8"));
			writeFileSync(path, sql);
			return `m${file.slice(0, 4)}: ${JSON.stringify(sql)},`;
		});
	const journal = readFileSync(join(folder, "meta", "_journal.json"), "utf8");
	const bundle = `// Written by npm run migration -- --of task.\nexport const taskMigrations = { journal: ${journal}, migrations: { ${texts.join("\n")} } };\n`;
	writeFileSync(TASK_BUNDLE, bundle);
	spawnSync(join(PROJECT_ROOT, "node_modules", ".bin", "biome"), ["format", "--write", TASK_BUNDLE]);
}

/** Adds WITHOUT ROWID, which drizzle cannot express, to tables with a text key. An insert then writes one row instead of two. */
function withoutRowid(sql: string): string {
	return sql.replace(/^CREATE TABLE [\s\S]*?\n\);$/gm, (table) =>
		/integer PRIMARY KEY/.test(table) ? table : table.replace(/\n\);$/, "\n) WITHOUT ROWID;"),
	);
}

export function migrateWebhooks(name: string): void {
	generate(name, "--config", "scripts/migration/webhooks.config.ts");
}

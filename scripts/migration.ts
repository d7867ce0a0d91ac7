// npm run migration -- --name what_changes writes the migration from the migrations' current result to the schema in src. --of names the
// database: DB (default), or the one of each `task` or `webhook` object. --custom starts an empty migration of DB, for triggers and for
// statements that change rows.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { TABLES_WITHOUT_ROWID } from "../src/db/schema/without-rowid.ts";
import { MIGRATIONS, openMigratedDatabase } from "./migration/database.ts";
import { rewriteForD1 } from "./migration/rewrite-for-d1.ts";
import { CommandError, runCommand } from "./support/command.ts";
import { listMigrations } from "./support/databases.ts";
import { PROJECT_ROOT } from "./support/wrangler.ts";

const JOURNAL = join(MIGRATIONS, "meta", "_journal.json");
const TASK_MIGRATIONS = join(PROJECT_ROOT, "src", "db", "task", "migrations");
const TASK_BUNDLE = join(PROJECT_ROOT, "src", "db", "task", "migrations.generated.ts");

await runCommand(async () => {
	const text = { type: "string" } as const;
	const { values } = parseArgs({ options: { name: text, of: { ...text, default: "DB" }, custom: { type: "boolean", default: false } } });
	const { name, of, custom } = values;
	if (name === undefined || !/^\w+$/.test(name)) {
		throw new CommandError("Give the migration a name of letters, digits and underscores: npm run migration -- --name what_changes");
	}
	if (of === "DB") migrateDirectory(name, custom);
	else if (of === "task") migrateTasks(name);
	else if (of === "webhook") generate(name, "--config", "drizzle-webhooks.config.ts");
	else throw new CommandError("--of takes DB, task or webhook.");
});

function generate(name: string, ...options: readonly string[]): void {
	const { status, error } = spawnSync(join(PROJECT_ROOT, "node_modules", ".bin", "drizzle-kit"), ["generate", "--name", name, ...options], {
		cwd: PROJECT_ROOT,
		stdio: "inherit",
	});
	if (status !== 0) throw new CommandError(error?.message ?? "drizzle-kit generate failed. See its message above.");
}

/** Writes a migration of DB. A migration that cannot work leaves no file. */
function migrateDirectory(name: string, isCustom: boolean): void {
	const before = listMigrations(MIGRATIONS);
	const db = openMigratedDatabase(MIGRATIONS);
	const journal = existsSync(JOURNAL) ? readFileSync(JOURNAL, "utf8") : null;
	generate(name, ...(isCustom ? ["--custom"] : []));
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

/** Bundles all migrations of the Task object into one module, because the object applies them when it wakes. */
function migrateTasks(name: string): void {
	generate(name, "--config", "drizzle.task.config.ts");
	rmSync(join(TASK_MIGRATIONS, "migrations.js"), { force: true });
	const texts = readdirSync(TASK_MIGRATIONS)
		.filter((file) => file.endsWith(".sql"))
		.toSorted()
		.map((file) => {
			const path = join(TASK_MIGRATIONS, file);
			const sql = withoutRowid(readFileSync(path, "utf8"));
			writeFileSync(path, sql);
			return `m${file.slice(0, 4)}: ${JSON.stringify(sql)},`;
		});
	const journal = readFileSync(join(TASK_MIGRATIONS, "meta", "_journal.json"), "utf8");
	const bundle = `// Written by npm run migration -- --of task.\nexport const taskMigrations = { journal: ${journal}, migrations: { ${texts.join("\n")} } };\n`;
	writeFileSync(TASK_BUNDLE, bundle);
	spawnSync(join(PROJECT_ROOT, "node_modules", ".bin", "biome"), ["format", "--write", TASK_BUNDLE]);
}

/** Adds WITHOUT ROWID, which drizzle cannot express. An insert into a table with a text key then writes one row instead of two. */
function withoutRowid(sql: string): string {
	return sql.replace(/^CREATE TABLE [\s\S]*?\n\);$/gm, (table) =>
		/integer PRIMARY KEY/.test(table) ? table : table.replace(/\n\);$/, "\n) WITHOUT ROWID;"),
	);
}

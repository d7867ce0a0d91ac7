// npm run task-migration -- --name what_changes: writes a migration of the Task object's database from its schema, and bundles all of
// them into one module. The object applies them when it wakes.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { CommandError, runCommand } from "./support/command.ts";
import { PROJECT_ROOT } from "./support/wrangler.ts";

const FOLDER = join(PROJECT_ROOT, "src", "db", "task", "migrations");
const BUNDLE = join(PROJECT_ROOT, "src", "db", "task", "migrations.generated.ts");

await runCommand(async () => {
	const { values } = parseArgs({ options: { name: { type: "string" } } });
	if (values.name === undefined) throw new CommandError("Give the migration a name: npm run task-migration -- --name what_changes");
	const args = ["generate", "--config", "drizzle.task.config.ts", "--name", values.name];
	const { status } = spawnSync(join(PROJECT_ROOT, "node_modules", ".bin", "drizzle-kit"), args, { cwd: PROJECT_ROOT, stdio: "inherit" });
	if (status !== 0) throw new CommandError("drizzle-kit generate failed. See its message above.");
	const files = readdirSync(FOLDER)
		.filter((file) => file.endsWith(".sql"))
		.toSorted();
	for (const file of files) {
		const path = join(FOLDER, file);
		writeFileSync(path, withoutRowid(readFileSync(path, "utf8")));
	}
	rmSync(join(FOLDER, "migrations.js"));
	writeFileSync(BUNDLE, bundle(files));
});

/** An insert into a table whose key is text then writes one row instead of two. drizzle cannot say so. */
function withoutRowid(sql: string): string {
	return sql.replace(/^CREATE TABLE [\s\S]*?\n\);$/gm, (table) =>
		/integer PRIMARY KEY/.test(table) ? table : table.replace(/\n\);$/, "\n) WITHOUT ROWID;"),
	);
}

/** The module that drizzle's migrator takes: the journal, and each file as text. */
function bundle(files: readonly string[]): string {
	const journal: unknown = JSON.parse(readFileSync(join(FOLDER, "meta", "_journal.json"), "utf8"));
	const texts = files.map((file) => `\t\tm${file.slice(0, 4)}: ${JSON.stringify(readFileSync(join(FOLDER, file), "utf8"))},`);
	return [
		"// Written by npm run task-migration.",
		"export const taskMigrations = {",
		`\tjournal: ${JSON.stringify(journal)},`,
		"\tmigrations: {",
		...texts,
		"\t},",
		"};",
		"",
	].join("\n");
}

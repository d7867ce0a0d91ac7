// npm run migration -- --name what_changes writes the migration to the schema in src. --of names the database: DB (default), `task` or
// `webhook`. --custom starts an empty migration of DB, for triggers and changes of rows. --release records all migrations as released, so
// they never change. --squash replaces them with one for each database, which is possible only before the first release.
import { parseArgs } from "node:util";
import { readRelease, recordRelease } from "./migration/release.ts";
import { squashMigrations } from "./migration/squash.ts";
import { migrateDirectory, migrateTasks, migrateWebhooks } from "./migration/write.ts";
import { CommandError, runCommand } from "./support/command.ts";

await runCommand(async () => {
	const text = { type: "string" } as const;
	const flag = { type: "boolean", default: false } as const;
	const { values } = parseArgs({ options: { name: text, of: { ...text, default: "DB" }, custom: flag, squash: flag, release: flag } });
	const { name, of, custom } = values;
	if (values.squash) squash();
	if (values.release) recordRelease();
	if (values.squash || values.release) return;
	if (name === undefined || !/^\w+$/.test(name)) {
		throw new CommandError("Name the migration with letters, digits and underscores: npm run migration -- --name what_changes");
	}
	if (of === "DB") migrateDirectory(name, { isCustom: custom });
	else if (of === "task") migrateTasks(name);
	else if (of === "webhook") migrateWebhooks(name);
	else throw new CommandError("--of takes DB, task or webhook.");
});

function squash(): void {
	if (readRelease() !== null) {
		throw new CommandError("Deployments have applied these migrations, so only add new ones: npm run migration -- --name what_changes");
	}
	squashMigrations();
}

// npm run migration -- --name what_changes writes the migration from the migrations' current result to the schema in src. --of names the
// database: DB (default), or the one of each `task` or `webhook` object. --custom starts an empty migration of DB, for triggers and for
// statements that change rows. --squash replaces all migrations with one for each database, which is allowed until version 1.0.
import { parseArgs } from "node:util";
import packageJson from "../package.json" with { type: "json" };
import { squashMigrations } from "./migration/squash.ts";
import { migrateDirectory, migrateTasks, migrateWebhooks } from "./migration/write.ts";
import { CommandError, runCommand } from "./support/command.ts";

await runCommand(async () => {
	const text = { type: "string" } as const;
	const flag = { type: "boolean", default: false } as const;
	const { values } = parseArgs({ options: { name: text, of: { ...text, default: "DB" }, custom: flag, squash: flag } });
	const { name, of, custom } = values;
	if (values.squash) {
		squash();
		return;
	}
	if (name === undefined || !/^\w+$/.test(name)) {
		throw new CommandError("Give the migration a name of letters, digits and underscores: npm run migration -- --name what_changes");
	}
	if (of === "DB") migrateDirectory(name, { isCustom: custom });
	else if (of === "task") migrateTasks(name);
	else if (of === "webhook") migrateWebhooks(name);
	else throw new CommandError("--of takes DB, task or webhook.");
});

function squash(): void {
	if (!packageJson.version.startsWith("0.")) {
		throw new CommandError(
			"Deployments have applied these migrations. From version 1.0 on, only add new ones: npm run migration -- --name what_changes",
		);
	}
	squashMigrations();
}

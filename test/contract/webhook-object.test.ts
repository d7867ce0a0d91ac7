// The migrations of a webhook's object create the tables that its schema describes, and all of them are in the bundle.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { PROJECT_ROOT } from "../../scripts/support/wrangler.ts";
import { describeSchema } from "./database-shape.ts";

const MIGRATIONS = join(PROJECT_ROOT, "src/core/events/webhooks/object/migrations");
const files = readdirSync(MIGRATIONS).filter((name) => name.endsWith(".sql"));

function build(texts: readonly string[]): string[] {
	const db = new DatabaseSync(":memory:");
	for (const text of texts) db.exec(text);
	return describeSchema(db);
}

it("the migrations match the schema, so that no migration is missing", () => {
	const drizzle = join(PROJECT_ROOT, "node_modules/.bin/drizzle-kit");
	const { stdout, status } = spawnSync(drizzle, ["export", "--config", "scripts/migration/webhooks.config.ts"], {
		cwd: PROJECT_ROOT,
		encoding: "utf8",
	});
	expect(status).toBe(0);
	const described = build([stdout.slice(stdout.indexOf("CREATE"))]);
	expect(described.length).toBeGreaterThan(10);
	expect(build(files.map((file) => readFileSync(join(MIGRATIONS, file), "utf8")))).toEqual(described);
});

it("the migrations are all in the module that the object imports", () => {
	const bundled = readFileSync(join(MIGRATIONS, "migrations.js"), "utf8");
	for (const file of files) expect(bundled).toContain(`from './${file}'`);
});

// src/db describes the database that the migrations produce. Triggers are only in the migrations, because drizzle does not support them.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { MIGRATIONS, openMigratedDatabase, readTriggers } from "../../scripts/migration/database.ts";
import { readProjectFile } from "../../scripts/support/sources.ts";
import { describeSchema } from "./database-shape.ts";
import { copyProject, type ProjectCopy } from "./project-copy.ts";

const migrated = openMigratedDatabase(MIGRATIONS);

it("keeps each entry of the audit log as it was written", () => {
	const db = openMigratedDatabase(MIGRATIONS);
	db.exec("insert into audit_log (id, at, actor, action, target, reason, before, after) values ('1', 1, 'a', 'b', 'c', 'd', '{}', '{}')");
	for (const change of ["update audit_log set reason = 'other'", "delete from audit_log"]) {
		expect(() => db.exec(change)).toThrow(/append-only/);
	}
});

describe("a migrated database", () => {
	let copy: ProjectCopy;
	beforeAll(async () => {
		copy = await copyProject();
	});
	afterAll(() => copy.remove());

	it("has the triggers of docs/architecture/changes.md, and no others", () => {
		const documented = [...readProjectFile("docs/architecture/changes.md").matchAll(/^\| `(\w+)` \| `\w+` \| /gm)].map(([, name]) => name);
		expect(readTriggers(migrated).map(({ name }) => name)).toEqual(documented.toSorted());
	});

	it("has no virtual table, because wrangler d1 export refuses a database with one", () => {
		expect(migrated.prepare("select name from sqlite_schema where sql like 'create virtual table%'").all()).toEqual([]);
	});

	it("equals the description in src/db, so that no migration is missing", async () => {
		expect(await copy.migrate("nothing")).toBeNull();
		await copy.removeMigrations();
		expect(await copy.migrate("everything")).toBe("0000_everything.sql");
		expect(describeSchema(migrated)).toEqual(describeSchema(openMigratedDatabase(copy.migrations)));
	});
});

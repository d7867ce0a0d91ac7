// src/db describes the database that the migrations produce: its tables and its triggers.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { MIGRATIONS, openMigratedDatabase, readTriggers } from "../../scripts/migration/database.ts";
import { foldSql, parseTriggers } from "../../scripts/migration/sql-files.ts";
import { describeSchema } from "./database-shape.ts";
import { copyProject, type ProjectCopy } from "./project-copy.ts";
import { readProjectFile } from "./sources.ts";

const triggersFile = readProjectFile("src/db/triggers.sql");
const triggers = parseTriggers(triggersFile);
const migrated = openMigratedDatabase(MIGRATIONS);

describe("a migrated database", () => {
	let copy: ProjectCopy;
	beforeAll(async () => {
		copy = await copyProject();
	});
	afterAll(() => copy.remove());

	it("has the triggers of triggers.sql, word for word, and no others", () => {
		const expected = triggers.toSorted((one, other) => (one.name < other.name ? -1 : 1));
		expect(readTriggers(migrated).map(({ sql }) => foldSql(sql))).toEqual(expected.map(({ sql }) => foldSql(sql)));
	});

	it("has no virtual table, because wrangler d1 export refuses a database with one", () => {
		expect(migrated.prepare("select name from sqlite_schema where sql like 'create virtual table%'").all()).toEqual([]);
	});

	it("is what src/db describes, so that there is nothing to migrate", async () => {
		expect(await copy.migrate("nothing")).toBeNull();
		await copy.removeMigrations();
		expect(await copy.migrate("everything")).toBe("0000_everything.sql");
		expect(describeSchema(migrated)).toEqual(describeSchema(openMigratedDatabase(copy.migrations)));
	});
});

describe("src/db/triggers.sql", () => {
	it("explains each trigger in a comment of at most three lines", () => {
		const comments = [...triggersFile.matchAll(/\n\n((?:--.*\n)+)CREATE TRIGGER (\w+)/g)];
		expect(comments.map(([, , name]) => name)).toEqual(triggers.map(({ name }) => name));
		for (const [, comment = "", name] of comments) expect(comment.split("\n").length - 1, name).toBeLessThanOrEqual(3);
		expect(triggersFile.match(/^--.*;/gm)).toBeNull();
	});
});

// Migrations only add, those of a release never change, and Cloudflare splits each into the same statements as the local tests.
import { join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { unstable_splitSqlQuery as splitLikeLocal } from "wrangler";
import { findDestructive } from "../../scripts/migration/destructive.ts";
import { readRelease } from "../../scripts/migration/release.ts";
import { splitLikeRemote } from "../../scripts/rehearsal/remote-splitter.ts";
import { hashMigrations, listMigrations, MIGRATION_FOLDERS, OBJECT_MIGRATIONS } from "../../scripts/support/databases.ts";
import { readProjectFile } from "../../scripts/support/sources.ts";
import { PROJECT_ROOT } from "../../scripts/support/wrangler.ts";

const MAX_SQL_BYTES = 100_000;
const folders = [...Object.values(MIGRATION_FOLDERS), ...Object.values(OBJECT_MIGRATIONS)].map((folder) => relative(PROJECT_ROOT, folder));
const listIn = (folder: string) =>
	listMigrations(join(PROJECT_ROOT, folder)).map((file, index, files) => ({
		file: `${folder}/${file}`,
		sql: readProjectFile(`${folder}/${file}`),
		earlier: files.slice(0, index).map((name) => readProjectFile(`${folder}/${name}`)),
	}));

describe.each(folders.flatMap(listIn))("$file", ({ sql, earlier }) => {
	it("removes nothing that the previous version may still use", () => {
		expect(findDestructive(earlier, sql)).toEqual([]);
	});

	it("has LF line endings", () => {
		expect(sql).not.toContain("\r");
	});
});

// Objects apply their migrations themselves.
describe.each(["migrations", "migrations-search"].flatMap(listIn))("$file", ({ sql }) => {
	it("splits on Cloudflare's server into the statements that it splits into locally", () => {
		expect(splitLikeRemote(sql)).toEqual(splitLikeLocal(sql));
	});

	it("is within D1's limit for SQL", () => {
		expect(new TextEncoder().encode(sql).length).toBeLessThan(MAX_SQL_BYTES);
	});
});

it("no migration of a release has changed, because deployments have applied it", () => {
	const present = hashMigrations();
	const { files } = readRelease() ?? { files: {} };
	expect(Object.keys(files).length).toBeGreaterThanOrEqual(folders.length);
	expect(Object.fromEntries(Object.keys(files).map((file) => [file, present[file]]))).toEqual(files);
});

describe("the search for destructive statements", () => {
	const TABLE = "CREATE TABLE a (b text, c text NOT NULL);";
	const rebuilt = (columns: string) =>
		`CREATE TABLE n (${columns});\nINSERT INTO n (b) SELECT b FROM a WHERE false;\nDROP TABLE a;\nALTER TABLE n RENAME TO a;`;

	it.each([
		["DROP TABLE a;", "It removes the table a."],
		["ALTER TABLE `a` RENAME TO `d`;", "It removes the table a."],
		["ALTER TABLE a DROP COLUMN b;", "It removes a.b."],
		["alter table a rename column b to d;", "It removes a.b."],
		[rebuilt("b text"), "It removes a.c."],
		["ALTER TABLE a ADD d text NOT NULL;", "Inserts of the earlier version do not fill a.d. Give it a default."],
		[rebuilt("b text NOT NULL, c text NOT NULL"), "Inserts of the earlier version do not fill a.b. Give it a default."],
		["-- why\nDELETE FROM a;", "It deletes rows: DELETE FROM a"],
	])("finds %s", (sql, finding) => {
		expect(findDestructive([TABLE], sql)).toEqual([finding]);
	});

	it.each([
		"CREATE TABLE d (e text NOT NULL);",
		"ALTER TABLE a ADD d text;",
		"ALTER TABLE a ADD d text NOT NULL DEFAULT 'x';",
		rebuilt("b text CHECK (b <> ''), c text NOT NULL DEFAULT '', d text"),
		"DROP INDEX i;",
		"DROP TRIGGER t;",
		"CREATE TRIGGER u AFTER INSERT ON a\nBEGIN\n\tDELETE FROM a;\nEND;",
		"-- DROP TABLE a;",
	])("ignores %s", (sql) => {
		const earlier = [TABLE, "CREATE INDEX i ON a (b);", "CREATE TRIGGER t AFTER INSERT ON a\nBEGIN\n\tDELETE FROM a;\nEND;"];
		expect(findDestructive(earlier, sql)).toEqual([]);
	});
});

describe("the model of Cloudflare's splitter", () => {
	const trigger = (body: string, begin = "BEGIN") => `CREATE TRIGGER a AFTER INSERT ON b\n${begin}\n\t${body}\nEND;\nSELECT 1;`;
	const accepted = trigger("UPDATE c SET d = (CASE WHEN true THEN 1 ELSE 2 END);\n\tDELETE FROM c WHERE d = 'END;';");

	it("accepts a trigger with a CASE in parentheses", () => {
		expect(splitLikeRemote(accepted)).toEqual(splitLikeLocal(accepted));
		expect(splitLikeRemote(accepted)).toHaveLength(2);
	});

	it.each([
		["a bare CASE", trigger("UPDATE c SET d = CASE WHEN true THEN 1 ELSE 2 END;\n\tDELETE FROM c;")],
		["a lowercase begin", trigger("DELETE FROM c;", "begin")],
		["CRLF", accepted.replaceAll("\n", "\r\n")],
		["a semicolon in a comment", trigger("-- first; second\n\tDELETE FROM c;").replace("CREATE", "-- one; two\nCREATE")],
		["an apostrophe in a comment", `-- it's\n${accepted}`],
	])("splits elsewhere at %s", (_, sql) => {
		expect(splitLikeRemote(sql)).not.toEqual(splitLikeLocal(sql));
	});
});

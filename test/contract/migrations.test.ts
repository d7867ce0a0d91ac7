// Cloudflare splits each migration into the same statements as the local tests.
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { unstable_splitSqlQuery as splitLikeLocal } from "wrangler";
import { findDestructive } from "../../scripts/migration/destructive.ts";
import { splitLikeRemote } from "../../scripts/rehearsal/remote-splitter.ts";
import { listMigrations } from "../../scripts/support/databases.ts";
import { PROJECT_ROOT } from "../../scripts/support/wrangler.ts";
import { readProjectFile } from "./sources.ts";

const MAX_SQL_BYTES = 100_000;
const files = ["migrations", "migrations-search"].flatMap((folder) =>
	listMigrations(join(PROJECT_ROOT, folder)).map((file) => ({ file: `${folder}/${file}`, sql: readProjectFile(`${folder}/${file}`) })),
);

describe.each(files)("$file", ({ sql }) => {
	it("splits on Cloudflare's server into the statements that it splits into locally", () => {
		expect(splitLikeRemote(sql)).toEqual(splitLikeLocal(sql));
	});

	it("removes nothing that the previous version may still use", () => {
		expect(findDestructive(sql)).toEqual([]);
	});

	it("is within D1's limit for SQL and has LF line endings", () => {
		expect(new TextEncoder().encode(sql).length).toBeLessThan(MAX_SQL_BYTES);
		expect(sql).not.toContain("\r");
	});
});

describe("the search for destructive statements", () => {
	it.each([
		"DROP TABLE a;",
		"ALTER TABLE `a` RENAME TO `b`;",
		"ALTER TABLE a DROP COLUMN b;",
		"alter table a rename column b to c;",
		"ALTER TABLE a ADD b text NOT NULL;",
		"-- why\nDELETE FROM a;",
	])("finds %s", (sql) => {
		expect(findDestructive(`CREATE TABLE x (y text);\n${sql}`)).toHaveLength(1);
	});

	it.each([
		"ALTER TABLE a ADD b text;",
		"ALTER TABLE a ADD b text NOT NULL DEFAULT 'x';",
		"ALTER TABLE a ADD b text DEFAULT '' NOT NULL;",
		"DROP INDEX a;",
		"DROP TRIGGER a;",
		"CREATE TRIGGER a AFTER INSERT ON b\nBEGIN\n\tDELETE FROM c;\nEND;",
		"-- DROP TABLE a;",
	])("ignores %s", (sql) => {
		expect(findDestructive(sql)).toEqual([]);
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

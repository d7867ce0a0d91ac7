// npm start refuses data whose tables another version of the project made, and changes nothing then.
import { globSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { recordMigrations } from "../../scripts/support/state-record.ts";
import { PROJECT_ROOT } from "../support/samples.ts";

let stateDir: string;
beforeEach(async () => {
	stateDir = await mkdtemp(join(tmpdir(), "state-"));
});
afterEach(() => rm(stateDir, { recursive: true, force: true }));

const readRecord = () => readFile(join(stateDir, "migrations.json"), "utf8");

describe("a state folder", () => {
	it("records each migration when it is new, and is accepted afterwards", async () => {
		recordMigrations(stateDir, { hasData: false });
		const recorded = await readRecord();
		const folders = ["migrations", "migrations-search", "src/db/task/migrations", "src/core/events/webhooks/object/migrations"];
		const files = folders.flatMap((folder) => globSync(`${folder}/*.sql`, { cwd: PROJECT_ROOT }).toSorted());
		expect(files.length).toBeGreaterThanOrEqual(folders.length);
		expect(Object.keys(JSON.parse(recorded))).toEqual(files);
		recordMigrations(stateDir, { hasData: true });
		expect(await readRecord()).toBe(recorded);
	});

	it("is refused if it has data and no record", () => {
		expect(() => recordMigrations(stateDir, { hasData: true })).toThrow(`The data in ${stateDir} was made by another version`);
	});

	it.each([
		["changed", "src/db/task/migrations/0000_initial.sql"],
		["missing here", "migrations/0099_other.sql"],
	])("is refused if a recorded migration is %s", async (_, file) => {
		recordMigrations(stateDir, { hasData: false });
		const other = JSON.stringify({ ...JSON.parse(await readRecord()), [file]: "0".repeat(64) });
		await writeFile(join(stateDir, "migrations.json"), other);
		expect(() => recordMigrations(stateDir, { hasData: true })).toThrow("whose tables differ");
		expect(await readRecord()).toBe(other);
	});

	it("is accepted if this version only adds migrations to the recorded ones", async () => {
		recordMigrations(stateDir, { hasData: false });
		const { "migrations-search/0000_search.sql": _, ...fewer } = JSON.parse(await readRecord());
		await writeFile(join(stateDir, "migrations.json"), JSON.stringify(fewer));
		recordMigrations(stateDir, { hasData: true });
		expect(Object.keys(JSON.parse(await readRecord()))).toContain("migrations-search/0000_search.sql");
	});
});

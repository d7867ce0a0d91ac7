// Records in a state folder the migrations of the checkout that created it. A checkout that has replaced those migrations cannot update
// the folder's databases, and the platform would fail at its first request.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { CommandError } from "./command.ts";
import { hashMigrations } from "./databases.ts";

const record = z.record(z.string(), z.string());
type StateRecord = Readonly<z.output<typeof record>>;

export const pathOfRecord = (stateDir: string) => join(stateDir, "migrations.json");

/**
 * Records the migrations of this checkout in a state folder.
 *
 * @param hasData True if the folder already has a database.
 * @throws CommandError if its data was made with migrations that this checkout lacks or has changed. Nothing is changed then.
 */
export function recordMigrations(stateDir: string, { hasData }: { hasData: boolean }): void {
	const present = hashMigrations();
	const recorded = readRecord(stateDir);
	const fits = recorded === null ? !hasData : Object.entries(recorded).every(([file, hash]) => present[file] === hash);
	if (!fits) {
		throw new CommandError(
			`The data in ${stateDir} was made by another version of the project, whose tables differ. Delete that folder, or choose another one: STATE_DIR=.state-new npm start`,
		);
	}
	mkdirSync(stateDir, { recursive: true });
	writeFileSync(pathOfRecord(stateDir), `${JSON.stringify(present, null, "\t")}\n`);
}

function readRecord(stateDir: string): StateRecord | null {
	const path = pathOfRecord(stateDir);
	return existsSync(path) ? record.parse(JSON.parse(readFileSync(path, "utf8"))) : null;
}

// A migration in the making: each statement runs on a database in memory before it is written down.
import type { DatabaseSync } from "node:sqlite";
import { CommandError } from "../support/command.ts";

const BREAKPOINT = "--> statement-breakpoint";

/** The statements of a migration that drizzle-kit generated. One made with `--custom` has none. */
export function splitGenerated(file: string): string[] {
	return file
		.split(BREAKPOINT)
		.map((statement) => statement.trim())
		.filter((statement) => statement !== "" && !/^--.*$/.test(statement));
}

export class Draft {
	readonly db: DatabaseSync;
	readonly #statements: string[] = [];

	/** @param db A database with all earlier migrations. */
	constructor(db: DatabaseSync) {
		this.db = db;
		db.exec("begin");
	}

	/** @throws CommandError when SQLite rejects the statement. */
	run(statement: string): void {
		try {
			this.db.exec(statement);
		} catch (error) {
			throw new CommandError(`SQLite rejects this statement: ${error instanceof Error ? error.message : error}\n\n${statement}`);
		}
		this.#statements.push(statement);
	}

	/** The text of the migration; empty when nothing has run. */
	toFile(): string {
		return this.#statements.length === 0 ? "" : `${this.#statements.join(`\n${BREAKPOINT}\n`)}\n`;
	}
}

// Shows what the object of a task has stored, table by table, because `wrangler d1 execute` does not see it.
import { sql } from "drizzle-orm";
import { AppError } from "../../../domain/errors.ts";
import { type TaskStore, taskVerb } from "../../../ports/task.ts";

/** Returns false for credentials, and for what only the platform's consumers need. */
export function isShown(column: string): boolean {
	return !/(^|_)(hash|encrypted|claim_token|receipt)$/.test(column);
}

/** A response to an agent can contain a signed URL. */
const HIDDEN: Readonly<Record<string, readonly string[]>> = { replies: ["response"] };
/** Reports of evaluations have up to a megabyte. */
const MAX_TEXT = 1_000;

/**
 * Shows rows of one table, or of every table if `table` is null. `offset` and `limit` count for each table.
 *
 * @throws AppError `NOT_FOUND` for an unknown table.
 */
export const inspectTables = taskVerb(
	"inspectTables",
	(task, { table, offset, limit }: { table: string | null; offset: number; limit: number }) => {
		const names = tableNames(task).filter((name) => table === null || name === table);
		if (table !== null && names.length === 0) throw new AppError("NOT_FOUND", { message: "The object has no such table." });
		return names.map((name) => {
			const from = sql.identifier(name);
			const [counted] = task.db.all<{ rows: number }>(sql`select count(*) as rows from ${from}`);
			const rows = task.db.all<StoredRow>(sql`select * from ${from} limit ${limit} offset ${offset}`);
			return { table: name, count: counted?.rows ?? 0, rows: rows.map((row) => showRow(name, row)) };
		});
	},
);

/** A row of a table has these values by column. */
export type StoredRow = Readonly<Record<string, string | number | null>>;

/** Lists the tables of the platform, without those of the runtime and of the migrations. */
function tableNames({ db }: TaskStore): string[] {
	const rows = db.all<{ name: string }>(sql`
		select name from sqlite_master where type = 'table' and name not like '\\_%' escape '\\' and name not like 'sqlite\\_%' escape '\\' order by name`);
	return rows.map(({ name }) => name);
}

function showRow(table: string, row: StoredRow): StoredRow {
	const columns = Object.entries(row).filter(([column]) => isShown(column) && !HIDDEN[table]?.includes(column));
	return Object.fromEntries(columns.map(([column, value]) => [column, shorten(value)]));
}

function shorten(value: StoredRow[string]) {
	if (typeof value !== "string" || value.length <= MAX_TEXT) return value;
	return `${value.slice(0, MAX_TEXT)}… (${value.length} characters)`;
}

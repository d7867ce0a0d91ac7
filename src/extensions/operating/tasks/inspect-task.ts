// Shows the stored data of a task's object, table by table, because `wrangler d1 execute` cannot read it.
import { sql } from "drizzle-orm";
import { readTask } from "../../../core/competition/tasks/store.ts";
import { listTables } from "../../../db/object-tables.ts";
import { AppError } from "../../../domain/errors.ts";
import { taskVerb } from "../../../ports/task.ts";

/** Returns false for credentials, and for what only the platform's consumers need. */
export function isShown(column: string): boolean {
	return !/(^|_)(hash|encrypted|claim_token|receipt)$/.test(column);
}

/** Further hidden columns by table. A stored response to an agent can contain a signed URL. */
const HIDDEN: Readonly<Record<string, readonly string[]>> = { replies: ["response"] };
/** Longer text is cut, because an evaluation report can have up to a megabyte. */
const MAX_TEXT = 1_000;

/**
 * Shows rows of one table, or of every table if `table` is null. `offset` and `limit` apply to each table.
 *
 * @throws AppError `NOT_FOUND` for an unknown table.
 */
export const inspectTables = taskVerb(
	"inspectTables",
	(task, { table, offset, limit }: { table: string | null; offset: number; limit: number }) => {
		const names = listTables(task.db.$client.sql).filter((name) => table === null || name === table);
		if (table !== null && names.length === 0) throw new AppError("NOT_FOUND", { message: "The object has no such table." });
		return names.map((name) => {
			const from = sql.identifier(name);
			const [counted] = task.db.all<{ rows: number }>(sql`select count(*) as rows from ${from}`);
			const rows = task.db.all<StoredRow>(sql`select * from ${from} limit ${limit} offset ${offset}`);
			return { table: name, count: counted?.rows ?? 0, rows: rows.map((row) => showRow(name, row)) };
		});
	},
);

/** The maximum number of rows about one submission in a table. A submission is evaluated at most 200 times. */
const MAX_ROWS = 500;
/** Tables with rows about an agent that do not name a submission. */
const BY_AGENT: readonly string[] = ["entries", "public_log"];

/**
 * Shows the rows of all tables that are about a submission: rows with its id in a column, and rows about its agent. A new table is included
 * automatically.
 *
 * @throws AppError `NOT_FOUND` if the object has no such submission.
 */
export const inspectSubmissionRows = taskVerb("inspectSubmissionRows", (store, submissionId: string) => {
	const [submission] = store.db.all<{ agentId: string }>(sql`select agent_id as agentId from submissions where id = ${submissionId}`);
	if (submission === undefined) throw new AppError("NOT_FOUND", { message: "The object has no such submission." });
	const { agentId } = submission;
	const tables = listTables(store.db.$client.sql).flatMap((table) => {
		const columns = store.db.all<{ name: string }>(sql`select name from pragma_table_info(${table})`);
		const ids = columns.flatMap(({ name }) => (/(^|_)id$/.test(name) ? [sql`${sql.identifier(name)} = ${submissionId}`] : []));
		const isAbout = sql.join([sql`false`, ...ids, ...(BY_AGENT.includes(table) ? [sql`agent_id = ${agentId}`] : [])], sql` or `);
		const rows = store.db.all<StoredRow>(sql`select * from ${sql.identifier(table)} where ${isAbout} limit ${MAX_ROWS}`);
		return rows.length === 0 ? [] : [{ table, count: rows.length, rows: rows.map((row) => showRow(table, row)) }];
	});
	return { agentId, ownerId: readTask(store).companyId, tables };
});

/** The values of a row by column. */
export type StoredRow = Readonly<Record<string, string | number | null>>;

function showRow(table: string, row: StoredRow): StoredRow {
	const columns = Object.entries(row).filter(([column]) => isShown(column) && !HIDDEN[table]?.includes(column));
	return Object.fromEntries(columns.map(([column, value]) => [column, shorten(value)]));
}

function shorten(value: StoredRow[string]) {
	if (typeof value !== "string" || value.length <= MAX_TEXT) return value;
	return `${value.slice(0, MAX_TEXT).toWellFormed()}… (${value.length} characters)`;
}

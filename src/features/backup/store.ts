import { sql } from "drizzle-orm";
import type { BackupTable } from "../../db/backup-tables.ts";
import type { Deps } from "../../ports/deps.ts";

type Key = readonly (string | number)[];
export type BackupRow = Readonly<Record<string, unknown>>;

interface Page {
	readonly table: BackupTable;
	/** The key of the row before the page; null for the first page. */
	readonly after: Key | null;
	readonly limit: number;
}

/** A page of a table's rows, in the order of its primary key, so each row is read once. */
export async function selectRows(deps: Deps, { table, after, limit }: Page): Promise<BackupRow[]> {
	const columns = sql.join(
		table.key.map((column) => sql.identifier(column)),
		sql`, `,
	);
	const values = (after ?? []).map((value) => sql`${value}`);
	const where = after === null ? sql`` : sql`where (${columns}) > (${sql.join(values, sql`, `)})`;
	return deps.db.query.all<BackupRow>(sql`select * from ${sql.identifier(table.name)} ${where} order by ${columns} limit ${limit}`);
}

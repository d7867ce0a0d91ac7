import { sql } from "drizzle-orm";
import { selectMovingRows } from "../../db/archived.ts";
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

interface NextPart {
	/** The key of the part before. */
	readonly after: Key | null;
	/** Milliseconds since the epoch. */
	readonly since: number;
}

/** The next part of an archive whose rows came back to D1 since a time, with these rows and its own. */
export async function findReturnedPart(deps: Deps, { after, since }: NextPart) {
	const [taskId, lastId] = after ?? ["", ""];
	const [part] = await deps.db.query.all<BackupRow & { readonly task_id: string; readonly last_id: string }>(sql`
		select a.* from tasks as t cross join task_archives as a on a.task_id = t.id
		where t.quiet_since >= ${since} and a.key is null and (a.task_id, a.last_id) > (${taskId}, ${lastId}) order by a.task_id, a.last_id limit 1`);
	if (part === undefined) return null;
	const ids = `(select id from submissions where task_id = ?1 and id <= ?2
		and id > coalesce((select max(last_id) from task_archives where task_id = ?1 and last_id < ?2), ''))`;
	const parameters = [part.task_id, part.last_id];
	const names = Object.entries(selectMovingRows({ taskId: "?1", ids }));
	const found = await deps.db.read(
		...names.map(([, text]) => ({ sql: text, parameters, mapRows: ({ results }: D1Result<BackupRow>) => results })),
	);
	const moved = names.flatMap(([table], index) => (found[index] ?? []).map((row) => ({ table, row })));
	return { key: parameters, rows: [{ table: "task_archives", row: part }, ...moved] };
}

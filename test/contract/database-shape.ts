// Provides a database's schema as lines of text that do not depend on the order in which columns and indexes were made.
import type { DatabaseSync } from "node:sqlite";
import * as z from "zod";

const tables = z.array(z.object({ name: z.string(), type: z.string(), wr: z.number(), sql: z.string().nullable() }));

/** Lists tables with their columns, indexes, foreign keys and checks, with white space folded. */
export function describeSchema(db: DatabaseSync): string[] {
	const found = db.prepare(
		`select t.name, t.type, t.wr, s.sql from pragma_table_list as t left join sqlite_schema as s on s.name = t.name
		where t.schema = 'main' and t.name not like 'sqlite_%' order by t.name`,
	);
	return tables
		.parse(found.all())
		.flatMap(({ name, type, wr, sql }) => [
			`${type} ${name}${wr === 1 ? " without rowid" : ""}${type === "virtual" ? ` ${sql}` : ""}`,
			...lines(db, 'select name, type, "notnull", dflt_value, pk from pragma_table_info(?) order by name', name),
			...lines(db, 'select "table", "from", "to", on_update, on_delete from pragma_foreign_key_list(?) order by 2, 1', name),
			...lines(
				db,
				`select i.name, i."unique", i.origin, i.partial, s.sql from pragma_index_list(?) as i
				left join sqlite_schema as s on s.name = i.name order by i.name`,
				name,
			),
			...(sql?.match(/CONSTRAINT "\w+" CHECK\(.*\)/g) ?? []).toSorted(),
		])
		.map((line) => line.replaceAll(/\s+|\\[nt]/g, " "));
}

function lines(db: DatabaseSync, query: string, ...parameters: readonly string[]): string[] {
	return db
		.prepare(query)
		.all(...parameters)
		.map((row) => JSON.stringify(row));
}

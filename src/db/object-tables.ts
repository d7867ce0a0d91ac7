/** Lists the tables of a Durable Object, without those of the runtime and of migrations, whose names begin with `_` or `sqlite_`. */
export function listTables(sql: Pick<SqlStorage, "exec">): string[] {
	const rows = sql.exec<{ name: string }>(
		`select name from sqlite_master where type = 'table' and name not like '\\_%' escape '\\' and name not like 'sqlite\\_%' escape '\\' order by name`,
	);
	return [...rows].map(({ name }) => name);
}

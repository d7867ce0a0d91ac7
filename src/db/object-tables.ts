/** Lists an object's tables from its schema, which does not contain the tables of the runtime and of migrations. */
export function listTables(sql: Pick<SqlStorage, "exec">): string[] {
	const rows = sql.exec<{ name: string }>(
		`select name from sqlite_master where type = 'table' and name not like '\\_%' escape '\\' and name not like 'sqlite\\_%' escape '\\' order by name`,
	);
	return [...rows].map(({ name }) => name);
}

import { sql } from "drizzle-orm";
import { guard } from "../../db/commit.ts";
import type { Statement } from "../../ports/database.ts";
import type { Deps } from "../../ports/deps.ts";

export interface Leak {
	readonly id: string;
	/** Empty when the place is not known. */
	readonly foundAt: string;
}

const TABLES = { api_key: sql.raw("api_keys"), operator_token: sql.raw("operator_tokens") } as const;

type Kind = keyof typeof TABLES;

/** Holds while all of them are active. */
export function guardActive(deps: Deps, kind: Kind, leaks: readonly Leak[]): Statement {
	const ids = sql`(select value from json_each(${JSON.stringify(leaks.map(({ id }) => id))}))`;
	return guard(deps.db, sql`not exists (select 1 from ${TABLES[kind]} where id in ${ids} and revoked_at is not null)`);
}

/** Revokes credentials, and keeps where they were found for their owners. */
export function deactivateLeaked(deps: Deps, kind: Kind, leaks: readonly Leak[]): Statement {
	const places = JSON.stringify(Object.fromEntries(leaks.map(({ id, foundAt }) => [id, foundAt])));
	// json_each has a column id of its own.
	const place = sql`(select value from json_each(${places}) where key = ${TABLES[kind]}.id)`;
	return deps.db.statement(sql`
		update ${TABLES[kind]} set revoked_at = ${deps.clock.now()}, leaked_at = ${place}
		where id in (select key from json_each(${places})) and revoked_at is null`);
}

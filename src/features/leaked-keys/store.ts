import { sql } from "drizzle-orm";
import type { Deps } from "../../ports/deps.ts";

export interface Credential {
	readonly id: string;
	readonly hash: string;
	readonly kind: "api_key" | "operator_token";
	readonly isActive: boolean;
}

/** The API keys and operator tokens with these hashes, revoked ones too. Any hashes cost one query. */
export async function selectCredentials(deps: Deps, hashes: readonly string[]): Promise<Credential[]> {
	const wanted = sql`(select value from json_each(${JSON.stringify(hashes)}))`;
	const rows = await deps.db.query.all<{ id: string; hash: string; kind: Credential["kind"]; active: number }>(sql`
		select id, hash, 'api_key' as kind, revoked_at is null as active from api_keys where hash in ${wanted}
		union all select id, hash, 'operator_token', revoked_at is null from operator_tokens where hash in ${wanted}`);
	return rows.map(({ active, ...row }) => ({ ...row, isActive: active === 1 }));
}

/** Where a credential was found in public, if it was revoked for that: empty for an unknown place. Null for any other. */
export async function findLeak(deps: Deps, hash: string): Promise<string | null> {
	const [row] = await deps.db.query.all<{ leaked_at: string }>(sql`
		select leaked_at from api_keys where hash = ${hash} and leaked_at is not null
		union all select leaked_at from operator_tokens where hash = ${hash} and leaked_at is not null`);
	return row?.leaked_at ?? null;
}

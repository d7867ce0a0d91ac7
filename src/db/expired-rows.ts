// Deletes rows whose time is over, for the sweeps.
import { type SQL, sql } from "drizzle-orm";
import type { Database } from "../ports/database.ts";

/** Tables with a column `expires_at`, each with the columns of its primary key. */
const EXPIRING_TABLES = {
	sessions: sql`hash`,
	idempotency_keys: sql`agent_id, task_id, key`,
	used_challenges: sql`nonce`,
} as const satisfies Record<string, SQL>;

const MAX_ROWS = 1000;

/** Deletes the rows of a table that have expired, oldest first, 1,000 at most. `now` in milliseconds since the epoch. */
export async function deleteExpiredRows(db: Database, table: keyof typeof EXPIRING_TABLES, now: number): Promise<void> {
	const [name, key] = [sql.identifier(table), EXPIRING_TABLES[table]];
	await db.query.run(sql`
		delete from ${name} where (${key}) in (select ${key} from ${name} where expires_at <= ${now} order by expires_at limit ${MAX_ROWS})`);
}

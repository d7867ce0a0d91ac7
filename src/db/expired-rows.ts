// Deletes expired rows, for sweeps.
import { type SQL, sql } from "drizzle-orm";
import type { Database } from "../ports/database.ts";

/** Tables with a column `expires_at`, and the columns of their primary keys. */
const EXPIRING_TABLES = {
	sessions: sql`hash`,
	used_challenges: sql`nonce`,
} as const satisfies Record<string, SQL>;

/** Deletes the expired rows of a table, oldest first. `now` is in milliseconds since the epoch. */
export async function deleteExpiredRows(db: Database, table: keyof typeof EXPIRING_TABLES, now: number): Promise<void> {
	const [name, key] = [sql.identifier(table), EXPIRING_TABLES[table]];
	await forgetRows(db, (limit) =>
		db.query.run(sql`
			delete from ${name} where (${key}) in (select ${key} from ${name} where expires_at <= ${now} order by expires_at limit ${limit})`),
	);
}

/** The maximum number of rows per statement, so that other statements do not wait for long. */
const ROWS_PER_CALL = 500;
/**
 * All sweeps share one invocation, which may make 1,000 calls. At 500 rows per call, a run deletes 20,000 rows, and a day deletes 28
 * million.
 */
const CALLS_PER_RUN = 40;

/**
 * Repeats a deletion until nothing is left or {@link CALLS_PER_RUN} is reached.
 *
 * @param forget Deletes up to the given number of rows, oldest first, in one call.
 */
export async function forgetRows(db: Database, forget: (limit: number) => Promise<unknown>): Promise<void> {
	for (let call = 0; call < CALLS_PER_RUN; call += 1) {
		const written = db.use.rowsWritten;
		await forget(ROWS_PER_CALL);
		if (db.use.rowsWritten === written) return;
	}
}

// Sweeps delete expired rows with these functions.
import { type SQL, sql } from "drizzle-orm";
import type { Database } from "../ports/database.ts";

/** The tables that {@link deleteExpiredRows} handles, with their primary keys. Each has a column `expires_at`. */
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

/** The maximum number of rows that one statement deletes, so that other statements do not wait long for it. */
const ROWS_PER_CALL = 500;
/**
 * All parts of a sweep share one invocation of the Worker, which may make 1,000 calls. With {@link ROWS_PER_CALL}, one run deletes up to
 * 20,000 rows, and the runs of a day delete up to 28 million.
 */
const CALLS_PER_RUN = 40;

/**
 * Repeats a deletion until it deletes nothing, at most {@link CALLS_PER_RUN} times.
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

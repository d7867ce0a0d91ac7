import { gt, sql } from "drizzle-orm";
import { forgetRows } from "../../../db/expired-rows.ts";
import { credentialEnds } from "../../../db/schema/credential-ends.ts";
import { MINUTE_MS } from "../../../platform/clock.ts";
import type { Deps } from "../../../ports/deps.ts";

/**
 * Returns the ids of credentials that have ended since the given time, and of agents that have been suspended or erased since then. Reads
 * from the primary: a stream must close soon after its credential ends, and a replica can lag for longer than that.
 */
export async function selectEndsSince({ db }: Pick<Deps, "db">, since: number): Promise<string[]> {
	const rows = await db.fork().query.select({ id: credentialEnds.id }).from(credentialEnds).where(gt(credentialEnds.at, since));
	return rows.map(({ id }) => id);
}

const KEPT_MS = 10 * MINUTE_MS;

/** Deletes the rows of credentials that ended too long ago to matter to any stream. */
export async function forgetCredentialEnds({ db, clock }: Pick<Deps, "db" | "clock">): Promise<void> {
	const before = clock.now() - KEPT_MS;
	await forgetRows(db, (limit) =>
		db.query.run(sql`
			delete from credential_ends where (at, id) in (select at, id from credential_ends where at <= ${before} order by at limit ${limit})`),
	);
}

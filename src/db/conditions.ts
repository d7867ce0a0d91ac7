// Several features use these conditions.
import { type SQL, sql } from "drizzle-orm";

/** Is true for a webhook that counts toward the limit of this host. Its words are those of the index `webhooks_capped`, so SQLite uses the index. */
export function countsTowardHost(host: string): SQL {
	return sql`host = ${host} and active = 1 and is_capped = 1`;
}

/** Is true for a webhook with deliveries that wait or have failed. Its words are those of the index `webhooks_troubled`, so SQLite uses the index. */
export function isTroubled(): SQL {
	return sql`(waiting_deliveries > 0 or has_failed_deliveries = 1)`;
}

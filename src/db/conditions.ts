// Conditions that several features use.
import { type SQL, sql } from "drizzle-orm";

/** True for a webhook that counts toward the limit of this host. Worded as the index `webhooks_capped`. */
export function countsTowardHost(host: string): SQL {
	return sql`host = ${host} and active = 1 and is_capped = 1`;
}

/** True for a webhook with deliveries that wait or have failed. Worded as the index `webhooks_troubled`. */
export function isTroubled(): SQL {
	return sql`(waiting_deliveries > 0 or has_failed_deliveries = 1)`;
}

// The directory is one database today, its only part. Ids already contain the number of a part, so that new cards can be stored in further
// databases while old cards stay where they are.
import { partOf } from "../platform/ids.ts";
import type { Database } from "../ports/database.ts";
import type { Deps } from "../ports/deps.ts";

/**
 * Returns the database with the cards of a task, an agent, or anything that belongs to a task. What is not split into parts is in
 * {@link Deps.db}: identities, keys, operators, webhooks, deals, the ledger, the audit log, switches, and the rows with which drafts are
 * counted.
 */
export function directoryOf({ db, parts }: Pick<Deps, "db" | "parts">, id: string): Database {
	return parts.get(partOf(id)) ?? db;
}

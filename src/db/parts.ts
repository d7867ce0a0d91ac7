// The directory is one database today. Ids already contain the number of their part, so that new cards can go to further databases without
// moving old ones.
import { partOf } from "../platform/ids.ts";
import type { Database } from "../ports/database.ts";
import type { Deps } from "../ports/deps.ts";

/**
 * Returns the database that has the cards of an agent, a task, or anything in a task. Everything that exists once for all tasks is in
 * {@link Deps.db}: identities, keys, operators, webhooks, deals, the ledger, the audit log, switches, and rows of drafts, which count
 * towards their agent's limit.
 */
export function directoryOf({ db, parts }: Pick<Deps, "db" | "parts">, id: string): Database {
	return parts.get(partOf(id)) ?? db;
}

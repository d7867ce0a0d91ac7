import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/**
 * Credentials that ended early, and agents whose credentials have all ended. A row is written together with the revocation, suspension or
 * erasure. Open streams read the rows of the last two minutes. A sweep deletes a row after ten minutes.
 */
export const credentialEnds = sqliteTable(
	"credential_ends",
	{
		at: integer("at").notNull(),
		/** The id of a key, operator token, grant or agent, or the hash of a session or access token. No two of these are the same. */
		id: text("id").notNull(),
	},
	(table) => [primaryKey({ columns: [table.at, table.id] })],
);

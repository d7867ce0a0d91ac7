import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/**
 * Each row is a credential that has ended before its time, or the agent whose credentials have. It is written with the revocation, the
 * suspension or the erasure. Open streams read the rows of the last two minutes. A sweep deletes a row after ten minutes.
 */
export const credentialEnds = sqliteTable(
	"credential_ends",
	{
		at: integer("at").notNull(),
		/** This is the id of a key, of an operator token, of a grant or of an agent, or the hash of a session. No two of them are equal. */
		id: text("id").notNull(),
	},
	(table) => [primaryKey({ columns: [table.at, table.id] })],
);

import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Each row is the response to a request with an `Idempotency-Key` that made something in the directory, or a task. It is deleted after 24 hours. */
export const directoryReplies = sqliteTable(
	"replies",
	{
		/** This is the id of an agent or of an operator token. */
		caller: text("caller").notNull(),
		path: text("path").notNull(),
		key: text("key").notNull(),
		requestHash: text("request_hash").notNull(),
		/** The request makes a thing outside the directory with this id, so that a repeated request makes the same thing. */
		madeId: text("made_id"),
		/** This is the JSON of the response, encrypted. Null until it is known, and after a secret was forgotten. */
		responseEncrypted: text("response_encrypted"),
		/** A secret in the response is repeated until then. Null for a response without one. */
		secretUntil: integer("secret_until"),
		expiresAt: integer("expires_at").notNull(),
	},
	(table) => [
		primaryKey({ columns: [table.caller, table.path, table.key] }),
		index("replies_expiry").on(table.expiresAt),
		index("replies_secret").on(table.secretUntil),
	],
);

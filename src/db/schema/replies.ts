import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Responses to requests with an `Idempotency-Key` that created anything in the directory, or a task. Deleted after 24 hours. */
export const directoryReplies = sqliteTable(
	"replies",
	{
		/** The id of the caller, which is an agent or an operator token. */
		caller: text("caller").notNull(),
		path: text("path").notNull(),
		key: text("key").notNull(),
		requestHash: text("request_hash").notNull(),
		/** The id of what the request creates outside the directory, so that a repeated request creates the same thing. */
		madeId: text("made_id"),
		/** The JSON of the response, encrypted. Null until it is known, and again once its secret is no longer repeated. */
		responseEncrypted: text("response_encrypted"),
		/** Until when a secret in the response is repeated. Null for a response without a secret. */
		secretUntil: integer("secret_until"),
		expiresAt: integer("expires_at").notNull(),
	},
	(table) => [
		primaryKey({ columns: [table.caller, table.path, table.key] }),
		index("replies_expiry").on(table.expiresAt),
		index("replies_secret").on(table.secretUntil),
	],
);

import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Responses to requests with an `Idempotency-Key` that created a task or something in the directory. Deleted after 24 hours. */
export const directoryReplies = sqliteTable(
	"replies",
	{
		/** The id of the caller, which is an agent or an operator token. */
		caller: text("caller").notNull(),
		path: text("path").notNull(),
		key: text("key").notNull(),
		requestHash: text("request_hash").notNull(),
		/** The id of what the request creates, so that a repeated request uses the same id. Null if only the response contains it. */
		madeId: text("made_id"),
		/** The encrypted JSON of the response. Null until the response is known, and again after `secretUntil`. */
		responseEncrypted: text("response_encrypted"),
		/** The time until which a repeated request gets the secret in the response. Null for a response without a secret. */
		secretUntil: integer("secret_until"),
		expiresAt: integer("expires_at").notNull(),
	},
	(table) => [
		primaryKey({ columns: [table.caller, table.path, table.key] }),
		index("replies_expiry").on(table.expiresAt),
		index("replies_secret").on(table.secretUntil),
	],
);

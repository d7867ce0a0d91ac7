import { sql } from "drizzle-orm";
import { check, index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { agents, apiKeys } from "./agents.ts";

/** A user is a human who has signed in with an account at an issuer. Each has an agent of their own here. */
export const users = sqliteTable(
	"users",
	{
		id: text("id").primaryKey(),
		issuer: text("issuer").notNull(),
		subject: text("subject").notNull(),
		agentId: text("agent_id")
			.notNull()
			.references(() => agents.id),
		createdAt: integer("created_at").notNull(),
	},
	(table) => [uniqueIndex("users_account").on(table.issuer, table.subject)],
);

/** A session is a browser that is signed in, by a human or with a key. The cookie's token is stored as SHA-256 only. */
export const sessions = sqliteTable(
	"sessions",
	{
		hash: text("hash").primaryKey(),
		userId: text("user_id").references(() => users.id),
		/** A session that was opened with a key lasts no longer than the key. */
		keyId: text("key_id").references(() => apiKeys.id),
		createdAt: integer("created_at").notNull(),
		expiresAt: integer("expires_at").notNull(),
	},
	(table) => [
		index("sessions_expiry").on(table.expiresAt),
		index("sessions_key").on(table.keyId, table.createdAt).where(sql`key_id is not null`),
		check("session_holder", sql`(user_id is null) <> (key_id is null)`),
	],
);

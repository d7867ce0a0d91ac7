import { sql } from "drizzle-orm";
import { check, index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { agents, apiKeys } from "./agents.ts";

/**
 * Humans, who each have their own agent. Most sign in with an account at an issuer. A human without such an account signs in with the
 * credential of an extension, such as a passkey, for an agent that was anonymous before. The human's id is then the agent's id.
 */
export const users = sqliteTable(
	"users",
	{
		id: text("id").primaryKey(),
		issuer: text("issuer"),
		subject: text("subject"),
		agentId: text("agent_id")
			.notNull()
			.references(() => agents.id),
		createdAt: integer("created_at").notNull(),
	},
	(table) => [
		uniqueIndex("users_account").on(table.issuer, table.subject),
		check("user_account", sql`(issuer is null) = (subject is null) and (issuer is not null or id = agent_id)`),
	],
);

/** Sessions of browsers. A human or the holder of a key opens them. The token in the cookie is stored only as SHA-256. */
export const sessions = sqliteTable(
	"sessions",
	{
		hash: text("hash").primaryKey(),
		userId: text("user_id").references(() => users.id),
		/** The key with which the session was opened. The session ends with it at the latest. Null for a human's session. */
		keyId: text("key_id").references(() => apiKeys.id),
		/** The credential of an extension, such as a passkey, with which a human opened the session. The session ends with it. */
		credentialId: text("credential_id"),
		/** The key that created the credential, and with which the credential ends. Null if it does not depend on a key. */
		dependsOnKey: text("depends_on_key"),
		createdAt: integer("created_at").notNull(),
		expiresAt: integer("expires_at").notNull(),
	},
	(table) => [
		index("sessions_expiry").on(table.expiresAt),
		index("sessions_key").on(table.keyId, table.createdAt).where(sql`key_id is not null`),
		index("sessions_credential").on(table.credentialId, table.createdAt).where(sql`credential_id is not null`),
		index("sessions_depends").on(table.dependsOnKey).where(sql`depends_on_key is not null`),
		check("session_holder", sql`(user_id is null) <> (key_id is null)`),
	],
);

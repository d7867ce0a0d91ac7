import { sql } from "drizzle-orm";
import { check, index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { agents, apiKeys } from "./agents.ts";

/**
 * Humans, who each have their own agent. Most have signed in with an account at an issuer. A human without an account used to be an
 * anonymous agent, keeps that agent's id, and signs in with an extension's credential.
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

/** Sessions of browsers, opened by a human or with a key. The token in the cookie is stored only as SHA-256. */
export const sessions = sqliteTable(
	"sessions",
	{
		hash: text("hash").primaryKey(),
		userId: text("user_id").references(() => users.id),
		/** A session that was opened with a key ends with that key, if not earlier. */
		keyId: text("key_id").references(() => apiKeys.id),
		/** The extension's credential that opened a human's session. The session ends with it. */
		credentialId: text("credential_id"),
		/** The key that created that credential. The credential ends with the key. Null if it does not depend on a key. */
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

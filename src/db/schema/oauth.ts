import { sql } from "drizzle-orm";
import { check, index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { SCOPES } from "../../domain/actor.ts";
import { agents } from "./agents.ts";
import { isOneOf } from "./one-of.ts";

/** Programs that may ask for a grant. A client either has registered, or its id is the URL of a document that describes it. */
export const oauthClients = sqliteTable(
	"oauth_clients",
	{
		id: text("id").primaryKey(),
		/** The client as JSON, in the format of the OAuth library. Secrets in it are hashed with SHA-256. */
		record: text("record").notNull(),
		/** When the client's document was fetched. Null for a client that has registered. */
		fetchedAt: integer("fetched_at"),
		/** When one of the client's grants last ended. Before that, when it registered or its document was first read. */
		unusedSince: integer("unused_since").notNull(),
	},
	(table) => [index("oauth_clients_age").on(table.unusedSince)],
);

/** Grants. With a grant, a person lets a program act for an agent. When it ends, its row is deleted, and its tokens stop working. */
export const grants = sqliteTable(
	"grants",
	{
		id: text("id").primaryKey(),
		/** The grant's key in its holder's Durable Object: `{holder}:{the library's id}`. Codes and tokens begin with it. */
		key: text("key").notNull().unique(),
		agentId: text("agent_id")
			.notNull()
			.references(() => agents.id),
		/** The API key behind the session in which the grant was made. Null if a person had signed in. */
		keyId: text("key_id"),
		/** The passkey that opened that session. Null if it was opened by other means. */
		credentialId: text("credential_id"),
		clientId: text("client_id").notNull(),
		clientName: text("client_name").notNull(),
		clientUri: text("client_uri"),
		redirectUri: text("redirect_uri"),
		scope: text("scope", { enum: SCOPES }).notNull(),
		createdAt: integer("created_at").notNull(),
		/** When the program fetched its first token. Null before that. */
		activatedAt: integer("activated_at"),
		lastUsedAt: integer("last_used_at"),
	},
	(table) => [
		index("grants_agent").on(table.agentId, table.id),
		index("grants_client").on(table.clientId),
		index("grants_credential").on(table.credentialId).where(sql`credential_id is not null`),
		index("grants_key").on(table.keyId).where(sql`key_id is not null`),
		index("grants_last_use").on(table.lastUsedAt).where(sql`last_used_at is not null`),
		index("grants_unused").on(table.createdAt).where(sql`activated_at is null`),
		check("grant_scope", isOneOf("scope", SCOPES)),
	],
);

/** Access tokens, stored only as SHA-256. One query reads a token together with the grant, the agent and the switches. */
export const accessTokens = sqliteTable(
	"access_tokens",
	{
		hash: text("hash").primaryKey(),
		grantId: text("grant_id")
			.notNull()
			.references(() => grants.id, { onDelete: "cascade" }),
		scope: text("scope", { enum: SCOPES }).notNull(),
		expiresAt: integer("expires_at").notNull(),
	},
	(table) => [
		index("access_tokens_grant").on(table.grantId),
		index("access_tokens_expiry").on(table.expiresAt),
		check("access_token_scope", isOneOf("scope", SCOPES)),
	],
);

/** User codes, which people enter to find the request of a device. Stored only as HMAC. */
export const deviceRequests = sqliteTable(
	"device_requests",
	{
		codeHmac: text("code_hmac").primaryKey(),
		/** The name of the Durable Object that holds the request. */
		object: text("object").notNull(),
		expiresAt: integer("expires_at").notNull(),
	},
	(table) => [index("device_requests_expiry").on(table.expiresAt)],
);

/** One row per user code that a network has entered, to limit guesses. The row of a correct code is deleted. */
export const userCodeTries = sqliteTable(
	"user_code_tries",
	{
		id: text("id").primaryKey(),
		network: text("network").notNull(),
		expiresAt: integer("expires_at").notNull(),
	},
	(table) => [index("user_code_tries_network").on(table.network, table.expiresAt), index("user_code_tries_expiry").on(table.expiresAt)],
);

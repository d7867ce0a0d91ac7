import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { agents } from "./agents.ts";

/** A human who has signed in, as an account at an issuer, with the identity that is theirs here. */
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

/** A browser that is signed in. The cookie's token is kept as SHA-256 only. */
export const sessions = sqliteTable(
	"sessions",
	{
		hash: text("hash").primaryKey(),
		userId: text("user_id")
			.notNull()
			.references(() => users.id),
		createdAt: integer("created_at").notNull(),
		expiresAt: integer("expires_at").notNull(),
	},
	(table) => [index("sessions_expiry").on(table.expiresAt)],
);

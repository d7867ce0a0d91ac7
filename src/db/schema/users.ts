import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { agents } from "./agents.ts";

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

/** A session is a browser that is signed in. The cookie's token is stored as SHA-256 only. */
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

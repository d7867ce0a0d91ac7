import { sql } from "drizzle-orm";
import { check, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { LOG_EVENTS } from "../../../domain/log-events.ts";
import { isOneOf } from "../../schema/one-of.ts";

/** The public log of the published task. Rows are never changed or deleted, except that the erasure of an agent's data rewrites them. */
export const publicLog = sqliteTable(
	"public_log",
	{
		/** The entry's number. Entries are numbered in the order in which they were added. */
		seq: integer("seq").primaryKey({ autoIncrement: true }),
		at: integer("at").notNull(),
		event: text("event", { enum: LOG_EVENTS }).notNull(),
		/** The fields that readers see, in addition to the agent's name. */
		facts: text("facts", { mode: "json" }).$type<Readonly<Record<string, unknown>>>().notNull(),
		/** The agent that the entry is about. Null if there is none. */
		agentId: text("agent_id"),
		/** The agent's name on the board when the entry was added. Null if the board showed a pseudonym. */
		agentName: text("agent_name"),
	},
	() => [
		check("public_log_event", isOneOf("event", LOG_EVENTS)),
		check("public_log_agent", sql`agent_id is not null or agent_name is null`),
	],
);

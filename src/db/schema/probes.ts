import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Each row has the last probes of a model: whether it can judge, or confirm quotes, with a version of the prompts. */
export const modelProbes = sqliteTable(
	"model_probes",
	{
		model: text("model").notNull(),
		role: text("role").notNull(),
		promptVersion: text("prompt_version").notNull(),
		/** A list of tallies as JSON, the newest last. */
		tallies: text("tallies").notNull(),
		/** The last probe ended at this time. */
		probedAt: integer("probed_at").notNull(),
		/** Until then no other caller probes the model. */
		claimedUntil: integer("claimed_until").notNull(),
	},
	(table) => [primaryKey({ columns: [table.model, table.role, table.promptVersion] })],
);

import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { WaitReason } from "../../domain/waits.ts";

/** The latest probes of a model in one role, with one version of the prompts. */
export const modelProbes = sqliteTable(
	"model_probes",
	{
		model: text("model").notNull(),
		role: text("role").notNull(),
		promptVersion: text("prompt_version").notNull(),
		/** A list of tallies as JSON, newest last. */
		tallies: text("tallies").notNull(),
		/** The answers so far of an unfinished probe, as JSON. The next attempt asks only for the missing ones. */
		begun: text("begun").notNull(),
		/** When the last probe ended. */
		probedAt: integer("probed_at").notNull(),
		/** Until then, no other caller probes the model. */
		claimedUntil: integer("claimed_until").notNull(),
	},
	(table) => [primaryKey({ columns: [table.model, table.role, table.promptVersion] })],
);

/** A single row: when the judge's models last worked, and when they last did not work. */
export const judgeHealth = sqliteTable("judge_health", {
	id: integer("id").primaryKey(),
	succeededAt: integer("succeeded_at"),
	/** When an evaluation last had to wait, because of `fault`. */
	failedAt: integer("failed_at"),
	fault: text("fault", { mode: "json" }).$type<{
		readonly reason: WaitReason;
		readonly message: string;
		/** The supplier's own words, which only operators see. */
		readonly supplierWords: string | null;
	}>(),
});

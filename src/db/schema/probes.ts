import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { WaitReason } from "../../domain/waits.ts";

/** One row per model, role and version of the prompts: the latest probes, which show how well the model judges. */
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
		/** The time until which only the caller that wrote it may probe the model. */
		claimedUntil: integer("claimed_until").notNull(),
	},
	(table) => [primaryKey({ columns: [table.model, table.role, table.promptVersion] })],
);

/** A single row: when the judge's models last worked, and when they last failed. */
export const judgeHealth = sqliteTable("judge_health", {
	id: integer("id").primaryKey(),
	succeededAt: integer("succeeded_at"),
	/** When an evaluation last had to wait, because of `fault`. */
	failedAt: integer("failed_at"),
	fault: text("fault", { mode: "json" }).$type<{
		readonly reason: WaitReason;
		readonly message: string;
		/** The supplier's own error message, which only operators see. */
		readonly supplierWords: string | null;
	}>(),
});

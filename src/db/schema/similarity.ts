import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** What the text of each stored artifact is compared by. A task's signatures are read in one range. */
export const artifactSignatures = sqliteTable(
	"artifact_signatures",
	{
		taskId: text("task_id").notNull(),
		submissionId: text("submission_id").notNull(),
		agentId: text("agent_id").notNull(),
		artifactSha256: text("artifact_sha256"),
		/** Distinct shingles, counted up to 32; 0 when the artifact has no text to compare. */
		shingles: integer("shingles").notNull(),
		/** A MinHash signature in Base64; empty without shingles. */
		minima: text("minima").notNull(),
	},
	(table) => [primaryKey({ columns: [table.taskId, table.submissionId] })],
);

import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** The text of each stored artifact is compared with others by its signature. */
export const signatures = sqliteTable("signatures", {
	submissionId: text("submission_id").primaryKey(),
	agentId: text("agent_id").notNull(),
	artifactSha256: text("artifact_sha256"),
	/** When the artifact was accepted. */
	acceptedAt: integer("accepted_at").notNull(),
	/** Distinct shingles count up to 32. It is 0 if the artifact has no text to compare. */
	shingles: integer("shingles").notNull(),
	/** The minima are a MinHash signature in Base64. The text is empty without shingles. */
	minima: text("minima").notNull(),
	/** The digest covers the paths and contents of all files. Candidates of a final round share a judgement if theirs are equal. */
	filesSha256: text("files_sha256"),
});

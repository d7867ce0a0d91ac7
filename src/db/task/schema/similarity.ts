import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Signatures of artifacts. Comparing two of them shows how similar the text of the artifacts is. */
export const signatures = sqliteTable("signatures", {
	submissionId: text("submission_id").primaryKey(),
	agentId: text("agent_id").notNull(),
	artifactSha256: text("artifact_sha256"),
	/** When the artifact was accepted. */
	acceptedAt: integer("accepted_at").notNull(),
	/** The number of distinct shingles, counted only up to 32. 0 if the artifact has no text to compare. */
	shingles: integer("shingles").notNull(),
	/** The minima of a MinHash signature, in base64. Empty if there are no shingles. */
	minima: text("minima").notNull(),
	/** A digest of the paths and contents of all files. Candidates of a final round whose digests are equal share a judgement. */
	filesSha256: text("files_sha256"),
});

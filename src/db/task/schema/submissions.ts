import { sql } from "drizzle-orm";
import { check, index, integer, primaryKey, real, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { CANDIDATE_OUTCOMES, EVALUATION_ROUNDS, type SampleRecords } from "../../../domain/evaluation-rounds.ts";
import { FAILURE_NAMES } from "../../../domain/failures.ts";
import { SUBMISSION_STATUSES } from "../../../domain/submission-status.ts";
import { isOneOf } from "../../schema/one-of.ts";

/** A condition. Queries repeat it word for word, so that the partial index serves them. */
export const isNotCompleted = sql`status <> 'completed'`;

/** Scores are medians over the submission's evaluations; `iteration` is the number of the last one requested. */
export const submissions = sqliteTable(
	"submissions",
	{
		id: text("id").primaryKey(),
		agentId: text("agent_id").notNull(),
		status: text("status", { enum: SUBMISSION_STATUSES }).notNull(),
		evaluated: integer("evaluated", { mode: "boolean" }).notNull().default(false),
		/** The name shown on the leaderboard after the reveal, as it was when submitting. */
		agentDisplayName: text("agent_display_name").notNull(),
		artifactKey: text("artifact_key"),
		artifactBytes: integer("artifact_bytes"),
		artifactSha256: text("artifact_sha256"),
		/** Titles of the sections that SUBMISSION.md lacks. */
		missingSections: text("missing_sections", { mode: "json" }).$type<string[]>(),
		/** The reason of a failed evaluation, as the agent reads it. */
		errorMessage: text("error_message"),
		/** The same as the task's owner reads it. Null if both texts are equal. */
		ownerErrorMessage: text("owner_error_message"),
		/** The class of the failure, which is public. Written with `error_message`. */
		failure: text("failure", { enum: FAILURE_NAMES }),
		finalScore: real("final_score"),
		testScore: real("test_score"),
		llmScore: real("llm_score"),
		containerScore: real("container_score"),
		/** The standard deviation of `final_score` in points, as far as its evaluations show it. */
		spread: real("spread"),
		/** The comparison group of the evaluations behind the scores. */
		comparisonGroup: integer("comparison_group"),
		/** When the last evaluation that gave scores ended. */
		evaluatedAt: integer("evaluated_at"),
		/** The evaluation whose report is shown. */
		shownEvaluationId: text("shown_evaluation_id"),
		iteration: integer("iteration").notNull().default(0),
		/** When a re-evaluation was last requested. */
		reEvaluatedAt: integer("re_evaluated_at"),
		/** Evaluations that came to no score through its own files. */
		ownFailures: integer("own_failures").notNull().default(0),
		slotReturned: integer("slot_returned", { mode: "boolean" }).notNull().default(false),
		/** When an operator of the deployment took it out of the competition, and why. Its evaluations stay. */
		voidedAt: integer("voided_at"),
		voidReason: text("void_reason"),
		/** The act in the audit log. */
		voidAct: text("void_act"),
		/** Numbers the changes that its readers see. Its card and its stream carry the number. */
		revision: integer("revision").notNull().default(1),
		/** When its artifact could no longer change. Null for one that has none. */
		handedInAt: integer("handed_in_at"),
		createdAt: integer("created_at").notNull(),
		updatedAt: integer("updated_at").notNull(),
	},
	(table) => [
		check("submission_status", isOneOf("status", SUBMISSION_STATUSES)),
		check(
			"submission_scored",
			sql`evaluated = (status = 'completed') and (evaluated = 0 or (final_score is not null and evaluated_at is not null))`,
		),
		index("submissions_agent").on(table.agentId, table.id),
		// The owner's list by status and by score. Most submissions are completed, so a list of these finds them among all.
		index("submissions_status").on(table.status, table.id).where(isNotCompleted),
		index("submissions_score").on(table.finalScore, table.id).where(sql`evaluated = 1`),
	],
);

/** Append-only: every judgement that was made, and who made it with what. */
export const evaluations = sqliteTable(
	"evaluations",
	{
		submissionId: text("submission_id").notNull(),
		iteration: integer("iteration").notNull(),
		id: text("id").notNull(),
		round: text("round", { enum: EVALUATION_ROUNDS }).notNull(),
		evalMode: text("eval_mode").notNull(),
		rubricVersion: integer("rubric_version").notNull(),
		artifactSha256: text("artifact_sha256"),
		judge: text("judge").notNull(),
		models: text("models", { mode: "json" }).$type<string[]>().notNull(),
		promptVersion: text("prompt_version"),
		/** Evaluations are comparable when judge, models and prompt version are the same. */
		comparisonGroup: integer("comparison_group").notNull(),
		imageDigest: text("image_digest"),
		finalScore: real("final_score").notNull(),
		testScore: real("test_score"),
		llmScore: real("llm_score"),
		containerScore: real("container_score"),
		/** Scores by criterion, with the criterion's weight in percent. */
		dimensions: text("dimensions", { mode: "json" }).$type<{ criterion: string; weight: number; score: number }[]>().notNull(),
		/** Every opinion that these scores are the medians of; empty for an outside judge. */
		samples: text("samples", { mode: "json" }).$type<SampleRecords>().notNull(),
		/** The standard deviation of `final_score` in points, as far as the samples show it. */
		spread: real("spread"),
		/** The signed record of this row, a compact JWS. */
		receipt: text("receipt").notNull(),
		createdAt: integer("created_at").notNull(),
	},
	(table) => [
		primaryKey({ columns: [table.submissionId, table.iteration] }),
		check("evaluation_round", isOneOf("round", EVALUATION_ROUNDS)),
		check("evaluation_score", sql`final_score between 0 and 100`),
	],
);

/**
 * The texts of an evaluation or a dry run as JSON: reasoning, evidence, breakdown, logs. In parts, because a row holds at most 2 MB.
 */
export const reports = sqliteTable(
	"reports",
	{
		/** The id of an evaluation or of a dry run. */
		subjectId: text("subject_id").notNull(),
		part: integer("part").notNull(),
		text: text("text").notNull(),
	},
	(table) => [primaryKey({ columns: [table.subjectId, table.part] })],
);

/** By whom submissions were judged. Only scores of one group can be compared; a change of judge, models or prompt begins another. */
export const comparisonGroups = sqliteTable(
	"comparison_groups",
	{
		/** From 1, in the order in which the groups began. */
		number: integer("number").primaryKey(),
		/** Judge, models and prompt version as one text, so that a unique index compares them. */
		fingerprint: text("fingerprint").notNull(),
		judge: text("judge").notNull(),
		models: text("models", { mode: "json" }).$type<string[]>().notNull(),
		promptVersion: text("prompt_version"),
		since: integer("since").notNull(),
	},
	(table) => [uniqueIndex("comparison_groups_fingerprint").on(table.fingerprint)],
);

/**
 * Each agent's best submission, or its candidate once a final round has ended. `rankKey` sorts as the leaderboard does: 0 for a
 * candidate and 1 for others, inverted score, time, submission id.
 */
export const board = sqliteTable(
	"board",
	{
		rankKey: text("rank_key").primaryKey(),
		agentId: text("agent_id").notNull(),
		submissionId: text("submission_id").notNull(),
		agentName: text("agent_name").notNull(),
		finalScore: real("final_score").notNull(),
		testScore: real("test_score"),
		llmScore: real("llm_score"),
		/** The standard deviation of the final score in points; null where nothing shows it. */
		spread: real("spread"),
		/** Whether a final round has confirmed the score. */
		confirmed: integer("confirmed", { mode: "boolean" }).notNull().default(false),
		comparisonGroup: integer("comparison_group").notNull().default(1),
		achievedAt: integer("achieved_at").notNull(),
	},
	(table) => [uniqueIndex("board_agent").on(table.agentId)],
);

/** Who takes part in the final round, with which submission. Written when the round begins to judge. */
export const finalCandidates = sqliteTable(
	"final_candidates",
	{
		agentId: text("agent_id").primaryKey(),
		submissionId: text("submission_id").notNull(),
		/** The candidate that is judged: this one, or one with the same work, which shares its judgement. */
		judgedId: text("judged_id").notNull(),
		/** Null while its judging has not ended. */
		outcome: text("outcome", { enum: CANDIDATE_OUTCOMES }),
		/** The evaluation that confirms it. */
		evaluationId: text("evaluation_id"),
	},
	(table) => [
		check("candidate_outcome", sql`outcome is null or ${isOneOf("outcome", CANDIDATE_OUTCOMES)}`),
		check("candidate_confirmed", sql`(outcome is 'confirmed') = (evaluation_id is not null)`),
		index("final_candidates_pending").on(table.judgedId).where(sql`outcome is null`),
	],
);

/** The text of each stored artifact, as it is compared with others. */
export const signatures = sqliteTable("signatures", {
	submissionId: text("submission_id").primaryKey(),
	agentId: text("agent_id").notNull(),
	artifactSha256: text("artifact_sha256"),
	/** Distinct shingles, counted up to 32; 0 when the artifact has no text to compare. */
	shingles: integer("shingles").notNull(),
	/** A MinHash signature in Base64; empty without shingles. */
	minima: text("minima").notNull(),
});

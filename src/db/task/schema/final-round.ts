import { sql } from "drizzle-orm";
import { check, index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { CANDIDATE_STATES, ROUND_STATUSES } from "../../../domain/final-round.ts";
import { isOneOf } from "../../schema/one-of.ts";

/** The final round of this object's task. A single row, which is added once a task with a final round has ended. */
export const finalRounds = sqliteTable(
	"final_rounds",
	{
		taskId: text("task_id").primaryKey(),
		status: text("status", { enum: ROUND_STATUSES }).notNull(),
		/** When the round ends at the latest: 72 hours after a consumer claims its first evaluation, not counting pauses. Null before that. */
		endsAt: integer("ends_at"),
		/** The task's ceiling when the round was reserved, in millionths of a US dollar. Null if the task had none. */
		ceiling: integer("ceiling"),
	},
	() => [check("final_round_status", isOneOf("status", ROUND_STATUSES))],
);

export type RoundRow = typeof finalRounds.$inferSelect;

/** The candidates of the final round, each with one submission. The rows are added when the round begins. */
export const finalCandidates = sqliteTable(
	"final_candidates",
	{
		agentId: text("agent_id").primaryKey(),
		submissionId: text("submission_id").notNull(),
		/**
		 * The submission that is judged for this candidate: its own, or that of another candidate with the same files, which shares its
		 * judgement.
		 */
		judgedId: text("judged_id").notNull(),
		/** Candidates that share a judgement have the same state. */
		state: text("state", { enum: CANDIDATE_STATES }).notNull().default("judging"),
		/** The candidate's place on the leaderboard before the round. */
		place: integer("place").notNull(),
		/** The expected cost of the candidate's samples, in millionths of a US dollar. Null before it has been estimated. */
		estimate: integer("estimate"),
		/** What is reserved under the task's ceiling for the candidate's samples that are still to come, in millionths of a US dollar. */
		reserved: integer("reserved").notNull().default(0),
		/** The id and the receipt of the evaluation, which a queue consumer creates once the candidates' order is decided. Null before that. */
		evaluationId: text("evaluation_id"),
		receipt: text("receipt"),
		signedAt: integer("signed_at"),
	},
	(table) => [
		check("candidate_state", isOneOf("state", CANDIDATE_STATES)),
		check("candidate_signed", sql`(evaluation_id is null) = (receipt is null) and (evaluation_id is null) = (signed_at is null)`),
		check("candidate_reserved", sql`reserved >= 0`),
		index("final_candidates_judged").on(table.judgedId),
	],
);

export type CandidateRow = typeof finalCandidates.$inferSelect;

/**
 * The judgements of a final round as JSON, until the candidates' order is decided. Stored in parts, because a row can have at most 2 MB.
 */
export const roundJudgements = sqliteTable(
	"round_judgements",
	{
		submissionId: text("submission_id").notNull(),
		/** True if the judgement contains only the additional samples of the second step. */
		isFurther: integer("is_further", { mode: "boolean" }).notNull(),
		part: integer("part").notNull(),
		text: text("text").notNull(),
	},
	(table) => [primaryKey({ columns: [table.submissionId, table.isFurther, table.part] })],
);

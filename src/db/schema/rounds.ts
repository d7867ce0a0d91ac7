import { sql } from "drizzle-orm";
import { check, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { CANDIDATE_OUTCOMES } from "../../domain/evaluation-rounds.ts";
import { isOneOf } from "./one-of.ts";
import { tasks } from "./tasks.ts";

/** Who takes part in a task's final round, with which submission. Written when the round begins to judge. */
export const finalCandidates = sqliteTable(
	"final_candidates",
	{
		taskId: text("task_id")
			.notNull()
			.references(() => tasks.id),
		agentId: text("agent_id").notNull(),
		submissionId: text("submission_id").notNull(),
		/** The candidate that is judged: this one, or one with nearly the same work, which shares its judgement. */
		judgedId: text("judged_id").notNull(),
		/** The job that judges it, or the work that it shares a judgement with. Null until the job exists. */
		jobId: text("job_id"),
		/** Null while its judging has not ended. */
		outcome: text("outcome", { enum: CANDIDATE_OUTCOMES }),
		/** The evaluation that confirms it. */
		evaluationId: text("evaluation_id"),
	},
	(table) => [
		primaryKey({ columns: [table.taskId, table.agentId] }),
		check("candidate_outcome", sql`outcome is null or ${isOneOf("outcome", CANDIDATE_OUTCOMES)}`),
		check("candidate_confirmed", sql`(outcome is 'confirmed') = (evaluation_id is not null)`),
		index("final_candidates_pending").on(table.taskId, table.judgedId).where(sql`outcome is null`),
	],
);

/** By whom a task's submissions were judged. Only scores of one group can be compared; a change of judge, models or prompt begins another. */
export const comparisonGroups = sqliteTable(
	"comparison_groups",
	{
		taskId: text("task_id")
			.notNull()
			.references(() => tasks.id),
		/** From 1, in the order in which the groups began. */
		number: integer("number").notNull(),
		/** Judge, models and prompt version as one text, so that a unique index compares them. */
		fingerprint: text("fingerprint").notNull(),
		judge: text("judge").notNull(),
		models: text("models", { mode: "json" }).$type<string[]>().notNull(),
		promptVersion: text("prompt_version"),
		since: integer("since").notNull(),
	},
	(table) => [
		primaryKey({ columns: [table.taskId, table.number] }),
		uniqueIndex("comparison_groups_fingerprint").on(table.taskId, table.fingerprint),
	],
);

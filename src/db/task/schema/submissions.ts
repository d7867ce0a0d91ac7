import { sql } from "drizzle-orm";
import { check, index, integer, primaryKey, real, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { CheckSamples } from "../../../domain/checks.ts";
import { EVALUATION_ROUNDS } from "../../../domain/evaluation-rounds.ts";
import { FAILURE_NAMES, type Failure } from "../../../domain/failures.ts";
import { SUBMISSION_STATUSES, type SubmissionStatus } from "../../../domain/submission-status.ts";
import type { ShownWait } from "../../../domain/waits.ts";
import { isOneOf } from "../../schema/one-of.ts";
import { LAST_TIER } from "./task.ts";

/** Queries repeat this condition word for word, so that SQLite uses the partial index. */
export const isNotCompleted = sql`status <> 'completed'`;

/** The fields of a submission that a re-evaluation changes, as they were before it. */
export interface RestoredState {
	readonly status: SubmissionStatus;
	readonly evaluated: boolean;
	readonly errorMessage: string | null;
	readonly ownerErrorMessage: string | null;
	readonly failure: Failure | null;
	readonly iteration: number;
}

/**
 * Submissions. Their scores are medians of the evaluations that count, and `iteration` is the number of the evaluation that was requested
 * last.
 */
export const submissions = sqliteTable(
	"submissions",
	{
		id: text("id").primaryKey(),
		agentId: text("agent_id").notNull(),
		status: text("status", { enum: SUBMISSION_STATUSES }).notNull(),
		evaluated: integer("evaluated", { mode: "boolean" }).notNull().default(false),
		/** The name on the leaderboard after the reveal, which is the agent's name at the time of the submission. */
		agentDisplayName: text("agent_display_name").notNull(),
		artifactKey: text("artifact_key"),
		artifactBytes: integer("artifact_bytes"),
		artifactSha256: text("artifact_sha256"),
		/** The size that the agent announced for the zip. A direct upload to the bucket must have exactly this size. */
		announcedBytes: integer("announced_bytes"),
		/** The titles of the sections that SUBMISSION.md lacks. */
		missingSections: text("missing_sections", { mode: "json" }).$type<string[]>(),
		/** Why the evaluation failed, for the agent. */
		errorMessage: text("error_message"),
		/** Why the evaluation failed, for the task's owner. Null if the owner gets the same message as the agent. */
		ownerErrorMessage: text("owner_error_message"),
		/** The class of the failure, which every reader sees. Written together with `error_message`. */
		failure: text("failure", { enum: FAILURE_NAMES }),
		/** The supplier's own message about the fault that made the evaluation fail. Only operators see it. */
		supplierWords: text("supplier_words"),
		/** What the evaluation is waiting for. Copied from the job, because lists read only submissions. */
		waitingFor: text("waiting_for", { mode: "json" }).$type<ShownWait>(),
		finalScore: real("final_score"),
		testScore: real("test_score"),
		llmScore: real("llm_score"),
		containerScore: real("container_score"),
		/** The score that judges gave, without the scores that a person gave in a review. */
		judgeScore: real("judge_score"),
		/** The standard deviation of the newest evaluation's samples, in points. */
		spread: real("spread"),
		/** The number of samples of each criterion behind the score, which depends on the round. */
		samples: integer("samples"),
		/** The comparison group of the evaluations that the scores are based on. */
		comparisonGroup: integer("comparison_group"),
		/** When the last evaluation with a score ended. */
		evaluatedAt: integer("evaluated_at"),
		/** The evaluation whose report readers see. */
		shownEvaluationId: text("shown_evaluation_id"),
		/** When a judge first reported that text in the submission was trying to influence the judge. */
		injectionReportedAt: integer("injection_reported_at"),
		/** True if a person has given the score. */
		isByPerson: integer("is_by_person", { mode: "boolean" }).notNull().default(false),
		iteration: integer("iteration").notNull().default(0),
		/** The submission's state before the running re-evaluation. It is restored if the re-evaluation ends without a score. */
		restored: text("restored", { mode: "json" }).$type<RestoredState>(),
		/** When a re-evaluation was last requested. */
		reEvaluatedAt: integer("re_evaluated_at"),
		slotReturned: integer("slot_returned", { mode: "boolean" }).notNull().default(false),
		/** When an operator of the deployment voided the submission, for the reason in `void_reason`. Its evaluations are kept. */
		voidedAt: integer("voided_at"),
		voidReason: text("void_reason"),
		/** The id of the operator's action in the audit log. */
		voidAct: text("void_act"),
		/** Increases with each change that readers see. The card and the streams contain it. */
		revision: integer("revision").notNull().default(1),
		/** When the artifact became final. Null for a submission without an artifact. */
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
		// The owner can list submissions by status and by score. Most are completed, so the index by status omits them.
		index("submissions_status").on(table.status, table.id).where(isNotCompleted),
		index("submissions_score").on(table.finalScore, table.id).where(sql`evaluated = 1`),
		// For the owner's list of reviews.
		index("submissions_suspect").on(table.id).where(sql`injection_reported_at is not null or spread >= 10`),
	],
);

export type SubmissionRow = typeof submissions.$inferSelect;

/** Evaluations: every judgement of a submission that led to a score, and who made it and how. Rows are only added. */
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
		/** The model that confirmed the quotes. Null if there was none, or if each of several models confirmed its own quotes. */
		confirmedBy: text("confirmed_by"),
		promptVersion: text("prompt_version"),
		/** The temperature that the judge set. Null if it set none. */
		temperature: real("temperature"),
		/** The number of the comparison group. Evaluations in the same group can be compared, because the judge had the same configuration. */
		comparisonGroup: integer("comparison_group").notNull(),
		imageDigest: text("image_digest"),
		finalScore: real("final_score").notNull(),
		testScore: real("test_score"),
		llmScore: real("llm_score"),
		containerScore: real("container_score"),
		/** For each criterion, the score and the weight in percent. */
		dimensions: text("dimensions", { mode: "json" }).$type<{ criterion: string; weight: number; score: number }[]>().notNull(),
		/** The samples behind the scores. Empty if neither a person nor a model judge gave a score. */
		samples: text("samples", { mode: "json" }).$type<CheckSamples>().notNull(),
		/** What the agent's payer paid for the attempt that led to the score, in millionths of a US dollar. Null if another party paid. */
		paidMicroUsd: integer("paid_micro_usd"),
		/** The standard deviation of `final_score` in points, computed from the samples. Null if there are too few samples. */
		spread: real("spread"),
		/** The receipt, which is the signed record of this row, as a compact JWS. */
		receipt: text("receipt").notNull(),
		createdAt: integer("created_at").notNull(),
	},
	(table) => [
		primaryKey({ columns: [table.submissionId, table.iteration] }),
		check("evaluation_round", isOneOf("round", EVALUATION_ROUNDS)),
		check("evaluation_score", sql`final_score between 0 and 100`),
	],
);

export type EvaluationRow = typeof evaluations.$inferSelect;

/**
 * Reports: the text of an evaluation or a dry run as JSON, such as reasoning, evidence, breakdown and logs. Stored in parts, because a row
 * can have at most 2 MB.
 */
export const reports = sqliteTable(
	"reports",
	{
		/** The id of an evaluation or a dry run. */
		subjectId: text("subject_id").notNull(),
		part: integer("part").notNull(),
		text: text("text").notNull(),
	},
	(table) => [primaryKey({ columns: [table.subjectId, table.part] })],
);

/** Comparison groups. Each stands for one configuration of the judge, and only scores in the same group can be compared. */
export const comparisonGroups = sqliteTable(
	"comparison_groups",
	{
		/** The number of the group, from 1, in the order in which groups began. */
		number: integer("number").primaryKey(),
		/** The judge's configuration as one string, so that a unique index can compare it. */
		fingerprint: text("fingerprint").notNull(),
		judge: text("judge").notNull(),
		models: text("models", { mode: "json" }).$type<string[]>().notNull(),
		promptVersion: text("prompt_version"),
		since: integer("since").notNull(),
	},
	(table) => [uniqueIndex("comparison_groups_fingerprint").on(table.fingerprint)],
);

/**
 * The leaderboard: the submission that each agent ranks with. Sorting by `rankKey` gives the order of the leaderboard, because the key
 * consists of tier, inverted score, time and submission id.
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
		/** The number of samples of each criterion behind the score. The noise of the score is predicted from it. */
		samples: integer("samples").notNull(),
		/** The agent's tier on this task, as in `entries`. */
		tier: integer("tier").notNull().default(LAST_TIER),
		/** True if a person has given the score. */
		isByPerson: integer("is_by_person", { mode: "boolean" }).notNull().default(false),
		comparisonGroup: integer("comparison_group").notNull().default(1),
		achievedAt: integer("achieved_at").notNull(),
	},
	(table) => [uniqueIndex("board_agent").on(table.agentId)],
);

export type BoardRow = typeof board.$inferSelect;

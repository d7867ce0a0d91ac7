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

/** What a re-evaluation replaces in a submission. */
export interface RestoredState {
	readonly status: SubmissionStatus;
	readonly evaluated: boolean;
	readonly errorMessage: string | null;
	readonly ownerErrorMessage: string | null;
	readonly failure: Failure | null;
	readonly iteration: number;
}

/** Scores are medians over the submission's evaluations. `iteration` is the number of the last one requested. */
export const submissions = sqliteTable(
	"submissions",
	{
		id: text("id").primaryKey(),
		agentId: text("agent_id").notNull(),
		status: text("status", { enum: SUBMISSION_STATUSES }).notNull(),
		evaluated: integer("evaluated", { mode: "boolean" }).notNull().default(false),
		/** The name on the leaderboard after the reveal, which is the name at the time of the submission. */
		agentDisplayName: text("agent_display_name").notNull(),
		artifactKey: text("artifact_key"),
		artifactBytes: integer("artifact_bytes"),
		artifactSha256: text("artifact_sha256"),
		/** The zip's size as announced by the agent. A direct upload to the bucket must have exactly this size. */
		announcedBytes: integer("announced_bytes"),
		/** The titles of the sections that SUBMISSION.md lacks. */
		missingSections: text("missing_sections", { mode: "json" }).$type<string[]>(),
		/** The reason for a failed evaluation, for the agent. */
		errorMessage: text("error_message"),
		/** The reason that the task's owner reads instead. Null if it is the same text. */
		ownerErrorMessage: text("owner_error_message"),
		/** The class of the failure, which is public. Written with `error_message`. */
		failure: text("failure", { enum: FAILURE_NAMES }),
		/** The supplier's words about the fault that the evaluation failed with, only for operators. */
		supplierWords: text("supplier_words"),
		/** What its evaluation waits for. The job has it too, but lists read only submissions. */
		waitingFor: text("waiting_for", { mode: "json" }).$type<ShownWait>(),
		finalScore: real("final_score"),
		testScore: real("test_score"),
		llmScore: real("llm_score"),
		containerScore: real("container_score"),
		/** The judge's score. It differs from `final_score` after a person gave scores. */
		judgeScore: real("judge_score"),
		/** The standard deviation of the newest evaluation's samples, in points. */
		spread: real("spread"),
		/** The number of samples of each criterion behind the score, by the rule of its round. */
		samples: integer("samples"),
		/** The comparison group of the evaluations behind the scores. */
		comparisonGroup: integer("comparison_group"),
		/** When the last evaluation with scores ended. */
		evaluatedAt: integer("evaluated_at"),
		/** The evaluation whose report readers see. */
		shownEvaluationId: text("shown_evaluation_id"),
		/** When a judge first reported text that tries to influence it. */
		injectionReportedAt: integer("injection_reported_at"),
		/** If true, a person has given the score. */
		isByPerson: integer("is_by_person", { mode: "boolean" }).notNull().default(false),
		iteration: integer("iteration").notNull().default(0),
		/** The state before the running re-evaluation. If that ends without a score, this is restored. */
		restored: text("restored", { mode: "json" }).$type<RestoredState>(),
		/** When a re-evaluation was last requested. */
		reEvaluatedAt: integer("re_evaluated_at"),
		slotReturned: integer("slot_returned", { mode: "boolean" }).notNull().default(false),
		/** When and why an operator of the deployment removed it from the competition. Its evaluations are kept. */
		voidedAt: integer("voided_at"),
		voidReason: text("void_reason"),
		/** The id of the action in the audit log. */
		voidAct: text("void_act"),
		/** Increases with each change that readers see. The card and the stream contain it. */
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
		// The owner lists by status and by score. Most submissions are completed, so they need no separate index.
		index("submissions_status").on(table.status, table.id).where(isNotCompleted),
		index("submissions_score").on(table.finalScore, table.id).where(sql`evaluated = 1`),
		// For the owner's list of reviews.
		index("submissions_suspect").on(table.id).where(sql`injection_reported_at is not null or spread >= 10`),
	],
);

export type SubmissionRow = typeof submissions.$inferSelect;

/** Every judgement, with who made it and how. Rows are only ever added. */
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
		/** The model that confirmed the quotes. Null if none did, or if each of several models confirmed its own. */
		confirmedBy: text("confirmed_by"),
		promptVersion: text("prompt_version"),
		/** Null if the judge requested no temperature. */
		temperature: real("temperature"),
		/** Evaluations are comparable if the judge was configured in the same way. */
		comparisonGroup: integer("comparison_group").notNull(),
		imageDigest: text("image_digest"),
		finalScore: real("final_score").notNull(),
		testScore: real("test_score"),
		llmScore: real("llm_score"),
		containerScore: real("container_score"),
		/** The score and the weight in percent of each criterion. */
		dimensions: text("dimensions", { mode: "json" }).$type<{ criterion: string; weight: number; score: number }[]>().notNull(),
		/** The samples behind the scores. Only people and judges that read the files give samples. */
		samples: text("samples", { mode: "json" }).$type<CheckSamples>().notNull(),
		/** What the agent's payer paid for the attempt that gave the score, in millionths of a US dollar. Null if others paid. */
		paidMicroUsd: integer("paid_micro_usd"),
		/** The standard deviation of `final_score` in points, as far as the samples show it. */
		spread: real("spread"),
		/** The receipt: the signed record of this row, a compact JWS. */
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
 * Reports: the texts of an evaluation or a dry run as JSON (reasoning, evidence, breakdown, logs). Stored in parts, because a row holds at
 * most 2 MB.
 */
export const reports = sqliteTable(
	"reports",
	{
		/** An evaluation or a dry run. */
		subjectId: text("subject_id").notNull(),
		part: integer("part").notNull(),
		text: text("text").notNull(),
	},
	(table) => [primaryKey({ columns: [table.subjectId, table.part] })],
);

/**
 * Comparison groups: who judged. Only scores in the same group can be compared, so a change to the judge's configuration starts a new
 * group.
 */
export const comparisonGroups = sqliteTable(
	"comparison_groups",
	{
		/** Numbered from 1 in the order in which they began. */
		number: integer("number").primaryKey(),
		/** The judge's identity as one text, so that a unique index can compare it. */
		fingerprint: text("fingerprint").notNull(),
		judge: text("judge").notNull(),
		models: text("models", { mode: "json" }).$type<string[]>().notNull(),
		promptVersion: text("prompt_version"),
		since: integer("since").notNull(),
	},
	(table) => [uniqueIndex("comparison_groups_fingerprint").on(table.fingerprint)],
);

/**
 * The leaderboard: the submission that each agent ranks with. `rankKey` sorts like the leaderboard: tier, inverted score, time, submission
 * id.
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
		/** The number of samples of each criterion behind the score, which determines the noise of judging. */
		samples: integer("samples").notNull(),
		/** The agent's tier. */
		tier: integer("tier").notNull().default(LAST_TIER),
		/** If true, a person has given the score. */
		isByPerson: integer("is_by_person", { mode: "boolean" }).notNull().default(false),
		comparisonGroup: integer("comparison_group").notNull().default(1),
		achievedAt: integer("achieved_at").notNull(),
	},
	(table) => [uniqueIndex("board_agent").on(table.agentId)],
);

export type BoardRow = typeof board.$inferSelect;

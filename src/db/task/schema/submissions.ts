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

/** A re-evaluation replaces this of a submission. */
export interface RestoredState {
	readonly status: SubmissionStatus;
	readonly evaluated: boolean;
	readonly errorMessage: string | null;
	readonly ownerErrorMessage: string | null;
	readonly failure: Failure | null;
	readonly iteration: number;
}

/** Scores are medians over the submission's evaluations; `iteration` is the number of the last one requested. */
export const submissions = sqliteTable(
	"submissions",
	{
		id: text("id").primaryKey(),
		agentId: text("agent_id").notNull(),
		status: text("status", { enum: SUBMISSION_STATUSES }).notNull(),
		evaluated: integer("evaluated", { mode: "boolean" }).notNull().default(false),
		/** The leaderboard shows this name after the reveal. It is the name at the time of the submission. */
		agentDisplayName: text("agent_display_name").notNull(),
		artifactKey: text("artifact_key"),
		artifactBytes: integer("artifact_bytes"),
		artifactSha256: text("artifact_sha256"),
		/** The agent announced this size of its zip, and a direct upload to the bucket has exactly this size. */
		announcedBytes: integer("announced_bytes"),
		/** SUBMISSION.md lacks the sections with these titles. */
		missingSections: text("missing_sections", { mode: "json" }).$type<string[]>(),
		/** The agent reads this reason of a failed evaluation. */
		errorMessage: text("error_message"),
		/** The task's owner reads this reason instead. Null if both texts are equal. */
		ownerErrorMessage: text("owner_error_message"),
		/** The class of the failure is public. It is written with `error_message`. */
		failure: text("failure", { enum: FAILURE_NAMES }),
		/** The supplier said this about the fault that the evaluation has failed with. Only operators read it. */
		supplierWords: text("supplier_words"),
		/** Its evaluation waits for this. The job has it too, but lists read only submissions. */
		waitingFor: text("waiting_for", { mode: "json" }).$type<ShownWait>(),
		finalScore: real("final_score"),
		testScore: real("test_score"),
		llmScore: real("llm_score"),
		containerScore: real("container_score"),
		/** The judge's score. It differs from `final_score` after a person has given scores. */
		judgeScore: real("judge_score"),
		/** The samples of the newest evaluation show this standard deviation in points. */
		spread: real("spread"),
		/** The score rests on this number of samples of each criterion, by the rule of its round. */
		samples: integer("samples"),
		/** The evaluations behind the scores belong to this comparison group. */
		comparisonGroup: integer("comparison_group"),
		/** When the last evaluation with scores ended. */
		evaluatedAt: integer("evaluated_at"),
		/** Readers see the report of this evaluation. */
		shownEvaluationId: text("shown_evaluation_id"),
		/** When the judge has first reported text that tries to influence it. */
		injectionReportedAt: integer("injection_reported_at"),
		/** If true, a person has given the score. */
		isByPerson: integer("is_by_person", { mode: "boolean" }).notNull().default(false),
		iteration: integer("iteration").notNull().default(0),
		/** A re-evaluation is under way. If it ends without a score, the submission has this again. */
		restored: text("restored", { mode: "json" }).$type<RestoredState>(),
		/** When the re-evaluation was last requested. */
		reEvaluatedAt: integer("re_evaluated_at"),
		slotReturned: integer("slot_returned", { mode: "boolean" }).notNull().default(false),
		/** When the operator of the deployment took it out of the competition, for this reason. Its evaluations stay. */
		voidedAt: integer("voided_at"),
		voidReason: text("void_reason"),
		/** The audit log has the act under this id. */
		voidAct: text("void_act"),
		/** The revision numbers the changes that readers see. The card and the stream carry it. */
		revision: integer("revision").notNull().default(1),
		/** The artifact could no longer change from this time on. Null for a submission that has none. */
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
		// The owner lists by status and by score. Most submissions are completed, so their list needs no separate index.
		index("submissions_status").on(table.status, table.id).where(isNotCompleted),
		index("submissions_score").on(table.finalScore, table.id).where(sql`evaluated = 1`),
		// The owner's list of reviews finds these.
		index("submissions_suspect").on(table.id).where(sql`injection_reported_at is not null or spread >= 10`),
	],
);

export type SubmissionRow = typeof submissions.$inferSelect;

/** Every judgement stays here, with who made it and how. Rows are only ever added. */
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
		/** This model confirmed the quotes. Null if none did, or if each of several models confirmed its own. */
		confirmedBy: text("confirmed_by"),
		promptVersion: text("prompt_version"),
		/** Null where the judge requested none. */
		temperature: real("temperature"),
		/** Evaluations are comparable when the judge was configured in the same way. */
		comparisonGroup: integer("comparison_group").notNull(),
		imageDigest: text("image_digest"),
		finalScore: real("final_score").notNull(),
		testScore: real("test_score"),
		llmScore: real("llm_score"),
		containerScore: real("container_score"),
		/** Each criterion has its score and its weight in percent. */
		dimensions: text("dimensions", { mode: "json" }).$type<{ criterion: string; weight: number; score: number }[]>().notNull(),
		/** The scores follow from these samples. Only a judge that reads the files and a person have some. */
		samples: text("samples", { mode: "json" }).$type<CheckSamples>().notNull(),
		/** The agent's payer has paid this for the attempt that brought the score, in millionths of a US dollar. Null if others have. */
		paidMicroUsd: integer("paid_micro_usd"),
		/** `final_score` has this standard deviation in points, as far as the samples show it. */
		spread: real("spread"),
		/** The receipt is the signed record of this row, a compact JWS. */
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
 * Reports are the texts of an evaluation or a dry run as JSON: reasoning, evidence, breakdown, logs. They are stored in parts, because a
 * row holds at most 2 MB.
 */
export const reports = sqliteTable(
	"reports",
	{
		/** The subject is an evaluation or a dry run. */
		subjectId: text("subject_id").notNull(),
		part: integer("part").notNull(),
		text: text("text").notNull(),
	},
	(table) => [primaryKey({ columns: [table.subjectId, table.part] })],
);

/** A comparison group says who judged. Only scores of one group can be compared, so a change of the judge's configuration begins another. */
export const comparisonGroups = sqliteTable(
	"comparison_groups",
	{
		/** Groups are numbered from 1 in the order in which they began. */
		number: integer("number").primaryKey(),
		/** The fingerprint has the identity of the judge as one text, so that a unique index compares it. */
		fingerprint: text("fingerprint").notNull(),
		judge: text("judge").notNull(),
		models: text("models", { mode: "json" }).$type<string[]>().notNull(),
		promptVersion: text("prompt_version"),
		since: integer("since").notNull(),
	},
	(table) => [uniqueIndex("comparison_groups_fingerprint").on(table.fingerprint)],
);

/**
 * The board has the submission that each agent ranks with. `rankKey` sorts as the leaderboard does: tier, inverted score, time, submission
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
		/** The score rests on this number of samples of each criterion. The noise of judging follows from it. */
		samples: integer("samples").notNull(),
		/** The agent has this tier. */
		tier: integer("tier").notNull().default(LAST_TIER),
		/** If true, a person has given the score. */
		isByPerson: integer("is_by_person", { mode: "boolean" }).notNull().default(false),
		comparisonGroup: integer("comparison_group").notNull().default(1),
		achievedAt: integer("achieved_at").notNull(),
	},
	(table) => [uniqueIndex("board_agent").on(table.agentId)],
);

export type BoardRow = typeof board.$inferSelect;

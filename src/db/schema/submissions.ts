import { type SQL, sql } from "drizzle-orm";
import { check, index, integer, real, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { EVALUATION_ROUNDS, type SampleRecords } from "../../domain/evaluation-rounds.ts";
import { FAILURE_NAMES } from "../../domain/failures.ts";
import { SUBMISSION_STATUSES } from "../../domain/submission-status.ts";
import { agents } from "./agents.ts";
import { jobColumns } from "./job-columns.ts";
import { isOneOf } from "./one-of.ts";
import { tasks } from "./tasks.ts";

/** The score that lists show, below every score where there is none; queries that order by it repeat it word for word. */
export const shownScore = sql<number>`(case when evaluated then final_score else -1 end)`;

/** {@link shownScore} without a score: sorts below every score. */
export const UNSCORED = -1;

/** Scores are medians over the submission's evaluations; `iteration` is the number of the last one requested. */
export const submissions = sqliteTable(
	"submissions",
	{
		id: text("id").primaryKey(),
		taskId: text("task_id")
			.notNull()
			.references(() => tasks.id),
		agentId: text("agent_id")
			.notNull()
			.references(() => agents.id),
		status: text("status", { enum: SUBMISSION_STATUSES }).notNull(),
		evaluated: integer("evaluated", { mode: "boolean" }).notNull().default(false),
		/** The name shown on the leaderboard after reveal, as it was when submitting. */
		agentDisplayName: text("agent_display_name").notNull(),
		artifactKey: text("artifact_key"),
		artifactBytes: integer("artifact_bytes"),
		artifactSha256: text("artifact_sha256"),
		/** JSON array of section titles that SUBMISSION.md lacks. */
		missingSections: text("missing_sections", { mode: "json" }).$type<string[]>(),
		/** The reason of a failed evaluation, as the agent reads it. */
		errorMessage: text("error_message"),
		/** The same as the task's owner reads it, with details that the agent must not see. Null if both texts are equal. */
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
		/** The key in R2 of the report that is shown: reasoning, evidence, logs. */
		reportKey: text("report_key"),
		iteration: integer("iteration").notNull().default(0),
		/** When a re-evaluation was last requested. */
		reEvaluatedAt: integer("re_evaluated_at"),
		/** Evaluations that came to no score through its own files. */
		ownFailures: integer("own_failures").notNull().default(0),
		slotReturned: integer("slot_returned", { mode: "boolean" }).notNull().default(false),
		/** When an operator of the deployment took it out of the competition, and why. Its evaluations stay. */
		voidedAt: integer("voided_at"),
		voidReason: text("void_reason"),
		revision: integer("revision").notNull().default(1),
		/** When its artifact could no longer change. Null for one that has none; `created_at` can be long before. */
		handedInAt: integer("handed_in_at"),
		createdAt: integer("created_at").notNull(),
		updatedAt: integer("updated_at").notNull(),
	},
	(table) => [
		check("submission_status", isOneOf("status", SUBMISSION_STATUSES)),
		// The owner's list of the best relies on it: all that are completed have a score, and no others are shown with one.
		check(
			"submission_scored",
			sql`evaluated = (status = 'completed') and (evaluated = 0 or (final_score is not null and evaluated_at is not null))`,
		),
		index("submissions_agent").on(table.agentId, table.id),
		index("submissions_agent_task").on(table.agentId, table.taskId, table.id),
		// The owner's list by time, with and without a status, and by score.
		index("submissions_task").on(table.taskId, table.id),
		index("submissions_task_status").on(table.taskId, table.status, table.id),
		index("submissions_task_score").on(table.taskId, shownScore, table.id),
		index("submissions_agent_score").on(table.agentId, table.finalScore).where(sql`final_score is not null`),
	],
);

/** An expression: when a submission `s` was handed in, which decides between equal scores. A slot can be reserved long before. */
export const handedInAt: SQL = sql`coalesce(s.handed_in_at, s.created_at)`;

/** An expression: 1 while one of the task's submissions is being evaluated, else 0. The index `submissions_task_status` serves it. */
export function hasRunningSubmission(taskId: string): SQL {
	return sql`exists (select 1 from submissions where task_id = ${taskId} and status = 'running')`;
}

/** Append-only: every judgement that was ever made, and who made it with what. */
export const evaluations = sqliteTable(
	"evaluations",
	{
		id: text("id").primaryKey(),
		submissionId: text("submission_id")
			.notNull()
			.references(() => submissions.id),
		iteration: integer("iteration").notNull(),
		/** The job that has made it, which saves jobs an index by submission. Null for a score without a job. */
		jobId: text("job_id"),
		round: text("round", { enum: EVALUATION_ROUNDS }).notNull(),
		evalMode: text("eval_mode").notNull(),
		rubricVersion: integer("rubric_version").notNull(),
		artifactSha256: text("artifact_sha256"),
		judge: text("judge").notNull(),
		models: text("models", { mode: "json" }).$type<string[]>().notNull(),
		promptVersion: text("prompt_version"),
		/** Evaluations of one task are comparable when judge, models and prompt version are the same. */
		comparisonGroup: integer("comparison_group").notNull(),
		imageDigest: text("image_digest"),
		finalScore: real("final_score").notNull(),
		testScore: real("test_score"),
		llmScore: real("llm_score"),
		containerScore: real("container_score"),
		/** Scores by criterion, from which a submission's medians are made, with the criterion's weight in percent. */
		dimensions: text("dimensions", { mode: "json" }).$type<{ criterion: string; weight: number; score: number }[]>().notNull(),
		/** Every opinion that these scores are the medians of; empty for an outside judge. */
		samples: text("samples", { mode: "json" }).$type<SampleRecords>().notNull(),
		/** The standard deviation of `final_score` in points, as far as the samples show it. */
		spread: real("spread"),
		reportKey: text("report_key").notNull(),
		/** The signed record of this row, a compact JWS. */
		receipt: text("receipt").notNull(),
		createdAt: integer("created_at").notNull(),
	},
	(table) => [
		uniqueIndex("evaluations_iteration").on(table.submissionId, table.iteration),
		check("evaluation_round", sql`round in ('submission','re_evaluation','final')`),
		check("evaluation_score", sql`final_score between 0 and 100`),
	],
);

/** Every public key that has signed a receipt. The platform removes no row, so that old receipts can be verified. */
export const receiptKeys = sqliteTable("receipt_keys", {
	/** The key's thumbprint (RFC 7638), the `kid` of its receipts. */
	id: text("id").primaryKey(),
	/** The public Ed25519 key in base64url. */
	x: text("x").notNull(),
	/** When it signed its first receipt. */
	createdAt: integer("created_at").notNull(),
});

/** The work of one evaluation. Only the holder of the unexpired lease works on it and writes its result. */
export const evaluationJobs = sqliteTable(
	"evaluation_jobs",
	{
		id: text("id").primaryKey(),
		submissionId: text("submission_id")
			.notNull()
			.references(() => submissions.id),
		iteration: integer("iteration").notNull(),
		round: text("round", { enum: EVALUATION_ROUNDS }).notNull(),
		attempts: integer("attempts").notNull().default(0),
		/** Attempts that ended in a fault. Waiting for a judge or grader does not count. */
		faults: integer("faults").notNull().default(0),
		/** Origin of the request that started the evaluation, for URLs in requests to outside judges and graders. */
		origin: text("origin").notNull().default(""),
		...jobColumns,
		outcome: text("outcome", { enum: ["scored", "failed"] }),
		/** The human, operator or agent behind the submission. */
		party: text("party").notNull().default(""),
		/** Its place among the jobs that have not begun (db/turns.ts). The smallest is next. */
		turn: integer("turn").notNull().default(0),
		agentTurn: integer("agent_turn").notNull().default(0),
		partyTurn: integer("party_turn").notNull().default(0),
		createdAt: integer("created_at").notNull(),
		finishedAt: integer("finished_at"),
	},
	(table) => [
		uniqueIndex("evaluation_jobs_active").on(table.submissionId).where(sql`finished_at is null`),
		// Jobs that have not begun, in the order in which consumers take them. Sweeps read all unfinished jobs once a minute.
		index("evaluation_jobs_untouched").on(table.turn, table.partyTurn).where(sql`finished_at is null and attempts = 0`),
		index("evaluation_jobs_failed").on(table.id).where(sql`outcome = 'failed'`),
	],
);

/** The runs that graders were asked for. Recorded before the request, so the sweep can stop every run. */
export const graderRuns = sqliteTable(
	"grader_runs",
	{
		/** The run's id at the grader. */
		id: text("id").primaryKey(),
		/** A row of evaluation_jobs or trials. */
		jobId: text("job_id").notNull(),
		/** The number within its job, from 1. A later run supersedes it. */
		run: integer("run").notNull(),
		createdAt: integer("created_at").notNull(),
	},
	(table) => [index("grader_runs_job").on(table.jobId, table.run)],
);

import { type SQL, sql } from "drizzle-orm";
import { check, index, integer, real, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { FAILURE_NAMES } from "../../domain/failures.ts";
import { SUBMISSION_STATUSES } from "../../domain/submission-status.ts";
import { agents } from "./agents.ts";
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

/** Every public key that has signed a receipt. The platform removes no row, so that old receipts can be verified. */
export const receiptKeys = sqliteTable("receipt_keys", {
	/** The key's thumbprint (RFC 7638), the `kid` of its receipts. */
	id: text("id").primaryKey(),
	/** The public Ed25519 key in base64url. */
	x: text("x").notNull(),
	/** When it signed its first receipt. */
	createdAt: integer("created_at").notNull(),
});

import { type SQL, sql } from "drizzle-orm";
import { check, index, integer, real, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { BLAMES } from "../../domain/evaluation-fault.ts";
import { TRIAL_KINDS, TRIAL_STATUSES } from "../../domain/trials.ts";
import { jobColumns } from "./job-columns.ts";
import { isOneOf } from "./one-of.ts";
import { tasks } from "./tasks.ts";

/**
 * What is judged without being a submission, together with the job that judges it. A table of its own, so that no query about
 * submissions can see it. Only the holder of the unexpired lease works on a row and writes its result.
 */
export const trials = sqliteTable(
	"trials",
	{
		id: text("id").primaryKey(),
		taskId: text("task_id")
			.notNull()
			.references(() => tasks.id),
		kind: text("kind", { enum: TRIAL_KINDS }).notNull(),
		/** The label of a dry run, or the name of a case of the judge check. */
		name: text("name"),
		/** The highest score at which a case of the judge check passes. */
		expectedAtMost: real("expected_at_most"),
		/** Scores that the poster expects of a dry run, by criterion. */
		expected: text("expected", { mode: "json" }).$type<Readonly<Record<string, number>>>(),
		status: text("status", { enum: TRIAL_STATUSES }).notNull().default("running"),
		/** Null until the files of a case are packed. */
		artifactKey: text("artifact_key"),
		artifactSha256: text("artifact_sha256"),
		/** JSON array of section titles that SUBMISSION.md lacks. */
		missingSections: text("missing_sections", { mode: "json" }).$type<string[]>(),
		finalScore: real("final_score"),
		testScore: real("test_score"),
		llmScore: real("llm_score"),
		containerScore: real("container_score"),
		/** Scores by criterion. */
		dimensions: text("dimensions", { mode: "json" }).$type<readonly { readonly criterion: string; readonly score: number }[]>(),
		reportKey: text("report_key"),
		/** The reason of a failure, as the task's owner reads it. */
		errorMessage: text("error_message"),
		/** Who must change something, when there is no score. */
		blame: text("blame", { enum: BLAMES }),
		attempts: integer("attempts").notNull().default(0),
		/** Attempts that ended in a fault. Waiting for a grader does not count. */
		faults: integer("faults").notNull().default(0),
		/** Origin of the request that started it, for URLs in requests to graders. */
		origin: text("origin").notNull(),
		...jobColumns,
		createdAt: integer("created_at").notNull(),
		finishedAt: integer("finished_at"),
	},
	(table) => [
		check("trial_kind", isOneOf("kind", TRIAL_KINDS)),
		check("trial_status", isOneOf("status", TRIAL_STATUSES)),
		check("trial_finished", sql`(status = 'running') = (finished_at is null)`),
		check("trial_scored", sql`(status = 'completed') = (final_score is not null)`),
		index("trials_task").on(table.taskId, table.kind, table.createdAt, table.id),
		uniqueIndex("trials_case").on(table.taskId, table.name).where(sql`kind = 'judge_check'`),
		uniqueIndex("trials_artifact").on(table.artifactKey).where(sql`artifact_key is not null`),
		uniqueIndex("trials_report").on(table.reportKey).where(sql`report_key is not null`),
		index("trials_due").on(table.dueAt).where(sql`finished_at is null`),
	],
);

/** A condition: a dry run of the task that counts towards its limit. Those that the platform failed do not. */
export function isCountedDryRun(taskId: string, since: number): SQL {
	return sql`task_id = ${taskId} and kind = 'dry_run' and created_at > ${since} and coalesce(blame, '') <> 'platform'`;
}

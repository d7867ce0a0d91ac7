// Which rows a task's archive takes out of D1, and how a query sees that it has (features/task-archive).
import { type SQL, sql } from "drizzle-orm";
import { stateChanges } from "./schema/changes.ts";
import { evaluationJobs, evaluations } from "./schema/submissions.ts";
import { judgeUsage } from "./schema/usage.ts";

/** The tables whose rows move, by name, each with the column that names the submission. */
export const ARCHIVED_TABLES = {
	evaluations: { table: evaluations, submission: "submission_id" },
	evaluation_jobs: { table: evaluationJobs, submission: "submission_id" },
	judge_usage: { table: judgeUsage, submission: "submission_id" },
	state_changes: { table: stateChanges, submission: "subject_id" },
} as const;

/** A column: the object with a submission's archived rows; null while they are in D1. Reads one row. */
export function archiveKeyOf(taskId: SQL, submissionId: SQL): SQL<string | null> {
	return sql<string | null>`(
		select archive.key from task_archives as archive
		where archive.task_id = ${taskId} and archive.last_id >= ${submissionId} order by archive.last_id limit 1)`;
}

// The tables whose rows the archive moves out of D1, and how queries find archived rows (features/task-archive).
import { getTableColumns, type SQL, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
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

/**
 * What selects the rows that move, by table. Jobs that failed have no evaluation. They stay, because lists of operators show them.
 *
 * @param taskId SQL for the task.
 * @param ids SQL that selects its submissions.
 */
export function selectMovingRows({ taskId, ids }: { taskId: string; ids: string }): Readonly<Record<keyof typeof ARCHIVED_TABLES, string>> {
	return {
		evaluations: `select * from evaluations where submission_id in ${ids}`,
		evaluation_jobs: `select * from evaluation_jobs
			where finished_at is not null and id in (select job_id from evaluations where submission_id in ${ids})`,
		judge_usage: `select * from judge_usage where task_id = ${taskId} and submission_id in ${ids}`,
		state_changes: `select * from state_changes where subject_id in ${ids}`,
	};
}

/** A column: the object with a submission's archived rows; null while they are in D1. Reads one row. */
export function archiveKeyOf(taskId: SQL, submissionId: SQL): SQL<string | null> {
	return sql<string | null>`(
		select archive.key from task_archives as archive
		where archive.task_id = ${taskId} and archive.last_id >= ${submissionId} order by archive.last_id limit 1)`;
}

/** Converts an archived row to a row of its table. */
export function toRow<Table extends SQLiteTable>(table: Table, raw: Readonly<Record<string, unknown>>): Table["$inferSelect"] {
	const entries = Object.entries(getTableColumns(table)).map(([name, column]) => {
		const value = raw[column.name];
		return [name, value === null ? null : column.mapFromDriverValue(value)];
	});
	// The row came from this table, and a migration that changes the table must also bring its archived rows along.
	return Object.fromEntries(entries) as Table["$inferSelect"];
}

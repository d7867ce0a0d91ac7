import * as z from "zod";
import type { ARCHIVED_TABLES } from "../../db/archived.ts";
import type { RoundStatus } from "../../domain/evaluation-rounds.ts";
import type { SubmissionStatus } from "../../domain/submission-status.ts";
import { TASK_TRANSITIONS, type TaskStatus } from "../../domain/task-status.ts";

export const OBJECT_PREFIX = "archives/";

/** A row as D1 returns it, by column name. */
export const rawRow = z.record(z.string(), z.unknown());

export type RawRow = Readonly<z.output<typeof rawRow>>;

export type ArchivedTable = keyof typeof ARCHIVED_TABLES;

/** Rows by the table that they come from. */
export type RowsByTable = Readonly<Record<ArchivedTable, readonly RawRow[]>>;

/** The key says which part it is, so the collector finds the row of an object. */
export function objectKeyOf({ taskId, lastId, id }: { taskId: string; lastId: string; id: string }): string {
	return `${OBJECT_PREFIX}${taskId}/${lastId}.${id}.jsonl`;
}

/** The part in a key of {@link objectKeyOf}; null for any other key. */
export function parseObjectKey(key: string): { key: string; taskId: string; lastId: string } | null {
	const [, taskId, lastId] = /^archives\/([^/.]+)\/([^/.]+)\.[^/.]+\.jsonl$/.exec(key) ?? [];
	return taskId === undefined || lastId === undefined ? null : { key, taskId, lastId };
}

interface Movement {
	readonly status: TaskStatus;
	readonly roundStatus: RoundStatus | null;
	readonly hasUnfinishedJob: boolean;
	readonly submissions: readonly { readonly status: SubmissionStatus; readonly updatedAt: number }[];
}

/**
 * Since when nothing has moved on a task, as far as a part of it shows: in milliseconds since the epoch.
 *
 * @param now For a task that moves at this moment.
 */
export function lastMovement({ status, roundStatus, hasUnfinishedJob, submissions }: Movement, now: number): number {
	const isSettled = status === TASK_TRANSITIONS.close.to && (roundStatus === null || roundStatus === "ended");
	if (!isSettled || hasUnfinishedJob || submissions.some((submission) => submission.status === "running")) return now;
	return submissions.reduce((latest, { updatedAt }) => Math.max(latest, updatedAt), 0);
}

const rawRows = z.array(rawRow);

/** The rows of one submission: one line of the object. */
export const archivedLine = z.object({
	submission_id: z.string(),
	evaluations: rawRows,
	evaluation_jobs: rawRows,
	judge_usage: rawRows,
	state_changes: rawRows,
});

export type ArchivedLine = z.output<typeof archivedLine>;

/** How each line starts, so that one is found without parsing the others. */
export function lineStart(submissionId: string): string {
	return `{"submission_id":${JSON.stringify(submissionId)},`;
}

export function writeLine({ submission_id, evaluations, evaluation_jobs, judge_usage, state_changes }: ArchivedLine): string {
	return `${JSON.stringify({ submission_id, evaluations, evaluation_jobs, judge_usage, state_changes })}\n`;
}

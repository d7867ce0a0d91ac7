// Reads the changes of tasks and submissions that triggers write (db/triggers.sql, db/schema/changes.ts).
import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import { ROUND_STATUSES } from "../domain/evaluation-rounds.ts";
import { EVAL_MODES } from "../domain/modes.ts";
import { SUBMISSION_STATUSES } from "../domain/submission-status.ts";
import { TASK_STATUSES } from "../domain/task-status.ts";

/** Every state of a subject that a client can still resume after. */
export const KEPT_CHANGES = 256;

/** The watched columns of a task, as they were after a change. */
export const taskState = z.object({
	status: z.enum(TASK_STATUSES),
	roundStatus: z.enum(ROUND_STATUSES).nullable(),
	deadline: z.number(),
	evalMode: z.enum(EVAL_MODES),
	maxSubmissionsPerAgent: z.number(),
	hidden: z.number().transform(Boolean),
});

/** The watched columns of a submission, as they were after a change. */
export const submissionState = z.object({
	status: z.enum(SUBMISSION_STATUSES),
	evaluated: z.number().transform(Boolean),
	iteration: z.number(),
	finalScore: z.number().nullable(),
	testScore: z.number().nullable(),
	llmScore: z.number().nullable(),
	containerScore: z.number().nullable(),
	errorMessage: z.string().nullable(),
	reportKey: z.string().nullable(),
	evaluatedAt: z.number().nullable(),
	voidedAt: z.number().nullable(),
	voidReason: z.string().nullable(),
});

/** A column: the number of a subject's last change, 0 for none. */
export function lastChange(subjectId: SQL): SQL<number> {
	return sql<number>`coalesce((select max(number) from state_changes where subject_id = ${subjectId}), 0)`;
}

/** A column for {@link parseChanges}: a subject's changes after one of them; nothing of them where `after` is null. */
export function changesAfter(subjectId: SQL, after: number | null): SQL<string> {
	if (after === null) return sql<string>`'[]'`;
	return sql<string>`(
		select json_group_array(json_array(number, json(state))) from (
			select number, state from state_changes where subject_id = ${subjectId} and number > ${after} order by number desc limit ${KEPT_CHANGES}
		))`;
}

export interface StateChange<State> {
	readonly number: number;
	readonly state: State;
}

/** What {@link changesAfter} has read, oldest first. */
export function parseChanges<State>(json: string, schema: z.ZodType<State>): StateChange<State>[] {
	const rows = z.array(z.tuple([z.number().int(), schema])).parse(JSON.parse(json));
	return rows.map(([number, state]) => ({ number, state })).toSorted((a, b) => a.number - b.number);
}

// Copies the wait of an evaluation to its submission, so that lists do not read jobs.
import { sql } from "drizzle-orm";
import type { JobRow } from "../../../db/task/schema/judging.ts";
import { submissions } from "../../../db/task/schema/submissions.ts";
import type { ShownWait } from "../../../domain/waits.ts";
import type { TaskStore } from "../../../ports/task.ts";
import { describeWait } from "../judgements/waits.ts";
import { updateSubmission } from "../submissions/store.ts";
import { findRules } from "./job-kind.ts";

/** Updates the submission after the wait of its job has changed. */
export function shareWait(
	task: TaskStore,
	before: Pick<JobRow, "kind" | "subjectId" | "wait" | "waitedMs" | "isBound">,
	after: Pick<JobRow, "wait" | "waitedMs" | "isBound"> | null,
): void {
	if (before.kind !== "evaluation" || (before.wait === null && (after?.wait ?? null) === null)) return;
	const boundUntil = findRules(task.parts.jobs, before)?.endsAt?.(task) ?? null;
	const waitingFor = after === null ? null : describeWait(after, boundUntil);
	if (isEqual(describeWait(before, boundUntil), waitingFor)) return;
	updateSubmission(task, before.subjectId, { waitingFor });
}

/** Gives these submissions the same wait. */
export function shareWaitOfMany(task: TaskStore, submissionIds: readonly string[], waitingFor: ShownWait | null): void {
	if (submissionIds.length === 0) return;
	task.db
		.update(submissions)
		.set({ waitingFor, revision: sql`${submissions.revision} + 1`, updatedAt: task.now })
		.where(sql`${submissions.id} in (select value from json_each(${JSON.stringify(submissionIds)}))`)
		.run();
	for (const id of submissionIds) task.markSubmission(id);
}

function isEqual(one: ShownWait | null, other: ShownWait | null): boolean {
	if (one === null || other === null) return one === other;
	return one.reason === other.reason && one.message === other.message && one.since === other.since && one.until === other.until;
}

import { and, eq, inArray, isNotNull, or, type SQL, sql } from "drizzle-orm";
import { readTask } from "../../core/competition/tasks/store.ts";
import { trials } from "../../db/task/schema/judging.ts";
import { reports } from "../../db/task/schema/submissions.ts";
import type { Holding } from "../../ports/joints.ts";
import { type TaskStore, taskVerb } from "../../ports/task.ts";

const isDryRun = eq(trials.kind, "dry_run");

/** Dry runs belong to the task's owner. Cases of the judge check belong to no agent. */
export const dryRunHolding: Holding = {
	erase({ db }, { isOwner }) {
		if (!isOwner) return;
		const runs = db.select({ id: trials.id }).from(trials).where(isDryRun);
		db.delete(reports).where(inArray(reports.subjectId, runs)).run();
		db.update(trials).set({ name: null, expected: null, artifactKey: null, errorMessage: null }).where(isDryRun).run();
	},
	export: ({ isOwner }): Readonly<Record<string, SQL>> =>
		isOwner ? { trials: sql`kind = 'dry_run'`, reports: sql`subject_id in (select id from trials where kind = 'dry_run')` } : {},
	artifacts: (task, { isOwner }) => (isOwner ? selectArtifacts(task) : []),
	locate: sql`select id from trials`,
	announce: (deps, taskId) => announceTrials(deps, taskId, null),
	referencedKeys: {
		// Keeps the files of a dry run that is a reference or may become one. In a draft, any dry run may become one until the deadline.
		trials: () => sql`exists (select 1 from trials where trials.id = wanted.subject and artifact_key = wanted.owner
			and (status = 'running' or (kind = 'dry_run' and (reference = 1
				or exists (select 1 from tasks where tasks.status = 'draft' and tasks.deadline > unixepoch('subsec') * 1000)))))`,
	},
};

function selectArtifacts(task: TaskStore): string[] {
	// If the task is not a draft, files of dry runs that are not references are deleted after judging.
	const isStored = readTask(task).status === "draft" ? undefined : or(eq(trials.status, "running"), eq(trials.reference, true));
	const isFound = and(isDryRun, isStored, isNotNull(trials.artifactKey));
	const rows = task.db.select({ key: trials.artifactKey }).from(trials).where(isFound).all();
	return rows.flatMap(({ key }) => (key === null ? [] : [key]));
}

/** Announces dry runs, and the cases of the judge check that are being judged, because graders download the files of both. */
const announceTrials = taskVerb("announceTrials", (task, _: null): void => {
	const isLocated = or(isDryRun, eq(trials.status, "running"));
	for (const { id } of task.db.select({ id: trials.id }).from(trials).where(isLocated).all()) task.markLocated(id);
});

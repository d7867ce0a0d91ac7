import { and, eq, sql } from "drizzle-orm";
import { guard } from "../../db/commit.ts";
import { isHiddenNow } from "../../db/hidden.ts";
import { leaderboardRevisions, stateChanges } from "../../db/schema/changes.ts";
import { hasRunningSubmission } from "../../db/schema/submissions.ts";
import { criteria, tasks, taskWarnings } from "../../db/schema/tasks.ts";
import { trials } from "../../db/schema/trials.ts";
import { taskJudgeUsage } from "../../db/schema/usage.ts";
import { type JudgeIdentity, judgeFingerprint } from "../../domain/comparison.ts";
import type { Statement } from "../../ports/database.ts";
import type { Deps } from "../../ports/deps.ts";
import type { CriterionRow, NewTask } from "./store.ts";

/** Holds while the task is a draft. Full replacements need no revision check: the last one wins. */
export function guardDraft(deps: Deps, taskId: string): Statement {
	return guard(deps.db, sql`exists (select 1 from tasks where id = ${taskId} and status = 'draft')`);
}

/** Holds while the task has a running submission, or has none, as expected. */
export function guardRunning(deps: Deps, taskId: string, expected: boolean): Statement {
	return guard(deps.db, sql`${hasRunningSubmission(taskId)} = ${expected ? 1 : 0}`);
}

export function insertTask(deps: Deps, row: NewTask): Statement {
	return deps.db.query.insert(tasks).values(row);
}

/** Changes a task and increments its revision. Put `guardTaskRevision` or {@link guardDraft} before it. */
export function updateTask(deps: Deps, taskId: string, change: Partial<NewTask>): Statement {
	return deps.db.query
		.update(tasks)
		.set({ ...change, revision: sql`${tasks.revision} + 1` })
		.where(eq(tasks.id, taskId));
}

/** Counts a new rubric of a task. Also increments the task's revision, so a publish that read the old rubric decides again. */
export function incrementRubricVersion(deps: Deps, taskId: string): Statement {
	return deps.db.query
		.update(tasks)
		.set({ rubricVersion: sql`${tasks.rubricVersion} + 1`, revision: sql`${tasks.revision} + 1` })
		.where(eq(tasks.id, taskId));
}

/** Hides a task whose owner is suspended, with a revision of its own. Changes nothing about others. */
export function refreshHidden(deps: Deps, taskId: string): Statement {
	return deps.db.query
		.update(tasks)
		.set({ hidden: sql`1`, revision: sql`${tasks.revision} + 1` })
		.where(and(eq(tasks.id, taskId), sql`hidden = 0`, sql`${isHiddenNow}`));
}

/**
 * Gives a task the comparison group of a judge, unless it has it. One statement, so evaluations that end at the same time
 * agree on its number.
 */
export function insertComparisonGroup(deps: Deps, taskId: string, by: JudgeIdentity): Statement {
	const { judge, models, promptVersion } = by;
	const fingerprint = judgeFingerprint(by);
	return deps.db.statement(sql`
		insert into comparison_groups (task_id, number, fingerprint, judge, models, prompt_version, since)
		select ${taskId}, coalesce(max(number), 0) + 1, ${fingerprint}, ${judge}, ${JSON.stringify(models)}, ${promptVersion}, ${deps.clock.now()}
		from comparison_groups where task_id = ${taskId}
		on conflict (task_id, fingerprint) do nothing`);
}

/** One statement for any number of criteria: D1 takes at most 100 parameters. */
export function insertCriteria(deps: Deps, rows: readonly CriterionRow[]): Statement {
	return deps.db.statement(sql`
		insert into criteria (task_id, name, description, weight, position, evidence)
		select value->>'taskId', value->>'name', value->>'description', value->>'weight', value->>'position', value->>'evidence'
		from json_each(${JSON.stringify(rows)})`);
}

export function deleteCriteria(deps: Deps, taskId: string): Statement {
	return deps.db.query.delete(criteria).where(eq(criteria.taskId, taskId));
}

/**
 * Deletes a draft with every row that can belong to one. Put `guardTaskRevision` before it. The objects of its rows are
 * left to the collector of stored objects.
 */
export function deleteDraft(deps: Deps, taskId: string): Statement[] {
	return [
		deleteCriteria(deps, taskId),
		deps.db.query.delete(taskWarnings).where(eq(taskWarnings.taskId, taskId)),
		deps.db.query.delete(taskJudgeUsage).where(eq(taskJudgeUsage.taskId, taskId)),
		deps.db.query.delete(trials).where(eq(trials.taskId, taskId)),
		deps.db.query.delete(stateChanges).where(eq(stateChanges.subjectId, taskId)),
		deps.db.query.delete(leaderboardRevisions).where(eq(leaderboardRevisions.taskId, taskId)),
		deps.db.query.delete(tasks).where(eq(tasks.id, taskId)),
	];
}

type NewWarning = typeof taskWarnings.$inferInsert;

/** Keeps the first of a code: later ones say the same. */
export function insertWarning(deps: Deps, row: NewWarning): Statement {
	return deps.db.query.insert(taskWarnings).values(row).onConflictDoNothing();
}

export function deleteWarning(deps: Deps, taskId: string, code: NewWarning["code"]): Statement {
	return deps.db.query.delete(taskWarnings).where(and(eq(taskWarnings.taskId, taskId), eq(taskWarnings.code, code)));
}

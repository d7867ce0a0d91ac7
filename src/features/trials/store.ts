import { and, asc, desc, eq, sql } from "drizzle-orm";
import { countWaiting } from "../../db/judging-jobs.ts";
import { isHeld, type Lease, TRIALS, takeLease } from "../../db/leases.ts";
import { criteria, tasks } from "../../db/schema/tasks.ts";
import { isCountedDryRun, trials } from "../../db/schema/trials.ts";
import { judgeUsage } from "../../db/schema/usage.ts";
import { selectTaskAccess } from "../../db/task-reads.ts";
import type { EvalMode } from "../../domain/modes.ts";
import type { Usage } from "../../domain/usage.ts";
import type { Deps } from "../../ports/deps.ts";

export type TrialRow = typeof trials.$inferSelect;
export type NewTrial = typeof trials.$inferInsert;

/** Takes the lease of a trial that is due and that no consumer holds. Returns null when it cannot be taken. */
export async function claimTrial(deps: Deps, lease: Lease, now: number): Promise<TrialRow | null> {
	const [, [row]] = await deps.db.idempotent.batch([
		takeLease(deps.db, TRIALS, { ...lease, now, also: { ...countWaiting(TRIALS, now), waitingFor: sql`null` } }),
		deps.db.query.select().from(trials).where(isHeld(TRIALS, lease)),
	]);
	return row ?? null;
}

/** Stores the key of a case's packed files. A consumer that has lost its lease changes nothing. */
export async function saveArtifact(
	deps: Deps,
	lease: Lease,
	artifact: Pick<TrialRow, "artifactKey" | "artifactSha256" | "missingSections">,
): Promise<void> {
	await deps.db.query.update(trials).set(artifact).where(isHeld(TRIALS, lease));
}

export async function findTrial(deps: Deps, trialId: string): Promise<TrialRow | null> {
	const [row] = await deps.db.query.select().from(trials).where(eq(trials.id, trialId));
	return row ?? null;
}

/** The task of a trial as it is now, in one round trip; null when it was deleted. */
export async function findTask(deps: Deps, taskId: string) {
	const [[task], rubric] = await deps.db.query.batch([
		deps.db.query.select().from(tasks).where(eq(tasks.id, taskId)),
		deps.db.query.select().from(criteria).where(eq(criteria.taskId, taskId)).orderBy(asc(criteria.position), asc(criteria.name)),
	]);
	return task === undefined ? null : { task, criteria: rubric };
}

/** A dry run with the poster of its task, and what its calls to models cost. Null for cases of a judge check. */
export async function findDryRun(deps: Deps, trialId: string) {
	const [[row], usage] = await deps.db.query.batch([
		deps.db.query
			.select({
				trial: trials,
				companyId: sql<string>`(select company_id from tasks where id = ${trials.taskId})`.as("company_id"),
				evalMode: sql<EvalMode>`(select eval_mode from tasks where id = ${trials.taskId})`.as("eval_mode"),
				llmWeight: sql<number>`(select llm_weight from tasks where id = ${trials.taskId})`.as("llm_weight"),
			})
			.from(trials)
			.where(and(eq(trials.id, trialId), sql`kind = 'dry_run'`)),
		deps.db.query.select().from(judgeUsage).where(eq(judgeUsage.trialId, trialId)),
	]);
	return row === undefined ? null : { ...row, usage: usage satisfies readonly Usage[] };
}

/**
 * What a new dry run depends on, in one round trip; null without such a task. `blocking` is when the oldest of the `limit` newest
 * counted runs was made, or null when there are fewer.
 */
export async function findDryRunState(deps: Deps, taskId: string, { since, limit }: { since: number; limit: number }) {
	const [[task], rubric, [oldest]] = await deps.db.query.batch([
		deps.db.query.select().from(tasks).where(eq(tasks.id, taskId)),
		deps.db.query.select().from(criteria).where(eq(criteria.taskId, taskId)),
		deps.db.query
			.select({ createdAt: trials.createdAt })
			.from(trials)
			.where(isCountedDryRun(taskId, since))
			.orderBy(desc(trials.createdAt), desc(trials.id))
			.limit(1)
			.offset(limit - 1),
	]);
	return task === undefined ? null : { task, criteria: rubric, blocking: oldest?.createdAt ?? null };
}

interface Page {
	/** Older than this place; null for the newest. */
	readonly before: { readonly createdAt: number; readonly id: string } | null;
	readonly limit: number;
}

/** A page of a task's dry runs, and whose task it is, in one round trip; null without such a task. */
export async function findDryRuns(deps: Deps, taskId: string, { before, limit }: Page) {
	const isOlder = before === null ? undefined : sql`(${trials.createdAt}, ${trials.id}) < (${before.createdAt}, ${before.id})`;
	const [[task], rows] = await deps.db.query.batch([
		selectTaskAccess(deps.db.query, taskId),
		deps.db.query
			.select()
			.from(trials)
			.where(and(eq(trials.taskId, taskId), sql`kind = 'dry_run'`, isOlder))
			.orderBy(desc(trials.createdAt), desc(trials.id))
			.limit(limit),
	]);
	return task === undefined ? null : { task, rows };
}

/** Those of the keys that no trial needs: nothing reads an artifact after its trial has ended. */
export async function selectUnreferencedArtifacts(deps: Deps, keys: readonly string[]): Promise<string[]> {
	const rows = await deps.db.query.all<{ key: string }>(sql`
		select value as key from json_each(${JSON.stringify(keys)})
		where not exists (select 1 from trials where artifact_key = value and finished_at is null)`);
	return rows.map(({ key }) => key);
}

// Jobs are stored in Task objects. The directory says which objects to ask.
import * as z from "zod";
import { CEILINGS_KNOWN_MS } from "../../../core/competition/spend/service.ts";
import { chunksOf } from "../../../domain/chunks.ts";
import { AppError } from "../../../domain/errors.ts";
import { describeError } from "../../../platform/log.ts";
import type { PageBefore } from "../../../ports/database.ts";
import type { AdminCtx, Deps } from "../../../ports/deps.ts";
import { unlessDeleted } from "../../../ports/task.ts";
import { newAct } from "../admin/audit-entry.ts";
import * as operating from "../tasks/jobs.ts";
import * as store from "./store.ts";

export const BACKGROUND_JOB_KINDS = ["evaluation", "delivery", "grader_run"] as const;
export const BACKGROUND_JOB_STATES = ["waiting", "running", "stuck", "failed"] as const;

export interface BackgroundJob {
	readonly id: string;
	readonly kind: (typeof BACKGROUND_JOB_KINDS)[number];
	readonly state: (typeof BACKGROUND_JOB_STATES)[number];
	readonly submission_id: string | null;
	readonly webhook_id: string | null;
	readonly task_id: string | null;
	readonly attempts: number;
	readonly since: number;
	readonly last_error: string | null;
	readonly supplier_words: string | null;
}

export const jobId = z.string().describe("The job's id.");
export const EXAMPLE_JOB_ID = "01a23632-5d01-7b54-8cda-2672b4ec16b5";

const CALLS_AT_ONCE = 50;

/** Lists evaluation jobs that have not succeeded, largest id first. */
export async function listTaskJobs(
	deps: Deps,
	query: PageBefore & { readonly state: BackgroundJob["state"] | null; readonly submissionId: string | null },
): Promise<BackgroundJob[]> {
	const { submissionId } = query;
	if (submissionId !== null) return listJobsOf(deps, submissionId, query);
	const [busy, failed] = await Promise.all([
		query.state === "failed" ? [] : store.selectBusyTaskIds(deps),
		query.state === null || query.state === "failed" ? store.selectFailedTaskIds(deps, query) : [],
	]);
	const answers = await askTasks(deps, [...new Set([...busy, ...failed])], (taskId) => listJobsIn(deps, taskId, query));
	return answers.flat();
}

async function listJobsOf(deps: Deps, submissionId: string, query: JobsQuery): Promise<BackgroundJob[]> {
	const taskId = await deps.locate(submissionId);
	return taskId === null ? [] : ((await unlessDeleted(listJobsIn(deps, taskId, query))) ?? []);
}

type JobsQuery = Parameters<typeof operating.listJobsOfTask>[2];

async function listJobsIn(deps: Deps, taskId: string, query: JobsQuery): Promise<BackgroundJob[]> {
	const jobs = await operating.listJobsOfTask(deps, taskId, query);
	return jobs.map(({ submissionId, lastError, supplierWords, ...job }) => {
		const about = { submission_id: submissionId, webhook_id: null, task_id: taskId };
		return { ...job, ...about, last_error: lastError, supplier_words: supplierWords };
	});
}

/**
 * Retries the evaluation of a submission, or the job that checks a container run. Returns null if no task has it.
 *
 * @throws AppError `CONFLICT`, `NO_ARTIFACT`.
 */
export async function retryTaskJob(ctx: AdminCtx, id: string, reason: string) {
	const act = newAct(ctx, reason);
	const view = { id, job_id: id, audit_id: act.id };
	const taskId = await ctx.locate(id);
	if (taskId !== null) {
		const { artifactKey } = await operating.admitRetry(ctx, taskId, { id });
		if (artifactKey !== null && (await ctx.bucket.head(artifactKey)) === null) throw new AppError("NO_ARTIFACT");
		return (await operating.retryJobOfTask(ctx, taskId, { act, id })) === null ? null : view;
	}
	const busy = await store.selectBusyTaskIds(ctx);
	const jobs = await askTasks(ctx, busy, (asked) => operating.retryJobOfTask(ctx, asked, { act, id }));
	return jobs.some((job) => job !== null) ? view : null;
}

/**
 * Counts jobs in the objects of tasks with unfinished evaluations. Finds the oldest evaluation that no consumer has started, and the
 * longest wait for a model or grader.
 */
export async function countTaskJobs(deps: Deps) {
	const counts = await askTasks(deps, await store.selectBusyTaskIds(deps), (taskId) => operating.countJobs(deps, taskId, null));
	const times = counts.map(({ untouchedSince }) => untouchedSince).filter((since) => since !== null);
	const [wait = null] = counts
		.flatMap((taskCounts) => (taskCounts.wait === null ? [] : [taskCounts.wait]))
		.toSorted((a, b) => a.since - b.since);
	return {
		wait,
		waiting: counts.reduce((sum, { waiting }) => sum + waiting, 0),
		stuck: counts.reduce((sum, { stuck }) => sum + stuck, 0),
		running: counts.reduce((sum, { running }) => sum + running, 0),
		outbox: counts.reduce((sum, { outbox }) => sum + outbox, 0),
		untouchedSince: times.length === 0 ? null : Math.min(...times),
		isAtCeiling: counts.some(({ isAtCeiling }) => isAtCeiling),
	};
}

/** Makes evaluations that wait for a ceiling check it again, once every isolate knows the new ceiling. */
export async function lookAtCeilingsOfTasks(deps: Deps): Promise<void> {
	const now = deps.clock.now();
	const input = { dueAt: now + CEILINGS_KNOWN_MS };
	await askTasks(deps, await store.selectBusyTaskIds(deps), (taskId) =>
		deps.hubs.callTask(taskId, operating.lookAtCeilings, { input, now }),
	);
}

/** Asks each task. Skips tasks that do not respond or no longer exist, so that operators still see the others. */
async function askTasks<Answer>(deps: Deps, taskIds: readonly string[], ask: (taskId: string) => Promise<Answer>): Promise<Answer[]> {
	const answers: Answer[] = [];
	const askOne = async (taskId: string) => {
		try {
			answers.push(await ask(taskId));
		} catch (error) {
			if (error instanceof AppError && error.code !== "NOT_FOUND") throw error;
			deps.log.error("task_not_asked", { task_id: taskId, ...describeError(error) });
		}
	};
	for (const chunk of chunksOf(taskIds, CALLS_AT_ONCE)) await Promise.all(chunk.map(askOne));
	return answers;
}

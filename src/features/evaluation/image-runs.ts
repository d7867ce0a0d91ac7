// The runs that graders were asked for: recorded before the request, stopped when the job ends, and cleaned up by a sweep.
import { StaleReadError } from "../../db/commit.ts";
import { EVALUATION_JOBS } from "../../db/leases.ts";
import { type EvalMode, MODES } from "../../domain/modes.ts";
import { DAY_MS } from "../../platform/clock.ts";
import { describeError } from "../../platform/log.ts";
import type { Deps } from "../../ports/deps.ts";
import { openGrader } from "../judging/grader/client.ts";
import { type Run, runIdOf } from "../judging/grader/run-id.ts";
import * as store from "./store.ts";

/**
 * Records the run first, so the sweep can stop it after a crash.
 *
 * @throws StaleReadError when the evaluation has ended by now, so that the run is not needed.
 */
export async function recordRun(deps: Deps, run: Run): Promise<void> {
	const isSaved = await store.saveRun(deps, { ...run, id: runIdOf(run), createdAt: deps.clock.now() });
	if (!isSaved) throw new StaleReadError(`Job ${run.jobId} has ended.`);
}

/** Stops the runs of a job up to this one. {@link sweepRuns} repeats what fails. */
export async function stopRuns(deps: Deps, { jobId, run }: Run): Promise<void> {
	for (const id of await store.selectRunsOfJob(deps, jobId, run)) await tryToStop(deps, id);
}

/** Stops in the background what a grader may still run for a job or a trial that has ended. */
export function stopRunsOfJob(deps: Deps, { evalMode }: { readonly evalMode: EvalMode }, jobId: string): void {
	if (MODES[evalMode].usesImage) deps.background(stopRuns(deps, { jobId, run: Number.MAX_SAFE_INTEGER }));
}

async function tryToStop(deps: Deps, id: string): Promise<boolean> {
	try {
		await openGrader(deps)?.stop(id);
		return true;
	} catch (error) {
		deps.log.error("grader_run_not_stopped", { run_id: id, ...describeError(error) });
		return false;
	}
}

const SWEEP_BATCH = 20;
/** Graders end and forget their runs long before. */
const FORGET_RUN_MS = DAY_MS;

/**
 * Stops runs that have ended or are superseded, then deletes their records. Runs of an evaluation that has just ended wait until a
 * consumer that lost its lease can no longer request them.
 */
export async function sweepRuns(deps: Deps): Promise<void> {
	const now = deps.clock.now();
	const over = await store.selectRunsThatAreOver(deps, { finishedBefore: now - EVALUATION_JOBS.leaseMs, limit: SWEEP_BATCH });
	const stopped = await Promise.all(over.map(async ({ id }) => tryToStop(deps, id)));
	const done = over.filter(({ createdAt }, index) => stopped[index] === true || createdAt < now - FORGET_RUN_MS);
	if (done.length > 0) await store.forgetRuns(deps, done);
}

// A kind of job that stops the image runs of another job, which has ended.
import { EvaluationFault } from "../../../domain/evaluation-fault.ts";
import type { Deps } from "../../../ports/deps.ts";
import type { JobAttempt, JobKind, JobResult } from "./job-kind.ts";
import { stopRuns } from "./record.ts";
import { CLAIM_MS } from "./rules.ts";

export const stopRunsJob: JobKind = {
	kind: "stop_runs",
	subject: null,
	lane: "waited_for",
	tries: null,
	judgesHeld: false,
	isReserved: false,
	open: () => ({}),
	record: () => {},
	score: () => {},
	fail: () => {},
	work: stopTwice,
};

/** Stops the runs twice. By the second time, a consumer that has lost its claim can no longer start another run. */
async function stopTwice(deps: Deps, { material: { job } }: JobAttempt): Promise<JobResult> {
	if (!(await stopRuns(deps, job.subjectId, job.runs))) {
		throw new EvaluationFault("The grader could not be reached.", { blame: "platform", isRetryable: true, waitsFor: "grader" });
	}
	if (job.progress !== null) return { kind: "done" };
	return { kind: "waiting", visitAgainAt: deps.clock.now() + CLAIM_MS, progress: { isStopped: true } };
}

import { EvaluationFault } from "../../../domain/evaluation-fault.ts";
import type { Deps } from "../../../ports/deps.ts";
import { evaluateByMode } from "../../judging/modes/evaluate-by-mode.ts";
import type { EvaluationSubmission, EvaluationWork } from "../../judging/work.ts";
import { judgementOf } from "../judgements/judgement.ts";
import type { JobAttempt, JobResult } from "./job-kind.ts";

interface JudgedWork extends Pick<EvaluationWork, "isTrial" | "samples" | "reach" | "isFurther"> {
	readonly submission: EvaluationSubmission;
	/** True if the judgement gets a signed receipt. */
	readonly isSigned: boolean;
}

/** Judges a submission or a trial in the task's mode. @throws EvaluationFault */
export async function judgeWork(
	deps: Deps,
	{ material: { job, task, criteria }, record }: JobAttempt,
	{ isSigned, ...judged }: JudgedWork,
): Promise<JobResult> {
	const { id, artifactKey, artifactSha256 } = judged.submission;
	// The files can be erased while the job waits.
	if (artifactKey === null) throw new EvaluationFault("The submission has no artifact.", { blame: "submission", isRetryable: false });
	const work = { reach: null, ...judged, submission: { ...judged.submission, artifactKey } };
	const outcome = await evaluateByMode(deps, { ...work, task, criteria, record, job: { ...job, origin: task.origin } });
	if (outcome.kind === "waiting") return outcome;
	const signed = isSigned ? { submissionId: id, round: job.round } : null;
	return { kind: "scored", judgement: await judgementOf(deps, { task, criteria, artifactSha256, signed }, outcome.result) };
}

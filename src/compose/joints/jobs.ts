// Consumers claim a task's jobs in this order. Stopping runs comes first, because it frees the grader. Then come the steps of a final round
// and its candidates, because the end of the task waits for them. Evaluations are next, because agents wait for them. Judge checks are
// last, because no one waits for them.
import { evaluationJob } from "../../core/competition/evaluation/evaluate-submission.ts";
import type { JobKind } from "../../core/competition/evaluation/job-kind.ts";
import { stopRunsJob } from "../../core/competition/evaluation/stop-runs.ts";
import { dryRunJob } from "../../extensions/dry-runs/dry-run-job.ts";
import { candidateJob } from "../../extensions/final-round/candidate-job.ts";
import { roundStepJob } from "../../extensions/final-round/round-step.ts";
import { caseJob } from "../../extensions/judge-check/case-job.ts";

export const JOBS: readonly JobKind[] = [stopRunsJob, roundStepJob, candidateJob, evaluationJob, dryRunJob, caseJob];

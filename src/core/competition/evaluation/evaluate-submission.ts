// The kind of job that judges a submission. The core's only other kind is in stop-runs.ts.
import { asc, ne } from "drizzle-orm";
import { noiseBySamples, readNoisy } from "../../../db/task/noise.ts";
import { board } from "../../../db/task/schema/submissions.ts";
import { ROUNDS } from "../../../domain/evaluation-rounds.ts";
import { sumUsage } from "../../../domain/spend.ts";
import type { Deps } from "../../../ports/deps.ts";
import { type AttemptFindings, type Job, type TaskStore, taskVerb } from "../../../ports/task.ts";
import { hashArtifact } from "../../judging/artifacts/artifact-index.ts";
import { MAX_ATTEMPTS } from "../../judging/rules.ts";
import type { EvaluationSubmission } from "../../judging/work.ts";
import { addFailedCost } from "../judgements/usage.ts";
import { readShare } from "../spend/task-scope.ts";
import { getSubmissionRow } from "../submissions/store.ts";
import { readTask } from "../tasks/store.ts";
import { inspectFiles, openInspections, type WantedFindings } from "./inspections.ts";
import type { JobAttempt, JobKind, JobResult } from "./job-kind.ts";
import { judgeWork } from "./judge-work.ts";
import { recordFailure, recordFindings, recordScore } from "./outcome.ts";
import { FIRST_PLACES, reachOf } from "./rules.ts";

export interface OpenedSubmission {
	readonly submission: EvaluationSubmission;
	/** What extensions want to find out from the files before they are judged. */
	readonly wanted: WantedFindings;
}

export const evaluationJob: JobKind<OpenedSubmission> = {
	kind: "evaluation",
	subject: "submission",
	lane: "waited_for",
	tries: MAX_ATTEMPTS,
	judgesHeld: false,
	isReserved: false,
	open: openSubmission,
	record: recordAttempt,
	score: (task, job, { judgement, used }) => recordScore(task, { ...evaluationOf(job), used }, judgement),
	fail: (task, job, fault) => recordFailure(task, evaluationOf(job), fault),
	work: evaluateSubmission,
};

export function openSubmission(task: TaskStore, { subjectId, iteration }: Job): OpenedSubmission {
	const submission = getSubmissionRow(task, subjectId);
	return { submission: { ...submission, iteration }, wanted: openInspections(task, submission) };
}

function evaluationOf({ subjectId, iteration, round, fund, operatorReason }: Job) {
	return { submissionId: subjectId, iteration, round, isPaidByAgent: fund === "agents", operatorReason };
}

function recordAttempt(task: TaskStore, { subjectId, fund }: Job, { used, findings, isScored }: AttemptFindings): void {
	const submission = getSubmissionRow(task, subjectId);
	recordFindings(task, submission, findings);
	if (used.length === 0 || isScored || fund !== "agents") return;
	addFailedCost(task, submission.agentId, Math.round((sumUsage(used).costMicroUsd ?? 0) * readShare(task)));
}

async function evaluateSubmission(deps: Deps, attempt: JobAttempt<OpenedSubmission>): Promise<JobResult> {
	const { job, task, opened } = attempt.material;
	const submission = await completeFiles(deps, attempt);
	// Evaluations that replace other scores skip the cheap first stage.
	const isStaged = deps.judge?.screening !== undefined && !ROUNDS[job.round].replaces;
	const reach = isStaged ? await findReach(deps, task.id, { agentId: opened.submission.agentId }) : null;
	return judgeWork(deps, attempt, { submission, reach, isSigned: true });
}

/** Before the files are judged, hashes the artifact if its hash is unknown, and runs the inspections that are missing. */
export async function completeFiles(deps: Deps, { material, findings }: JobAttempt<OpenedSubmission>): Promise<EvaluationSubmission> {
	const { submission, wanted } = material.opened;
	if (submission.artifactKey === null) return submission;
	const artifactSha256 = submission.artifactSha256 ?? (await hashArtifact(deps.bucket, submission.artifactKey));
	if (submission.artifactSha256 === null) findings.artifactSha256 = artifactSha256;
	findings.inspected = await inspectFiles(deps, submission.artifactKey, wanted);
	return { ...submission, artifactSha256 };
}

/**
 * If judging has two stages, the strong model judges only submissions that could reach the first places. Returns the lowest score with
 * which a submission of this agent could reach them, given the entries of the other agents. Returns null if any score is enough.
 */
const findReach = taskVerb("findReach", (task, { agentId }: { agentId: string }): number | null => {
	const { db, config } = task;
	const last = db
		.select({ finalScore: board.finalScore })
		.from(board)
		.where(ne(board.agentId, agentId))
		.orderBy(asc(board.rankKey))
		.limit(1)
		.offset(FIRST_PLACES - 1)
		.get();
	const noisy = readNoisy(task, readTask(task));
	return reachOf(last?.finalScore ?? null, noiseBySamples(config, noisy)(noisy.usualSamples));
});

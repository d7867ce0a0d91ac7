// In llm mode, a judge answers the checks of the rubric from the files of the artifact.

import { SAMPLE_COUNTS } from "../../../domain/checks.ts";
import { EvaluationFault } from "../../../domain/evaluation-fault.ts";
import { ROUNDS } from "../../../domain/evaluation-rounds.ts";
import { finalScore } from "../../../domain/scores.ts";
import { SECOND_MS } from "../../../platform/clock.ts";
import type { Deps } from "../../../ports/deps.ts";
import type { EvaluationRequest, Judge, JudgeWait, SupplierReports, TaskBrief } from "../../../ports/judge.ts";
import type { EvaluationResult } from "../../../ports/judgement.ts";
import { type ArtifactFacts, describeFacts, findFacts } from "../artifacts/facts.ts";
import { readArtifactFiles } from "../artifacts/files.ts";
import { findWait, openReports } from "../breaker/reports.ts";
import { lookAgainMs } from "../breaker/rules.ts";
import { noteJudged, noteWaiting } from "../judge-health.ts";
import { createUsageMeter, type UsageMeter } from "../usage-meter.ts";
import type { EvaluationSubmission, EvaluationWork } from "../work.ts";
import { scoreJudgement } from "./judged-work.ts";
import { type KeptReplies, openKeptReplies, type StageName } from "./kept-replies.ts";

/**
 * Scores with the configured judge. The cost of the models is recorded even if judging fails. With two stages, a cheap model scores first.
 * Its score is final if the submission cannot reach the first places. The scores of the two stages are in different comparison groups.
 *
 * @param testScore The score from the task's image, which counts when deciding whether the submission can reach the first places. Null
 * without an image.
 * @throws EvaluationFault if there is no score now. The fault says what the job waits for, or why it ends.
 */
export async function evaluateWithJudge(deps: Deps, work: EvaluationWork, testScore: number | null = null): Promise<EvaluationResult> {
	const judge = requireJudge(deps);
	const startedAt = deps.clock.now();
	const screening = work.reach == null ? undefined : judge.screening;
	const stages: Stage[] = [{ name: "judging", judge }];
	if (screening !== undefined) stages.unshift({ name: "screening", judge: screening });
	const suppliers = await openReports(deps, { subjectId: work.submission.id, judges: stages.map((stage) => stage.judge) });
	const outage = findWait(
		stages.map((stage) => stage.judge),
		suppliers,
	);
	if (outage !== null) throw toFault(deps, work, outage);
	const attachments = await work.record.readAttachments();
	const { request, facts } = await describeWork(deps, { ...work, attachments, samples: work.samples ?? samplesOf(work) });
	const meter = createUsageMeter();
	const kept = await openKeptReplies(deps, {
		key: work.record.keyOf("unfinished"),
		jobId: work.job.id,
		attempt: work.job.attempts,
		rubricVersion: work.task.rubricVersion,
		artifactSha256: work.submission.artifactSha256,
		spentNow: meter.byModel,
	});
	const judging = { work, request, facts, meter, kept, startedAt, suppliers };
	try {
		await reserve(judging, stages);
		for (const stage of stages) {
			const result = await runStage(deps, judging, stage);
			const { testWeight, llmWeight } = work.task;
			const isOutOfReach = finalScore({ testScore, llmScore: result.llmScore, testWeight, llmWeight }) < (work.reach ?? 0);
			if (stage.name === "judging" || isOutOfReach) return result;
		}
		throw new Error("The last stage ended without a result.");
	} catch (error) {
		await kept.store();
		throw error;
	} finally {
		work.record.recordUsage(meter.byModel());
	}
}

interface Stage {
	readonly name: StageName;
	readonly judge: Judge;
}

interface Judging {
	readonly work: EvaluationWork;
	readonly request: EvaluationRequest;
	readonly facts: ArtifactFacts;
	readonly meter: UsageMeter;
	readonly kept: KeptReplies;
	/** When the attempt began. Both stages must end within the attempt's time. */
	readonly startedAt: number;
	readonly suppliers: SupplierReports;
}

type JudgedWork = Pick<EvaluationWork, "task" | "criteria" | "submission"> & {
	readonly attachments: TaskBrief["attachments"];
	readonly samples: number;
};

/** Estimates the cost of judging a submission, in millionths of a US dollar. Returns 0 without a judge or a readable artifact. */
export async function estimateJudging(
	deps: Deps,
	work: Omit<JudgedWork, "submission"> & { readonly submission: EvaluationSubmission },
): Promise<number> {
	const { artifactKey } = work.submission;
	if (deps.judge === null || artifactKey === null) return 0;
	try {
		const { request } = await describeWork(deps, { ...work, submission: { ...work.submission, artifactKey } });
		return deps.judge.estimate(request).costMicroUsd;
	} catch (error) {
		if (error instanceof EvaluationFault && !error.isRetryable) return 0;
		throw error;
	}
}

async function describeWork(deps: Deps, { task, criteria, submission, attachments, samples }: JudgedWork) {
	const artifact = await readArtifactFiles(deps, submission.artifactKey);
	const facts = findFacts(artifact);
	const { title, description, inputSpec, outputSpec } = task;
	const request: EvaluationRequest = {
		task: { title, description, inputSpec, outputSpec, attachments },
		criteria: criteria.map(({ name, description: about, checks, evidence, wholeChecks }) => {
			return { name, description: about, checks, evidence, wholeChecks };
		}),
		files: artifact.files,
		unreadPaths: artifact.unreadPaths,
		missingSections: submission.missingSections ?? [],
		facts: describeFacts(facts),
		samples,
	};
	return { request, facts };
}

/** An evaluation that replaces scores gets more samples. So does every submission to a verified poster's task. */
function samplesOf({ job, task }: EvaluationWork): number {
	if (ROUNDS[job.round].replaces) return SAMPLE_COUNTS.replacing;
	return task.isPosterVerified ? SAMPLE_COUNTS.verifiedPoster : SAMPLE_COUNTS.usual;
}

/**
 * Reserves the cost of the remaining samples, or of only one sample for an evaluation that replaces scores, because each of its attempts
 * takes one. Reserves nothing for a judge without models.
 */
async function reserve({ work, request, kept }: Judging, stages: readonly Stage[]): Promise<void> {
	const microUsd = stages.reduce((sum, { name, judge }) => {
		const { costMicroUsd } = ROUNDS[work.job.round].replaces
			? judge.estimate({ ...request, samples: 1 })
			: judge.estimate(request, kept.find(name));
		return sum + costMicroUsd;
	}, 0);
	if (microUsd === 0) return;
	const checks = request.criteria.reduce((sum, criterion) => sum + criterion.checks.length, 0);
	await work.record.reserve({ microUsd, criteria: request.criteria.length, checks });
}

async function runStage(
	deps: Deps,
	{ work, request, facts, meter, kept, startedAt, suppliers }: Judging,
	{ name, judge }: Stage,
): Promise<EvaluationResult> {
	const outcome = await judge.evaluate(request, {
		startedAt,
		requestId: work.job.requestId,
		onCall: meter.add,
		kept: kept.find(name),
		isOneSample: ROUNDS[work.job.round].replaces,
		suppliers,
		keep: (replies) => kept.keep(name, replies),
	});
	if (outcome.kind === "waiting") {
		kept.keep(name, outcome.kept);
		noteWaiting(deps, outcome.wait);
		throw toFault(deps, work, outcome.wait);
	}
	noteJudged(deps, judge);
	const used = [...kept.spent, ...meter.byModel()];
	const scored = scoreJudgement(judge, outcome.judgement, { request, criteria: work.criteria, used });
	return {
		...scored,
		breakdown: { ...scored.breakdown, facts },
		...{ ownerBreakdown: null, finalScore: null, testScore: null, containerScore: null, imageDigest: null },
	};
}

/** Turns a wait into a fault that does not count as an attempt, because the submission is not to blame for the wait. */
function toFault(deps: Deps, { job }: EvaluationWork, wait: JudgeWait): EvaluationFault {
	const { reason, message, supplierWords } = wait;
	const facts = { blame: "platform", isRetryable: true } as const;
	if (reason === "continues") return new EvaluationFault(message, { ...facts, costsAttempt: false, retryAfterSeconds: 0 });
	const ownDelayMs = reason === "supplier" ? lookAgainMs(job.waitedMs, deps.random()) : null;
	const delayMs = wait.retryAfterMs ?? ownDelayMs;
	const delay = delayMs === null ? {} : { retryAfterSeconds: Math.ceil(delayMs / SECOND_MS) };
	return new EvaluationFault(message, { ...facts, waitsFor: reason, supplierWords, ...delay });
}

/** @throws EvaluationFault if no judge is configured. */
export function requireJudge(deps: Deps): Judge {
	if (deps.judge !== null) return deps.judge;
	throw new EvaluationFault("This deployment has no judge configured. Ask its operator for one.", {
		blame: "platform",
		isRetryable: false,
	});
}

// In mode llm, a judge scores the files of the artifact against every criterion of the rubric.
import { EvaluationFault } from "../../../domain/evaluation-fault.ts";
import { finalScore } from "../../../domain/scores.ts";
import { describeError } from "../../../platform/log.ts";
import type { Deps } from "../../../ports/deps.ts";
import type { Judge, JudgeExample } from "../../../ports/judge.ts";
import { describeFacts, findFacts } from "../artifacts/facts.ts";
import { type ArtifactFiles, readArtifactFiles } from "../artifacts/files.ts";
import { chooseExamples } from "../model/examples.ts";
import { type Memory, openMemory } from "../model/memory.ts";
import { judgeRubric, type RubricRequest } from "../model/rubric.ts";
import { createUsageMeter, describeUsage } from "../model/usage-meter.ts";
import { CHECKPOINT } from "../rules.ts";
import type { EvaluationResult, EvaluationWork } from "../work.ts";

/**
 * Scores with the configured judge. The cost of the models is recorded even if judging fails. With two stages, a cheap model scores first,
 * and its score stays if it is out of reach of the first places. The two scores are in comparison groups of their own.
 *
 * @param testScore The task's image has given this score, which counts towards what is within reach. Null without one.
 */
export async function evaluateWithJudge(deps: Deps, work: EvaluationWork, testScore: number | null = null): Promise<EvaluationResult> {
	const { submission } = work;
	const judge = requireJudge(deps);
	if (submission.artifactKey === null) {
		throw new EvaluationFault("The submission has no artifact.", { blame: "submission", isRetryable: false });
	}
	const artifact = await readArtifactFiles(deps, submission.artifactKey);
	const isStaged = judge.screening !== undefined && work.reach != null;
	if (judge.screening !== undefined && work.reach != null) {
		const screened = await judgeArtifact(deps, work, { judge: judge.screening, artifact, reservedFor: [judge.screening, judge] });
		const { testWeight, llmWeight } = work.task;
		if (finalScore({ testScore, llmScore: screened.llmScore, testWeight, llmWeight }) < work.reach) return screened;
	}
	return judgeArtifact(deps, work, { judge, artifact, reservedFor: isStaged ? [] : [judge] });
}

async function judgeArtifact(
	deps: Deps,
	work: EvaluationWork,
	{
		judge,
		artifact,
		reservedFor,
	}: {
		readonly judge: Judge;
		readonly artifact: ArtifactFiles;
		/** The attempt reserves for these judges now. It is empty if it has reserved before. */
		readonly reservedFor: readonly Judge[];
	},
): Promise<EvaluationResult> {
	const { criteria, submission, job } = work;
	const attachments = await work.record.readAttachments();
	const task = attachments.length === 0 ? work.task : { ...work.task, attachments };
	const facts = findFacts(artifact);
	const meter = createUsageMeter();
	const examples = chooseExamples(await readExamples(deps, work));
	const samples = work.samples ?? (job.round === "final" ? deps.config.finalSamples : undefined);
	const request = {
		task,
		criteria,
		files: artifact.files,
		unreadPaths: artifact.unreadPaths,
		missingSections: submission.missingSections ?? [],
		facts: describeFacts(facts),
		...(examples.length === 0 ? {} : { examples }),
		...(samples === undefined ? {} : { samples }),
	};
	const { rubricVersion } = task;
	const { artifactSha256 } = submission;
	const memory = await openMemory(deps, judge, {
		key: work.record.keyOf("unfinished"),
		jobId: job.id,
		requestId: job.requestId,
		attempt: job.attempts,
		rubricVersion,
		artifactSha256,
		spentNow: meter.byModel,
	});
	const checkpoint = startCheckpoint(deps, memory);
	try {
		await reserve(work, request, { judges: reservedFor, memory });
		const judgement = await judgeRubric(memory.judge, request, { meter, session: memory.session, signal: checkpoint.signal });
		const usage = describeUsage([...memory.spent, ...meter.byModel()]);
		const breakdown = { ...judgement.breakdown, usage, facts };
		return { ...judgement, breakdown, ownerBreakdown: null, finalScore: null, testScore: null, containerScore: null, imageDigest: null };
	} catch (error) {
		await memory.keep();
		throw error;
	} finally {
		checkpoint.cancel();
		work.record.recordUsage(meter.byModel());
	}
}

/**
 * Reads the works that the poster has graded, but for the one that is judged. One whose files are gone is left out, because an example
 * must not stop a judgement.
 */
async function readExamples(deps: Deps, { references, submission }: EvaluationWork): Promise<JudgeExample[]> {
	const others = references.filter(({ id, artifactSha256 }) => id !== submission.id && artifactSha256 !== submission.artifactSha256);
	const read = others.map(async ({ artifactKey, expected }) => {
		const artifact = await readArtifactFiles(deps, artifactKey).catch((error: unknown) => {
			deps.log.error("example_not_read", describeError(error));
			return null;
		});
		return artifact === null ? [] : [{ files: artifact.files, expected }];
	});
	return (await Promise.all(read)).flat();
}

/** Reserves the cost of the criteria that are not judged yet. A judge without models costs nothing. */
async function reserve(
	{ record }: EvaluationWork,
	request: RubricRequest,
	{ judges, memory }: { readonly judges: readonly Judge[]; readonly memory: Memory },
): Promise<void> {
	const open = request.criteria.filter(({ name }) => !memory.isJudged(name));
	const microUsd = judges.reduce((sum, { estimate }) => sum + (estimate?.({ ...request, criteria: open }) ?? 0), 0);
	if (microUsd === 0) return;
	const checks = request.criteria.reduce((sum, criterion) => sum + criterion.checks.length, 0);
	await record.reserve({ microUsd, criteria: open.length, checks });
}

/** Stops judging before the consumer's time limit. The verdicts so far are stored, and the next message continues from there. */
function startCheckpoint({ clock }: Deps, { session }: Memory): { signal: AbortSignal; cancel(): void } {
	const facts = { blame: "platform", isRetryable: true, costsAttempt: false, retryAfterSeconds: 0 } as const;
	const fault = new EvaluationFault("The evaluation continues in another message.", facts);
	const controller = new AbortController();
	const timers = [
		clock.after(CHECKPOINT.lastCallAfterMs, () => session.stop(fault)),
		clock.after(CHECKPOINT.breakOffAfterMs, () => controller.abort(fault)),
	];
	return { signal: controller.signal, cancel: () => timers.forEach((cancel) => void cancel()) };
}

/** @throws EvaluationFault when none is configured. */
export function requireJudge(deps: Deps): Judge {
	if (deps.judge !== null) return deps.judge;
	throw new EvaluationFault("This deployment has no judge configured. Ask its operator for one.", {
		blame: "platform",
		isRetryable: false,
	});
}

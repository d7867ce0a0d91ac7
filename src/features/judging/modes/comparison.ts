// A candidate of a final round is compared with those that tie with it. It is shown first here, and each of the others is shown first in
// its own job.
import { EvaluationFault } from "../../../domain/evaluation-fault.ts";
import type { SampleRecord } from "../../../domain/evaluation-rounds.ts";
import type { Deps } from "../../../ports/deps.ts";
import type { Judge, WorkFiles } from "../../../ports/judge.ts";
import { readArtifactFiles } from "../artifacts/files.ts";
import { MAX_COMPARISON_CALLS } from "../model/comparing.ts";
import { anySignal, untilFirstFault } from "../model/parallel.ts";
import { openJudgeSession } from "../model/session.ts";
import { createUsageMeter, describeUsage } from "../model/usage-meter.ts";
import { CHECKPOINT } from "../rules.ts";
import type { Comparison, EvaluationResult, EvaluationWork, Opponent } from "../work.ts";
import { requireJudge } from "./llm.ts";

const SCORES = { first: 100, second: 0, neither: 50 } as const;

const COMPARISON_REASONING = "Compared with other works that tie with it in the final round.";

/**
 * Asks the judge about each pair and criterion in this order. The result repeats the confirmed scores, with the comparisons as further
 * samples. It has no reasoning and no quotes, because they would show the files of one agent to another.
 *
 * @throws EvaluationFault
 */
export async function compareWithOthers(deps: Deps, work: EvaluationWork, comparison: Comparison): Promise<EvaluationResult> {
	const judge = requireJudge(deps);
	const meter = createUsageMeter();
	try {
		const records = await compareAll(deps, work, { judge, others: comparison.others, onCall: meter.add });
		const { finalScore, testScore, llmScore, containerScore, dimensions, samples, imageDigest } = comparison.confirmed;
		return {
			...{ finalScore, testScore, llmScore, containerScore, imageDigest },
			dimensions: dimensions.map((dimension) => ({ ...dimension, reasoning: COMPARISON_REASONING })),
			samples: Object.fromEntries(
				Object.entries(samples).map(([name, known]) => [name, [...known, ...(records.get(name) ?? [])]] as const),
			),
			reasoning: COMPARISON_REASONING,
			breakdown: {
				judge: judge.name,
				models: judge.models,
				prompt_version: judge.promptVersion,
				compared_with: comparison.others.map(({ submissionId }) => submissionId),
				usage: describeUsage(meter.byModel()),
			},
			ownerBreakdown: null,
			...{ judge: judge.name, models: judge.models, promptVersion: judge.promptVersion },
		};
	} finally {
		work.record.recordUsage(meter.byModel());
	}
}

/** Returns the records by criterion. */
async function compareAll(
	deps: Deps,
	work: EvaluationWork,
	{
		judge,
		others,
		onCall,
	}: {
		readonly judge: Judge;
		readonly others: readonly Opponent[];
		readonly onCall: NonNullable<Parameters<Judge["compareOnCriterion"]>[1]>["onCall"];
	},
) {
	const { criteria, submission, record } = work;
	const task = { ...work.task, attachments: await record.readAttachments() };
	if (submission.artifactKey === null) throw new EvaluationFault("The submission has no artifact.", OWN_FAULT);
	const own = await readArtifactFiles(deps, submission.artifactKey);
	// The other work is taken to be as long as this one.
	const plan = { task, criteria, ...twice(own), missingSections: [], samples: others.length * MAX_COMPARISON_CALLS };
	const microUsd = judge.estimate?.(plan) ?? 0;
	if (microUsd > 0) await record.reserve({ microUsd, criteria: criteria.length, checks: 0 });
	const session = openJudgeSession(undefined, work.job.requestId);
	const late = new AbortController();
	const cancel = deps.clock.after(CHECKPOINT.breakOffAfterMs, () => late.abort(LATE));
	try {
		const pairs = others.flatMap((other) => criteria.map((criterion) => ({ other, criterion })));
		const files = new Map<string, ReturnType<typeof readArtifactFiles>>();
		const found = await untilFirstFault(pairs, async ({ other, criterion }, signal) => {
			const reading = files.get(other.submissionId) ?? readArtifactFiles(deps, other.artifactKey);
			files.set(other.submissionId, reading);
			const request = { task, criterion, works: [own, await reading], turn: other.turn } as const;
			const watch = { signal: anySignal(signal, late.signal), session, ...(onCall === undefined ? {} : { onCall }) };
			const { model, preferred } = await judge.compareOnCriterion(request, watch);
			const sample: SampleRecord = { model, level: null, score: SCORES[preferred], compared_with: other.submissionId };
			return { criterion: criterion.name, sample };
		});
		return new Map(
			[...Map.groupBy(found, ({ criterion }) => criterion)].map(([name, all]) => [name, all.map(({ sample }) => sample)] as const),
		);
	} finally {
		cancel();
	}
}

const OWN_FAULT = { blame: "submission", isRetryable: false } as const;
const LATE = new EvaluationFault("The comparison did not end in time.", { blame: "platform", isRetryable: true });

function twice({ files, unreadPaths }: WorkFiles): WorkFiles {
	return { files: [...files, ...files], unreadPaths: [...unreadPaths, ...unreadPaths] };
}

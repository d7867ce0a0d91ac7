// A queue consumer does what a final round cannot do inside the object: it estimates the cost, and signs the receipts.
import { and, asc, eq, isNull } from "drizzle-orm";
import type { JobKind } from "../../core/competition/evaluation/job-kind.ts";
import { readLimits } from "../../core/competition/spend/service.ts";
import { getSubmissionRow } from "../../core/competition/submissions/store.ts";
import { readTask, selectJudgedTexts } from "../../core/competition/tasks/store.ts";
import { estimateJudging } from "../../core/judging/modes/llm.ts";
import { issueReceipt } from "../../core/judging/receipts.ts";
import type { EvaluationCriterion, EvaluationSubmission, EvaluationTask } from "../../core/judging/work.ts";
import { finalCandidates } from "../../db/task/schema/final-round.ts";
import { submissions } from "../../db/task/schema/submissions.ts";
import { SAMPLE_COUNTS } from "../../domain/checks.ts";
import { MODES } from "../../domain/modes.ts";
import { taskCeilingOf } from "../../domain/spend.ts";
import type { Deps } from "../../ports/deps.ts";
import type { TaskBrief } from "../../ports/judge.ts";
import { type TaskStore, taskVerb } from "../../ports/task.ts";
import { cancelRound } from "./cancel-round.ts";
import * as candidates from "./candidates.ts";
import { readJudgement } from "./kept-judgements.ts";
import { reserveRound } from "./reserve-round.ts";
import { findRound } from "./round.ts";
import { NO_ROUND } from "./rules.ts";

/** `works` are the submissions whose cost must be estimated, one for each judgement. */
export type RoundStep =
	| {
			readonly kind: "estimate";
			readonly works: readonly EvaluationSubmission[];
			/** The text attachments that the judge reads with each submission. */
			readonly attachments: TaskBrief["attachments"];
	  }
	| { readonly kind: "sign" };

/** Returns the step that the round is waiting for, or null. */
function openStep(task: TaskStore): RoundStep | null {
	const status = findRound(task)?.status;
	if (status === "signing") return { kind: "sign" };
	if (status !== "reserving") return null;
	const works = candidates.listJudged(task).map(({ submissionId }) => getSubmissionRow(task, submissionId));
	return { kind: "estimate", works, attachments: selectJudgedTexts(task) };
}

/** The job of a step of the round. A task has at most one such job at a time. */
export const roundStepJob: JobKind<RoundStep> = {
	kind: "final_round",
	subject: null,
	lane: "waited_for",
	tries: null,
	judgesHeld: true,
	isReserved: false,
	open: openStep,
	record: () => {},
	score: () => {},
	fail: (task) => cancelRound(task, NO_ROUND.noEstimate),
	async work(deps, { material }) {
		await takeStep(deps, material.opened, material);
		return { kind: "done" };
	},
};

interface StepContext {
	readonly task: EvaluationTask;
	readonly criteria: readonly EvaluationCriterion[];
}

/** Takes a step of a final round. Safe to repeat. */
async function takeStep(deps: Deps, step: RoundStep, context: StepContext): Promise<void> {
	if (step.kind === "estimate") await estimateRound(deps, step, context);
	else await signRound(deps, context);
}

async function estimateRound(
	deps: Deps,
	{ works, attachments }: Extract<RoundStep, { kind: "estimate" }>,
	{ task, criteria }: StepContext,
): Promise<void> {
	const { ceilings } = await readLimits(deps);
	const ceiling = taskCeilingOf(ceilings, task.budgetCents);
	const estimates: [submissionId: string, microUsd: number][] = [];
	// Artifacts are read one by one, because all of them together would not fit into memory.
	for (const submission of ceiling === null || !MODES[task.evalMode].usesJudge ? [] : works) {
		const work = { task, criteria, submission, attachments, samples: SAMPLE_COUNTS.replacing };
		estimates.push([submission.id, await estimateJudging(deps, work)]);
	}
	await reserveRound(deps, task.id, { estimates, ceiling });
}

/** The number of receipts that are stored in one call to the object. */
const SIGNED_AT_ONCE = 50;

async function signRound(deps: Deps, { task, criteria }: StepContext): Promise<void> {
	for (;;) {
		const unsigned = await listUnsigned(deps, task.id, { limit: SIGNED_AT_ONCE });
		if (unsigned.length === 0) return;
		const createdAt = deps.clock.now();
		const signing = unsigned.map(async ({ submissionId, artifactSha256, judgement }) => {
			const id = deps.ids.next();
			const { texts, ...facts } = judgement;
			const evaluation = { ...facts, ...texts, id, submissionId, artifactSha256, createdAt, round: "final" as const };
			return { submissionId, evaluationId: id, signedAt: createdAt, receipt: await issueReceipt(deps, evaluation, { task, criteria }) };
		});
		await storeReceipts(deps, task.id, { receipts: await Promise.all(signing) });
	}
}

/** Lists candidates that lack a receipt, with the judgement that goes into it. */
const listUnsigned = taskVerb("listUnsigned", (store, { limit }: { limit: number }) => {
	const task = readTask(store);
	if (findRound(store)?.status !== "signing") return [];
	const rows = store.db
		.select({
			submissionId: finalCandidates.submissionId,
			judgedId: finalCandidates.judgedId,
			artifactSha256: submissions.artifactSha256,
		})
		.from(finalCandidates)
		.innerJoin(submissions, eq(submissions.id, finalCandidates.submissionId))
		.where(and(candidates.isNotFailed, isNull(finalCandidates.receipt)))
		.orderBy(asc(finalCandidates.judgedId), asc(finalCandidates.submissionId))
		.limit(limit)
		.all();
	const judgements = new Map([...new Set(rows.map(({ judgedId }) => judgedId))].map((id) => [id, readJudgement(store, id, task)]));
	return rows.flatMap(({ submissionId, judgedId, artifactSha256 }) => {
		const judgement = judgements.get(judgedId) ?? null;
		if (judgement === null) return [];
		const { dimensions } = judgement.texts;
		const scores = dimensions.map(({ criterion, score }) => ({ criterion, score }));
		return [{ submissionId, artifactSha256, judgement: { ...judgement, texts: { dimensions: scores } } }];
	});
});

interface SignedReceipt {
	readonly submissionId: string;
	readonly evaluationId: string;
	readonly receipt: string;
	/** Milliseconds since the epoch. */
	readonly signedAt: number;
}

/** Stores receipts, unless an earlier run of the step has already stored them. */
const storeReceipts = taskVerb("storeReceipts", (task, { receipts }: { receipts: readonly SignedReceipt[] }): void => {
	if (findRound(task)?.status !== "signing") return;
	for (const { submissionId, ...signed } of receipts) {
		const isUnsigned = and(eq(finalCandidates.submissionId, submissionId), isNull(finalCandidates.receipt));
		task.db.update(finalCandidates).set(signed).where(isUnsigned).run();
	}
});

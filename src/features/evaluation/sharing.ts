// One judgement for several submissions of a final round whose files are nearly the same.
import type { CommitItem } from "../../ports/database.ts";
import type { Deps } from "../../ports/deps.ts";
import { issueReceipt } from "../judging/receipts.ts";
import { listReceiptKey } from "../judging/statements.ts";
import { type EvaluationReport, readReport, reportKeyOf, writeReport } from "./report.ts";
import * as statements from "./statements.ts";
import * as store from "./store.ts";

const REASONING = "Judged together with a submission whose files are nearly the same. Its score counts for both.";

interface JudgedSubmission {
	readonly evaluationId: string;
	readonly submissionId: string;
}

/** An evaluation to share. Read it once for all submissions that share it. */
export async function readJudgement(deps: Deps, { evaluationId, submissionId }: JudgedSubmission) {
	const work = await store.findWork(deps, submissionId);
	const evaluation = work?.earlier.find(({ id }) => id === evaluationId);
	if (work === null || evaluation === undefined) throw new Error(`There is no evaluation ${evaluationId} to share.`);
	return { work, evaluation, report: await readReport(deps, evaluation.reportKey) };
}

type Judgement = Awaited<ReturnType<typeof readJudgement>>;

/** The submission that gets the shared evaluation, with its next iteration. */
interface Sharer {
	readonly submissionId: string;
	readonly iteration: number;
	readonly artifactSha256: string | null;
}

/** The statements that give a submission its own evaluation with the shared scores, and the id of that evaluation. */
export async function shareEvaluation(
	deps: Deps,
	{ work, evaluation: original, report }: Judgement,
	{ submissionId, iteration, artifactSha256 }: Sharer,
): Promise<{ evaluationId: string; items: CommitItem[] }> {
	const evaluationId = deps.ids.next();
	const reportKey = reportKeyOf({ submissionId, evaluationId });
	const own = { id: evaluationId, submissionId, iteration, jobId: null, artifactSha256, reportKey, createdAt: deps.clock.now() };
	const evaluation = { ...original, ...own };
	const { receipt, key } = await issueReceipt(deps, evaluation, work);
	await writeReport(deps, { submissionId, evaluationId, report: sharedReport(report) });
	return {
		evaluationId,
		items: [listReceiptKey(deps, key), statements.insertEvaluation(deps, work.task.id, { ...evaluation, receipt })],
	};
}

/** Scores only: reasoning and evidence quote the files of another agent. */
export function sharedReport(original: EvaluationReport | null): EvaluationReport {
	const { judge, models, prompt_version } = original?.breakdown ?? {};
	const dimensions = (original?.dimensions ?? []).map((dimension) => ({ ...dimension, reasoning: REASONING }));
	return { reasoning: REASONING, dimensions, breakdown: { judge, models, prompt_version, shared_judgement: true }, ownerBreakdown: null };
}

// One judgement for several submissions: those of a final round whose files are nearly the same.
import type { CommitItem } from "../../ports/database.ts";
import type { Deps } from "../../ports/deps.ts";
import { issueReceipt } from "./receipts.ts";
import { readReport, reportKeyOf, writeReport } from "./report.ts";
import * as statements from "./statements.ts";
import * as store from "./store.ts";

const REASONING = "Judged together with a submission whose files are nearly the same. Its score counts for both.";

interface Sharing {
	/** The evaluation to share, and its submission. */
	readonly of: { readonly evaluationId: string; readonly submissionId: string };
	/** The submission that gets it, under its next number. */
	readonly to: { readonly submissionId: string; readonly iteration: number; readonly artifactSha256: string | null };
}

/** The statements that give a submission an evaluation of its own, with the scores of another one's, and its id. */
export async function shareEvaluation(deps: Deps, { of, to }: Sharing): Promise<{ evaluationId: string; items: CommitItem[] }> {
	const work = await store.findWork(deps, of.submissionId);
	const original = work?.earlier.find(({ id }) => id === of.evaluationId);
	if (work === null || original === undefined) throw new Error(`There is no evaluation ${of.evaluationId} to share.`);
	const evaluationId = deps.ids.next();
	const reportKey = reportKeyOf({ submissionId: to.submissionId, evaluationId });
	const evaluation = { ...original, ...to, id: evaluationId, reportKey, createdAt: deps.clock.now() };
	const { receipt, key } = await issueReceipt(deps, evaluation, work);
	await writeSharedReport(deps, { submissionId: to.submissionId, evaluationId, of: original.reportKey });
	return {
		evaluationId,
		items: [statements.listReceiptKey(deps, key), statements.insertEvaluation(deps, work.task.id, { ...evaluation, receipt })],
	};
}

/** Scores only: reasoning and evidence quote the files of another agent. */
async function writeSharedReport(
	deps: Deps,
	{ submissionId, evaluationId, of }: { submissionId: string; evaluationId: string; of: string },
): Promise<void> {
	const original = await readReport(deps, of);
	const { judge, models, prompt_version } = original?.breakdown ?? {};
	const dimensions = (original?.dimensions ?? []).map((dimension) => ({ ...dimension, reasoning: REASONING }));
	const breakdown = { judge, models, prompt_version, shared_judgement: true };
	await writeReport(deps, { submissionId, evaluationId, report: { reasoning: REASONING, dimensions, breakdown, ownerBreakdown: null } });
}

// Each judgement that counts is a row. Rows are only ever added.

import { asc, eq, getTableColumns, max } from "drizzle-orm";
import { comparisonGroups, evaluations } from "../../../db/task/schema/submissions.ts";
import { type EvaluationRound, type JudgeIdentity, judgeFingerprint } from "../../../domain/evaluation-rounds.ts";
import { toTaskTime } from "../../../domain/task-time.ts";
import type { Judgement } from "../../../ports/judgement.ts";
import type { TaskStore } from "../../../ports/task.ts";
import { readTask } from "../tasks/store.ts";

/** The receipt is left out, because it is long. */
const { receipt: _, ...columnsWithoutReceipt } = getTableColumns(evaluations);

/** Lists the evaluations of a submission, the oldest first. */
export function selectEvaluations({ db }: TaskStore, submissionId: string) {
	return db
		.select(columnsWithoutReceipt)
		.from(evaluations)
		.where(eq(evaluations.submissionId, submissionId))
		.orderBy(asc(evaluations.iteration))
		.all();
}

export type EvaluationColumns = ReturnType<typeof selectEvaluations>[number];

interface NewEvaluation {
	readonly submissionId: string;
	/** Evaluations are numbered from 1. */
	readonly iteration: number;
	readonly round: EvaluationRound;
	/** The agent's payer has paid this, in millionths of a US dollar. Null if others have. */
	readonly paidMicroUsd: number | null;
	/** The comparison group. It is null for the judge's own. */
	readonly group: number | null;
}

/** Stores a judgement of a submission. */
export function insertEvaluation(
	task: TaskStore,
	{ submissionId, iteration, round, paidMicroUsd, group }: NewEvaluation,
	{ texts, receipt, ...judgement }: Judgement,
): EvaluationColumns {
	const { evalMode, rubricVersion } = readTask(task);
	const dimensions = texts.dimensions.map(({ criterion, weight, score }) => ({ criterion, weight, score }));
	const row = {
		...judgement,
		createdAt: toTaskTime(task, judgement.createdAt),
		...{ submissionId, iteration, round, evalMode, rubricVersion, dimensions, paidMicroUsd },
		models: [...judgement.models],
		comparisonGroup: group ?? ensureComparisonGroup(task, judgement),
	};
	task.db
		.insert(evaluations)
		.values({ ...row, receipt: receipt ?? "" })
		.run();
	return row;
}

/** A judge names the criteria whose samples have found text that tries to influence it. */
export function reportsInjection({ texts }: Judgement): boolean {
	const suspected = texts.breakdown["injection_suspected"];
	return Array.isArray(suspected) && suspected.length > 0;
}

/** Removes a judgement's quotes from the files. Its scores stay. */
export function withoutTexts(judgement: Judgement): Judgement {
	const dimensions = judgement.texts.dimensions.map((dimension) => ({ ...dimension, reasoning: "", checks: [], gaps: [] }));
	return { ...judgement, texts: { reasoning: "", dimensions, breakdown: {}, ownerBreakdown: null } };
}

/**
 * Returns the number of a judge's comparison group on the task. A group is one configuration of the judge, and only scores of the same group can be compared.
 */
export function ensureComparisonGroup({ db, now }: TaskStore, identity: JudgeIdentity): number {
	const { judge, models, promptVersion } = identity;
	const fingerprint = judgeFingerprint(identity);
	const group = db
		.select({ number: comparisonGroups.number })
		.from(comparisonGroups)
		.where(eq(comparisonGroups.fingerprint, fingerprint))
		.get();
	if (group !== undefined) return group.number;
	const last = db
		.select({ number: max(comparisonGroups.number) })
		.from(comparisonGroups)
		.get();
	const number = (last?.number ?? 0) + 1;
	db.insert(comparisonGroups)
		.values({ number, fingerprint, judge, models: [...models], promptVersion, since: now })
		.run();
	return number;
}

// An evaluation is a judgement of a submission, in one row. Rows are only added.

import { asc, eq, getTableColumns, max, sql } from "drizzle-orm";
import { placeholdersFor, prepareOnce } from "../../../db/task/prepared.ts";
import { comparisonGroups, evaluations } from "../../../db/task/schema/submissions.ts";
import { type EvaluationRound, type JudgeIdentity, judgeFingerprint } from "../../../domain/evaluation-rounds.ts";
import { toTaskTime } from "../../../domain/task-time.ts";
import type { Judgement } from "../../../ports/judgement.ts";
import type { TaskStore } from "../../../ports/task.ts";
import { readTask } from "../tasks/store.ts";

/** All columns except the receipt, which is long. */
const { receipt: _, ...columnsWithoutReceipt } = getTableColumns(evaluations);

/** Lists the evaluations of a submission, oldest first. */
export function selectEvaluations({ db }: TaskStore, submissionId: string) {
	return evaluationsQuery(db).all({ submissionId });
}

const evaluationsQuery = prepareOnce((db) =>
	db
		.select(columnsWithoutReceipt)
		.from(evaluations)
		.where(eq(evaluations.submissionId, sql.placeholder("submissionId")))
		.orderBy(asc(evaluations.iteration))
		.prepare(),
);

export type EvaluationColumns = ReturnType<typeof selectEvaluations>[number];

interface NewEvaluation {
	readonly submissionId: string;
	/** Evaluations are numbered from 1. */
	readonly iteration: number;
	readonly round: EvaluationRound;
	/** What the agent's payer paid, in millionths of a US dollar. Null if someone else paid. */
	readonly paidMicroUsd: number | null;
	/** The comparison group. Null means the judge's own group. */
	readonly group: number | null;
}

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
	insertQuery(task.db).run({ ...row, receipt: receipt ?? "" });
	return row;
}

const insertQuery = prepareOnce((db) => db.insert(evaluations).values(placeholdersFor(evaluations)).prepare());

/** Returns true if the judge found text in the submission that was trying to influence the judge. */
export function reportsInjection({ texts }: Judgement): boolean {
	const suspected = texts.breakdown["injection_suspected"];
	return Array.isArray(suspected) && suspected.length > 0;
}

/** Removes from a judgement everything that quotes the files. Scores stay. */
export function withoutTexts(judgement: Judgement): Judgement {
	const dimensions = judgement.texts.dimensions.map((dimension) => ({ ...dimension, reasoning: "", checks: [], gaps: [] }));
	return { ...judgement, texts: { reasoning: "", dimensions, breakdown: {}, ownerBreakdown: null } };
}

/**
 * Returns the number of a judge's comparison group on the task, and adds the group if it is new. A group is one configuration of the judge.
 * Only scores of the same group can be compared.
 */
export function ensureComparisonGroup({ db, now }: TaskStore, identity: JudgeIdentity): number {
	const { judge, models, promptVersion } = identity;
	const fingerprint = judgeFingerprint(identity);
	const group = groupQuery(db).get({ fingerprint });
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

const groupQuery = prepareOnce((db) =>
	db
		.select({ number: comparisonGroups.number })
		.from(comparisonGroups)
		.where(eq(comparisonGroups.fingerprint, sql.placeholder("fingerprint")))
		.prepare(),
);

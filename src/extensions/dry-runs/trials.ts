// A trial is judged without being a submission, for example a dry run. All trials are stored, judged and ended in the same way.

import { and, asc, eq, isNotNull, ne } from "drizzle-orm";
import { packFiles } from "../../core/judging/artifacts/packing.ts";
import type { FileContent } from "../../core/judging/artifacts/rules.ts";
import type { EvaluationSubmission } from "../../core/judging/work.ts";
import { type TrialRow, trials } from "../../db/task/schema/judging.ts";
import type { TaskRow } from "../../db/task/schema/task.ts";
import { EvaluationFault, type FaultRecord, recordOf } from "../../domain/evaluation-fault.ts";
import { MODES } from "../../domain/modes.ts";
import { writeBlob } from "../../platform/blob-writer.ts";
import type { Deps } from "../../ports/deps.ts";
import type { Judgement } from "../../ports/judgement.ts";
import type { TaskStore } from "../../ports/task.ts";
import type { ExpectedScores } from "./rules.ts";

/** Packs files as quick-submit does, and stores the zip. Empties `files`. Returns the trial's columns that describe the zip. */
export async function storeTrialFiles({ bucket }: Deps, artifactKey: string, files: FileContent[]) {
	const { zip, missingSections } = packFiles(files);
	const { sha256 } = await writeBlob(zip, { bucket, key: artifactKey, contentType: "application/zip" });
	return { artifactKey, artifactSha256: sha256, missingSections };
}

export interface ReferenceFiles {
	readonly artifactKey: string;
	readonly artifactSha256: string;
	readonly missingSections: string[];
}

/** Writes the scores of a trial, and returns its row. */
export function scoreTrial(
	task: TaskStore,
	trialId: string,
	{ finalScore, testScore, llmScore, containerScore, texts }: Judgement,
): TrialRow {
	const dimensions = texts.dimensions.map(({ criterion, weight, score }) => ({ criterion, weight, score }));
	return endTrial(task, trialId, { status: "completed", finalScore, testScore, llmScore, containerScore, dimensions });
}

/** Writes why a trial has no scores, and returns its row. */
export function failTrial(task: TaskStore, trialId: string, { message, ownerMessage, blame }: FaultRecord): TrialRow {
	return endTrial(task, trialId, { status: "evaluation_failed", errorMessage: ownerMessage ?? message, blame });
}

export function endTrial(task: TaskStore, trialId: string, end: Pick<TrialRow, "status"> & Partial<TrialRow>): TrialRow {
	return task.db
		.update(trials)
		.set({ ...end, finishedAt: task.now })
		.where(eq(trials.id, trialId))
		.returning()
		.get();
}

export function findTrial({ db }: TaskStore, id: string): TrialRow | null {
	return db.select().from(trials).where(eq(trials.id, id)).get() ?? null;
}

/** Returns a trial in the form of a submission, so that its mode can judge it. The task's owner takes the place of the submitting agent. */
export function workOfTrial({ id, artifactKey, artifactSha256, missingSections }: TrialRow, { companyId }: TaskRow): EvaluationSubmission {
	return { id, agentId: companyId, artifactKey, artifactSha256, missingSections, iteration: 1 };
}

/** Returns a fault if the poster's own service now judges the task, or null. A draft's mode can change while a trial waits. */
export function findModeFault({ evalMode }: TaskRow): FaultRecord | null {
	if (!MODES[evalMode].isExternal) return null;
	const message = "Your own service judges the task now, so the platform did not judge this dry run.";
	return recordOf(new EvaluationFault(message, { blame: "submission", isRetryable: false }));
}

interface Reference extends ReferenceFiles {
	readonly id: string;
	readonly name: string | null;
	/** The scores are from 0 to 100, keyed by criterion name. */
	readonly expected: ExpectedScores;
}

/**
 * Selects the task's references whose files are stored, oldest first. References are dry runs that the poster marked as cases of the judge
 * check.
 */
export function readReferences({ db }: Pick<TaskStore, "db">): Reference[] {
	const isReference = and(eq(trials.reference, true), isNotNull(trials.artifactKey));
	return db
		.select()
		.from(trials)
		.where(isReference)
		.orderBy(asc(trials.createdAt), asc(trials.id))
		.all()
		.flatMap(({ id, name, artifactKey, artifactSha256, missingSections, expected }) =>
			artifactKey === null || expected === null
				? []
				: [{ id, name, artifactKey, artifactSha256: artifactSha256 ?? "", missingSections: missingSections ?? [], expected }],
		);
}

/** Counts the task's references, except one run. */
export function countOtherReferences({ db }: TaskStore, id: string): number {
	const isOther = and(eq(trials.reference, true), ne(trials.id, id));
	return db.select({ id: trials.id }).from(trials).where(isOther).all().length;
}

/** Keeps the expectations that name a criterion of the rubric. Returns null if none does. */
export function expectedOf(expected: ExpectedScores, criteria: readonly { readonly name: string }[]): ExpectedScores | null {
	const pairs = Object.entries(expected).filter(([name]) => criteria.some((criterion) => criterion.name === name));
	return pairs.length === 0 ? null : Object.fromEntries(pairs);
}

// A trial is a dry run or a case of the judge check. Both are stored, judged and ended in the same way.
import { and, asc, eq, isNotNull, ne } from "drizzle-orm";
import type { Judgement } from "../../core/competition/judgements/judgement.ts";
import { singleReport, writeReport } from "../../core/competition/judgements/report.ts";
import { readTask, warnOwner } from "../../core/competition/tasks/store.ts";
import { packFiles } from "../../core/judging/artifacts/packing.ts";
import type { FileContent } from "../../core/judging/artifacts/rules.ts";
import { type TrialRow, trials } from "../../db/task/schema/judging.ts";
import type { FaultRecord } from "../../domain/evaluation-fault.ts";
import { checkedScore, hasPassed } from "../../fields/judge-check.ts";
import { writeBlob } from "../../platform/blob-writer.ts";
import type { Deps } from "../../ports/deps.ts";
import type { TaskStore } from "../../ports/task.ts";
import { type AttackTarget, JUDGE_CASES } from "../judge-check/cases.ts";
import { endedCheckWarning, failedCaseWarning } from "../judge-check/rules.ts";
import type { ExpectedScores } from "./rules.ts";

/** Packs files as quick-submit does, and takes them out of the list. Returns the columns of the trial that describe them. */
export async function storeTrialFiles({ bucket }: Deps, artifactKey: string, files: FileContent[]) {
	const { zip, missingSections } = packFiles(files);
	const { sha256 } = await writeBlob(zip, { bucket, key: artifactKey, contentType: "application/zip" });
	return { artifactKey, artifactSha256: sha256, missingSections };
}

/**
 * Packs a case of the judge check, when its turn comes. A consumer that repeats the work of a dead one overwrites the same object.
 * Returns null when this version of the platform no longer has the case.
 */
export async function storeCase(deps: Deps, artifactKey: string, { name, task }: { name: string; task: AttackTarget }) {
	const attack = JUDGE_CASES.find((known) => known.name === name);
	if (attack === undefined) return null;
	const encoder = new TextEncoder();
	const files = Object.entries(attack.files(task)).map(([path, text]) => ({ path, content: encoder.encode(text) }));
	return storeTrialFiles(deps, artifactKey, files);
}

/** Copies the files of a reference for its case, because graders download files by the id of the trial. Returns null when they are gone. */
export async function copyReference({ bucket }: Deps, artifactKey: string, reference: ReferenceFiles) {
	const object = await bucket.get(reference.artifactKey);
	if (object === null) return null;
	await bucket.put(artifactKey, await object.arrayBuffer(), { httpMetadata: { contentType: "application/zip" } });
	return { artifactKey, artifactSha256: reference.artifactSha256, missingSections: reference.missingSections };
}

export interface ReferenceFiles {
	readonly artifactKey: string;
	readonly artifactSha256: string;
	readonly missingSections: string[];
}

export function recordTrialScore(task: TaskStore, trialId: string, judgement: Judgement): void {
	const { finalScore, testScore, llmScore, containerScore, texts } = judgement;
	const dimensions = texts.dimensions.map(({ criterion, weight, score }) => ({ criterion, weight, score }));
	const ended = endTrial(task, trialId, { status: "completed", finalScore, testScore, llmScore, containerScore, dimensions });
	// The poster can be erased while its files are judged.
	if (ended.kind === "dry_run" && ended.artifactKey !== null) writeReport(task, trialId, singleReport(texts));
}

export function recordTrialFailure(task: TaskStore, trialId: string, { message, ownerMessage, blame }: FaultRecord): void {
	const { kind, artifactKey } = endTrial(task, trialId, { status: "evaluation_failed", errorMessage: ownerMessage ?? message, blame });
	if (kind === "dry_run" && artifactKey === null) task.db.update(trials).set({ errorMessage: null }).where(eq(trials.id, trialId)).run();
}

/** Ends a case whose task was closed before it was judged, without a warning. */
export function cancelTrial(task: TaskStore, trialId: string): void {
	endTrial(task, trialId, { status: "cancelled" });
}

/** The task gets one warning of each kind, for any number of cases. */
function endTrial(task: TaskStore, trialId: string, end: Partial<TrialRow>): TrialRow {
	const trial = task.db
		.update(trials)
		.set({ ...end, finishedAt: task.now })
		.where(eq(trials.id, trialId))
		.returning()
		.get();
	if (trial.kind !== "judge_check") return trial;
	if (hasPassed(trial) === false) {
		warnOwner(task, {
			code: "JUDGE_CHECK_FAILED",
			message: failedCaseWarning(trial, { score: checkedScore(trial), mode: readTask(task).evalMode }),
		});
	}
	if (trial.status === "evaluation_failed" && trial.blame === "platform") {
		warnOwner(task, { code: "JUDGE_CHECK_ENDED", message: endedCheckWarning(trial) });
	}
	return trial;
}

interface Reference extends ReferenceFiles {
	readonly id: string;
	readonly name: string | null;
	/** The scores are 0..100, by name of the criterion. */
	readonly expected: ExpectedScores;
}

/** Selects the references of a task whose files are stored, oldest first: a poster marks dry runs as cases of the judge check. */
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

/** Counts the references of a task besides one run. */
export function countOtherReferences({ db }: TaskStore, id: string): number {
	const isOther = and(eq(trials.reference, true), ne(trials.id, id));
	return db.select({ id: trials.id }).from(trials).where(isOther).all().length;
}

/** Keeps the expectations that name a criterion of the rubric. Returns null when none does. */
export function expectedOf(expected: ExpectedScores, criteria: readonly { readonly name: string }[]): ExpectedScores | null {
	const known = Object.entries(expected).filter(([name]) => criteria.some((criterion) => criterion.name === name));
	return known.length === 0 ? null : Object.fromEntries(known);
}

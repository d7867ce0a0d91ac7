// Erases what an agent has left in the objects of tasks: submissions with their texts and files, drafts, dry runs and callback URLs.
import { and, eq, inArray, isNotNull, or, sql } from "drizzle-orm";
import { selectTasksOf } from "../../../core/competition/directory/cards.ts";
import { eraseFromLog } from "../../../core/competition/public-log/log.ts";
import { updateSubmission } from "../../../core/competition/submissions/store.ts";
import { removeTask } from "../../../core/competition/tasks/delete-task.ts";
import { readTask, updateTaskRow } from "../../../core/competition/tasks/store.ts";
import { artifactObjects } from "../../../core/judging/artifacts/artifact-index.ts";
import { trials } from "../../../db/task/schema/judging.ts";
import { isUnanswered, questions, withdrawnQuestions } from "../../../db/task/schema/questions.ts";
import { appeals, board, evaluations, reports, reviews, signatures, submissions } from "../../../db/task/schema/submissions.ts";
import { entries, replies, tasks } from "../../../db/task/schema/task.ts";
import { callInChunks, chunksOf } from "../../../domain/chunks.ts";
import { erasedName } from "../../../domain/erased-names.ts";
import type { Deps } from "../../../ports/deps.ts";
import { type TaskStore, taskVerb, unlessDeleted } from "../../../ports/task.ts";
import { handOverJudgement, handOverWork } from "../../final-round/hand-over.ts";
import { eraseTexts } from "../../final-round/kept-judgements.ts";

/** Lists the keys of the agent's stored work: artifacts, and files of dry runs on its tasks. */
export const listWork = taskVerb("listWork", (task, { agentId }: { agentId: string }): string[] => {
	const { db } = task;
	const isOwn = and(eq(submissions.agentId, agentId), isNotNull(submissions.artifactKey));
	const artifacts = db.select({ key: submissions.artifactKey }).from(submissions).where(isOwn).all();
	const { companyId, status } = readTask(task);
	// The files of other dry runs are deleted after judging.
	const isStored = status === "draft" ? undefined : or(eq(trials.status, "running"), eq(trials.reference, true));
	const isDryRun = and(eq(trials.kind, "dry_run"), isStored, isNotNull(trials.artifactKey));
	const ofDryRuns = companyId === agentId ? db.select({ key: trials.artifactKey }).from(trials).where(isDryRun).all() : [];
	return [...artifacts, ...ofDryRuns].flatMap(({ key }) => (key === null ? [] : [key]));
});

/** Erases what identifies the agent in the task. Scores stay, under a pseudonym. It is safe to repeat. */
export const eraseTraces = taskVerb("eraseTraces", (task, { agentId }: { agentId: string }): void => {
	eraseSubmissions(task, agentId);
	eraseQuestions(task, agentId);
	eraseAppeals(task, agentId);
	eraseFromLog(task, agentId);
	if (readTask(task).companyId === agentId) erasePosting(task);
});

function eraseSubmissions(task: TaskStore, agentId: string): void {
	const { db } = task;
	const pseudonym = erasedName(agentId);
	const isOwn = eq(submissions.agentId, agentId);
	const own = db.select({ id: submissions.id }).from(submissions).where(isOwn);
	const rows = db.select({ id: submissions.id, restored: submissions.restored }).from(submissions).where(isOwn).all();
	const judged = db.select({ id: evaluations.id }).from(evaluations).where(inArray(evaluations.submissionId, own));
	db.delete(reports).where(inArray(reports.subjectId, judged)).run();
	db.delete(signatures).where(eq(signatures.agentId, agentId)).run();
	db.update(entries).set({ payer: null }).where(eq(entries.agentId, agentId)).run();
	db.delete(replies).where(eq(replies.caller, agentId)).run();
	for (const { id, restored } of rows) {
		handOverJudgement(task, id);
		eraseTexts(task, id);
		updateSubmission(task, id, {
			...{ agentDisplayName: pseudonym, artifactKey: null, artifactBytes: null, missingSections: null },
			...{ errorMessage: null, ownerErrorMessage: null, supplierWords: null, shownEvaluationId: null },
			restored: restored === null ? null : { ...restored, errorMessage: null, ownerErrorMessage: null },
		});
	}
	const renamed = db.update(board).set({ agentName: pseudonym }).where(eq(board.agentId, agentId)).returning({ id: board.agentId }).all();
	if (renamed.length === 0) return;
	db.update(tasks)
		.set({ boardRevision: sql`${tasks.boardRevision} + 1` })
		.run();
	// The card may name the agent as the winner.
	updateTaskRow(task, {});
}

/** An answered question stays for those who read the answer. Notes stay as the task's own texts do. */
function eraseQuestions({ db }: TaskStore, agentId: string): void {
	const isOwn = and(eq(questions.agentId, agentId), eq(questions.isNote, false));
	db.delete(questions).where(and(isOwn, isUnanswered)).run();
	db.update(questions).set({ text: ERASED_QUESTION, network: null }).where(isOwn).run();
	db.delete(withdrawnQuestions).where(eq(withdrawnQuestions.agentId, agentId)).run();
}

function eraseAppeals({ db }: TaskStore, agentId: string): void {
	const own = db.select({ id: submissions.id }).from(submissions).where(eq(submissions.agentId, agentId));
	db.update(appeals).set({ reason: "" }).where(inArray(appeals.submissionId, own)).run();
}

const ERASED_QUESTION = "This question was erased.";

function erasePosting(task: TaskStore): void {
	const { db } = task;
	updateTaskRow(task, { evalCallbackUrl: null, evalCallbackTokenHash: null, evalCallbackTokenSealed: null });
	db.update(reviews).set({ reason: "" }).run();
	db.update(appeals).set({ decisionReason: "" }).where(isNotNull(appeals.decision)).run();
	const isDryRun = eq(trials.kind, "dry_run");
	const runs = db.select({ id: trials.id }).from(trials).where(isDryRun);
	db.delete(reports).where(inArray(reports.subjectId, runs)).run();
	db.update(trials).set({ name: null, expected: null, artifactKey: null, errorMessage: null }).where(isDryRun).run();
}

const TASKS_AT_ONCE = 10;

/** Erases an agent's traces in all tasks and deletes its drafts and files. Returns the number of files. It is safe to repeat. */
export async function eraseFromTasks(deps: Deps, agentId: string): Promise<number> {
	const found = await selectTasksOf(deps, agentId);
	const deleted = await callInChunks(found, TASKS_AT_ONCE, (task) => unlessDeleted(eraseFromTask(deps, agentId, task)));
	return deleted.reduce<number>((sum, count) => sum + (count ?? 0), 0);
}

/** The files go first, because afterwards nothing says that they were the agent's. */
async function eraseFromTask(deps: Deps, agentId: string, { id, isOwnDraft }: { id: string; isOwnDraft: boolean }): Promise<number> {
	const keys = await listWork(deps, id, { agentId });
	if (isOwnDraft) await removeTask(deps, id, { by: agentId });
	else {
		// A consumer that misses the files would fail the others that share the judgement.
		await handOverWork(deps, id, { agentId });
		for (const chunk of chunksOf(keys.flatMap(artifactObjects), 1_000)) await deps.bucket.delete(chunk);
		await eraseTraces(deps, id, { agentId });
	}
	return keys.length;
}

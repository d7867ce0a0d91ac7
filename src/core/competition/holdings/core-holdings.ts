// Data about agents and tasks that the core stores in Task objects.
import { and, eq, inArray, isNotNull, sql } from "drizzle-orm";
import { board, evaluations, reports, submissions } from "../../../db/task/schema/submissions.ts";
import { entries, replies, tasks } from "../../../db/task/schema/task.ts";
import { erasedName } from "../../../domain/erased-names.ts";
import type { HeldAgent } from "../../../ports/holdings.ts";
import type { Holding } from "../../../ports/joints.ts";
import type { TaskStore } from "../../../ports/task.ts";
import { eraseFromLog } from "../public-log/log.ts";
import { updateSubmission } from "../submissions/store.ts";
import { updateTaskRow } from "../tasks/store.ts";
import { attachmentPrefix, JOB_OBJECTS, jobPrefix } from "../tasks/stored-objects.ts";

const work: Holding = {
	erase: eraseSubmissions,
	export({ agentId }) {
		const own = sql`(select id from submissions where agent_id = ${agentId})`;
		const isOwn = sql`agent_id = ${agentId}`;
		return {
			...{ entries: isOwn, members: isOwn, submissions: isOwn },
			evaluations: sql`submission_id in ${own}`,
			reports: sql`subject_id in (select id from evaluations where submission_id in ${own})`,
			board: isOwn,
		};
	},
	artifacts({ db }, { agentId }) {
		const isStored = and(eq(submissions.agentId, agentId), isNotNull(submissions.artifactKey));
		const rows = db.select({ key: submissions.artifactKey }).from(submissions).where(isStored).all();
		return rows.flatMap(({ key }) => (key === null ? [] : [key]));
	},
	locate: sql`select id from submissions`,
	referencedKeys: {
		artifacts: () => sql`exists (select 1 from submissions where submissions.id = wanted.subject and artifact_key = wanted.owner)`,
	},
};

/** Erases an agent's name, texts and references to its files, and keeps its scores under a pseudonym. */
function eraseSubmissions(task: TaskStore, { agentId }: HeldAgent): void {
	const { db } = task;
	const pseudonym = erasedName(agentId);
	const isOwn = eq(submissions.agentId, agentId);
	const own = db.select({ id: submissions.id }).from(submissions).where(isOwn);
	const rows = db.select({ id: submissions.id, restored: submissions.restored }).from(submissions).where(isOwn).all();
	const judged = db.select({ id: evaluations.id }).from(evaluations).where(inArray(evaluations.submissionId, own));
	db.delete(reports).where(inArray(reports.subjectId, judged)).run();
	db.update(entries).set({ payer: null }).where(eq(entries.agentId, agentId)).run();
	db.delete(replies).where(eq(replies.caller, agentId)).run();
	for (const { id, restored } of rows) {
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
	// The task's card may name the agent as the winner, so it is written again.
	updateTaskRow(task, {});
}

const publicLog: Holding = {
	erase: (task, { agentId }) => eraseFromLog(task, agentId),
	export: ({ agentId }) => ({ public_log: sql`agent_id = ${agentId}` }),
};

/** Erasing the owner removes the task's callback. The texts of a published task stay. */
const posting: Holding = {
	erase(task, { isOwner }) {
		if (isOwner) updateTaskRow(task, { evalCallbackUrl: null, evalCallbackTokenHash: null, evalCallbackTokenEncrypted: null });
	},
	export: ({ isOwner }) => (isOwner ? { tasks: sql`true`, criteria: sql`true`, attachments: sql`true` } : {}),
	referencedKeys: {
		suites: () => sql`exists (select 1 from tasks where test_suite_key = wanted.key)`,
		attachments: (taskId) =>
			sql`exists (select 1 from attachments where attachments.id = wanted.subject and ${attachmentPrefix(taskId)} || attachments.id = wanted.key)`,
	},
};

const judging: Holding = {
	referencedKeys: {
		jobs: (taskId) =>
			sql`key in (select ${jobPrefix(taskId)} || jobs.id || '/' || value || '.json' from jobs, json_each(${JSON.stringify(JOB_OBJECTS)}))`,
	},
};

export const CORE_HOLDINGS: readonly Holding[] = [work, publicLog, posting, judging];

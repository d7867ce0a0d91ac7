// Rewrites all cards of the directory from the objects of the tasks.

import { asc, gt } from "drizzle-orm";
import { deleteTaskCards, selectMemberIds } from "../../../core/competition/directory/cards.ts";
import { readMemberIds, readTask } from "../../../core/competition/tasks/store.ts";
import { listTaskIds } from "../../../core/competition/tasks/stored-objects.ts";
import { taskCards } from "../../../db/schema/cards.ts";
import { submissions } from "../../../db/task/schema/submissions.ts";
import { chunksOf } from "../../../domain/chunks.ts";
import { isInvited } from "../../../domain/task-status.ts";
import type { Deps } from "../../../ports/deps.ts";
import { taskVerb, unlessDeleted } from "../../../ports/task.ts";

const SUBMISSIONS_PER_CALL = 1_000;

/**
 * Writes the cards of the task, of its members, and of its submissions after a position. A card that is correct does not change.
 * Returns the position to continue after, or null after the last submission.
 *
 * @param carded Agents whose cards say that they have joined the task. The task may have been rewound to a time before that.
 */
const announceCards = taskVerb("announceCards", (task, { after, carded = [] }: { after: string | null; carded?: readonly string[] }) => {
	task.markTask();
	if (after === null) {
		const row = readTask(task);
		const readers = isInvited(row) && row.status !== "draft" ? [row.companyId, ...readMemberIds(task)] : [];
		for (const agentId of new Set([...readers, ...carded])) task.markMember(agentId);
	}
	const rows = task.db
		.select({ id: submissions.id })
		.from(submissions)
		.where(gt(submissions.id, after ?? ""))
		.orderBy(asc(submissions.id))
		.limit(SUBMISSIONS_PER_CALL)
		.all();
	for (const { id } of rows) task.markSubmission(id);
	return { submissions: rows.length, next: rows.length < SUBMISSIONS_PER_CALL ? null : (rows.at(-1)?.id ?? null) };
});

/** Rewrites all cards of one task. Returns the number of its submissions. */
export async function announceAll(deps: Deps, taskId: string): Promise<number> {
	let count = 0;
	let after: string | null = null;
	const carded = await selectMemberIds(deps, taskId);
	do {
		const page: { submissions: number; next: string | null } = await announceCards(deps, taskId, { after, carded });
		count += page.submissions;
		after = page.next;
	} while (after !== null);
	for (const { announce } of deps.holdings) await announce?.(deps, taskId);
	return count;
}

export const TASKS_PER_STEP = 100;
const TASKS_AT_ONCE = 10;
/** A step ends early after this number of submissions, so that it ends within the time of a request. */
const SUBMISSIONS_PER_STEP = 5_000;

/**
 * Rewrites the cards of the tasks after an id. Returns what was done, and the task to continue after, or null once all cards are
 * rewritten.
 */
export async function rebuildCards(deps: Deps, after: string): Promise<{ tasks: number; submissions: number; last: string | null }> {
	const tasks = await listStep(deps, after);
	const done = { tasks: 0, submissions: 0 };
	for (const chunk of chunksOf(tasks, TASKS_AT_ONCE)) {
		const counts = await Promise.all(chunk.map((task) => rebuildTask(deps, task)));
		for (const count of counts) {
			done.tasks += count === null ? 0 : 1;
			done.submissions += count ?? 0;
		}
		const last = chunk.at(-1)?.id ?? null;
		if (done.submissions >= SUBMISSIONS_PER_STEP && last !== tasks.at(-1)?.id) return { ...done, last };
	}
	return { ...done, last: tasks.length < TASKS_PER_STEP ? null : (tasks.at(-1)?.id ?? null) };
}

/**
 * Lists the next tasks by id, from the bucket and from the cards. The bucket also has tasks without a card, and after a restore the
 * directory has cards without a task.
 */
async function listStep(deps: Deps, after: string) {
	const [ids, cards] = await Promise.all([
		listTaskIds(deps, after, TASKS_PER_STEP),
		deps.db.query
			.select({ id: taskCards.id })
			.from(taskCards)
			.where(gt(taskCards.id, after))
			.orderBy(asc(taskCards.id))
			.limit(TASKS_PER_STEP),
	]);
	const carded = new Set(cards.map(({ id }) => id));
	return [...new Set([...ids, ...carded])]
		.toSorted()
		.slice(0, TASKS_PER_STEP)
		.map((id) => ({ id, hasCard: carded.has(id) }));
}

/** Returns null for a task that does not exist, because it was a draft that was deleted, or because it is still being created. */
async function rebuildTask(deps: Deps, { id, hasCard }: { id: string; hasCard: boolean }): Promise<number | null> {
	const submissions = await unlessDeleted(announceAll(deps, id));
	if (submissions === null && hasCard) await deleteTaskCards(deps, id);
	return submissions;
}

// The SQL for the task itself, in its object, for the verbs of all features of the competition.
import { asc, eq, sql } from "drizzle-orm";
import { selectTask } from "../../../db/task/database.ts";
import { prepareOnce } from "../../../db/task/prepared.ts";
import {
	type CriterionRow,
	criteria,
	deadlines,
	entries,
	judgedAttachments,
	members,
	type NewTask,
	type TaskRow,
	tasks,
	warnings,
} from "../../../db/task/schema/task.ts";
import type { AuditEntry } from "../../../domain/audit.ts";
import { AppError } from "../../../domain/errors.ts";
import type { StoredTaskWarning } from "../../../domain/task-warnings.ts";
import type { Ctx } from "../../../ports/deps.ts";
import { type TaskStore, taskVerb } from "../../../ports/task.ts";
import { assertOwner, canSeeTask, hideCriteria, isRestricted, NO_PART, type Participation } from "./rules.ts";

/** Finds the object's task. Returns null before it is created and after it is deleted. */
export function findTask({ db }: TaskStore): TaskRow | null {
	return selectTask(db);
}

/** Reads the task. Verbs run only in objects that contain one. */
export function readTask(task: TaskStore): TaskRow {
	const row = findTask(task);
	if (row === null) throw new Error("The object contains no task.");
	return row;
}

export function taskNotFound(): AppError {
	return new AppError("NOT_FOUND", { message: "There is no such task. GET /api/v1/tasks lists the open ones." });
}

/**
 * Reads the task for an agent that may see it. Verbs that agents call with a task's id begin with this.
 *
 * @param agentId Empty for readers without a key.
 * @throws AppError `NOT_FOUND`, including for another owner's draft, and for an invite-only task that the agent has not joined.
 */
export function readVisibleTask(store: TaskStore, agentId: string): TaskRow {
	const task = readTask(store);
	const part = isRestricted(task) && agentId !== "" ? readParticipation(store, agentId) : NO_PART;
	if (!canSeeTask(task, agentId, part)) throw taskNotFound();
	return task;
}

/** @throws AppError `NOT_FOUND` if the agent cannot see the task, `FORBIDDEN` if it belongs to another agent. */
export function readOwnTask(store: TaskStore, agentId: string): TaskRow {
	const task = readVisibleTask(store, agentId);
	assertOwner(task, agentId);
	return task;
}

export function readParticipation({ db }: TaskStore, agentId: string): Participation {
	return {
		hasEntered: enteredQuery(db).get({ agentId }) !== undefined,
		isMember: memberQuery(db).get({ agentId }) !== undefined,
	};
}

const enteredQuery = prepareOnce((db) =>
	db
		.select({ agentId: entries.agentId })
		.from(entries)
		.where(eq(entries.agentId, sql.placeholder("agentId")))
		.prepare(),
);
const memberQuery = prepareOnce((db) =>
	db
		.select({ agentId: members.agentId })
		.from(members)
		.where(eq(members.agentId, sql.placeholder("agentId")))
		.prepare(),
);

export function readMemberIds({ db }: TaskStore): string[] {
	return db
		.select({ agentId: members.agentId })
		.from(members)
		.all()
		.map(({ agentId }) => agentId);
}

/** Records the new deadline of the published task. */
export function keepDeadline({ db, now }: TaskStore, deadline: number): void {
	db.insert(deadlines).values({ deadline, at: now }).onConflictDoNothing().run();
}

const deadlinesQuery = prepareOnce((db) => db.select().from(deadlines).orderBy(asc(deadlines.deadline)).prepare());

/** Reads the task's deadlines, oldest first. A draft has none. */
export function readDeadlines({ db }: TaskStore) {
	return deadlinesQuery(db).all();
}

const criteriaQuery = prepareOnce((db) => db.select().from(criteria).orderBy(asc(criteria.position), asc(criteria.name)).prepare());

/** Reads the rubric in the order of its positions. */
export function readCriteria({ db }: TaskStore): CriterionRow[] {
	return criteriaQuery(db).all();
}

/** Reads the rubric as an agent may see it, or as everyone may see it if the id is empty. Sorted by position. */
export function readShownCriteria(store: TaskStore, task: TaskRow, agentId: string): CriterionRow[] {
	const rows = readCriteria(store);
	if (task.settledAt !== null) return rows;
	const unsalted = rows.map((row) => ({ ...row, salt: null }));
	return task.companyId === agentId ? unsalted : hideCriteria(unsalted);
}

/** Returns the names of criteria that only the owner may read before the task is settled. */
export function findHiddenNames(store: TaskStore, { settledAt }: TaskRow): ReadonlySet<string> {
	const hidden = settledAt !== null ? [] : readCriteria(store).filter(({ held }) => held);
	return new Set(hidden.map(({ name }) => name));
}

/** Reads the judge's copies of the attachments, in the order in which these were attached. */
export function selectJudgedTexts({ db }: Pick<TaskStore, "db">): { filename: string; text: string }[] {
	return judgedTextsQuery(db).all();
}

const judgedTextsQuery = prepareOnce((db) =>
	db
		.select({ filename: judgedAttachments.filename, text: judgedAttachments.text })
		.from(judgedAttachments)
		.orderBy(asc(judgedAttachments.id))
		.prepare(),
);

const readOwnRubric = taskVerb("readOwnRubric", (task, { by }: { by: string }) => ({
	task: readOwnTask(task, by),
	criteria: readCriteria(task),
}));

/**
 * Reads the caller's own task with its rubric, for decisions that the Worker makes before it calls another verb.
 *
 * @throws AppError `NOT_FOUND` if the caller cannot see the task, `FORBIDDEN` if it belongs to another agent.
 */
export function getOwnTask(ctx: Ctx, taskId: string) {
	return readOwnRubric(ctx, taskId, { by: ctx.actor.agentId });
}

/** The columns that streams of the task and of its leaderboard show. */
const WATCHED: ReadonlySet<string> = new Set<keyof NewTask>([
	...(["title", "description", "category", "budgetCents", "deadline", "evalMode", "maxSubmissionsPerAgent"] as const),
	...(["status", "settledAt", "hidden"] as const),
]);

/** Changes the task and raises its revision, so that its card is written again. */
export function updateTaskRow(task: TaskStore, change: Partial<NewTask>): void {
	const isWatched = Object.keys(change).some((column) => WATCHED.has(column));
	task.db
		.update(tasks)
		.set({
			...(isWatched ? { stateRevision: sql`${tasks.stateRevision} + 1`, boardRevision: sql`${tasks.boardRevision} + 1` } : {}),
			...change,
			touchedAt: task.now,
			revision: sql`${tasks.revision} + 1`,
		})
		.run();
	task.markTask();
}

/** Records a change that is not in the draft's columns, so that the sweep does not delete the draft as abandoned. */
export function touchDraft(task: TaskStore): void {
	const touched = task.db.update(tasks).set({ touchedAt: task.now }).where(eq(tasks.status, "draft")).returning({ id: tasks.id }).all();
	if (touched.length > 0) task.markTask();
}

export function insertCriteria({ db }: TaskStore, rows: readonly CriterionRow[]): void {
	for (const row of rows) db.insert(criteria).values(row).run();
}

/** Adds a warning to the task and notifies its owner, unless the task already has that warning. */
export function warnOwner(task: TaskStore, warning: { readonly code: StoredTaskWarning; readonly message: string }): void {
	const added = task.db
		.insert(warnings)
		.values({ ...warning, createdAt: task.now })
		.onConflictDoNothing()
		.returning({ code: warnings.code })
		.all();
	if (added.length > 0) task.record({ type: "task.warning", taskId: task.id, ...warning });
}

export function hasWarning({ db }: TaskStore, code: StoredTaskWarning): boolean {
	return db.select({ code: warnings.code }).from(warnings).where(eq(warnings.code, code)).get() !== undefined;
}

/** Withdraws a warning. The next warning with the same code notifies the owner again. */
export function withdrawWarning({ db }: TaskStore, code: StoredTaskWarning): void {
	withdrawQuery(db).run({ code });
}

const withdrawQuery = prepareOnce((db) =>
	db
		.delete(warnings)
		.where(eq(warnings.code, sql.placeholder("code")))
		.prepare(),
);

/** An action by an operator of the deployment. The Worker creates the id, so that a repeated call is recorded only once. */
export type OperatorAct = Pick<AuditEntry, "id" | "actor" | "reason">;

/** Records an operator's action in the audit log, together with the change. */
export function recordAct(
	task: TaskStore,
	act: OperatorAct,
	{
		before,
		after,
		...change
	}: Pick<AuditEntry, "action" | "target"> & Readonly<Record<"before" | "after", Readonly<Record<string, unknown>>>>,
): void {
	task.recordAct({ ...act, ...change, at: task.realNow, before: JSON.stringify(before), after: JSON.stringify(after) });
}

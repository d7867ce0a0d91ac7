// Reads cards from a Task object.
import { and, eq } from "drizzle-orm";
import { listedSubmissionFields } from "#fields";
import type { memberCards, submissionCards, taskCards, usageCards } from "../../../db/schema/cards.ts";
import { selectTask } from "../../../db/task/database.ts";
import { isOneOf, prepareOnce } from "../../../db/task/prepared.ts";
import { type SubmissionRow, submissions } from "../../../db/task/schema/submissions.ts";
import { entries, members, type outbox } from "../../../db/task/schema/task.ts";
import { findTaskUsage } from "../../../db/task/task-usage.ts";
import type { AuditEntry } from "../../../domain/audit.ts";
import { decidedSince } from "../../../domain/task-status.ts";
import { keyIdOfEncrypted } from "../../../platform/encryption.ts";
import type { TaskDatabase } from "../../../ports/task.ts";
import { findFirst, selectChosen } from "./places.ts";

export type TaskCard = typeof taskCards.$inferInsert;
export type UsageCard = typeof usageCards.$inferInsert;
export type MemberCard = typeof memberCards.$inferInsert;
export type SubmissionCard = typeof submissionCards.$inferInsert;

/** The rows that a Task object writes into the directory after a change. */
export interface Cards {
	readonly taskId: string;
	/** Undefined if the task's card has not changed, null if the task was deleted. */
	readonly task: TaskCard | null | undefined;
	/** Null if judging has used nothing, for a test task, or if the task's card has not changed. */
	readonly usage: UsageCard | null;
	readonly submissions: readonly SubmissionCard[];
	/** Submissions whose slots were given back. If an operator's agent made one, the operator also gets a unit of its monthly quota back. */
	readonly returnedIds: readonly string[];
	readonly members: readonly MemberCard[];
	/** The ids of other rows, such as dry runs, that the directory maps to the task. */
	readonly locatedIds: readonly string[];
	/** Operators' actions for the audit log. */
	readonly acts: readonly AuditEntry[];
}

/** Reads the cards that the outbox marks as out of date. Cards show the current state, so one write covers several changes. */
export function readCards(
	db: TaskDatabase,
	taskId: string,
	owed: readonly Pick<typeof outbox.$inferSelect, "isTaskChanged" | "submissionIds" | "memberIds" | "locatedIds" | "acts">[],
): Cards {
	const isTaskChanged = owed.some((row) => row.isTaskChanged);
	const submissionIds = [...new Set(owed.flatMap((row) => row.submissionIds))];
	return {
		taskId,
		task: isTaskChanged ? readTaskCard(db) : undefined,
		usage: isTaskChanged ? readUsageCard(db, taskId) : null,
		submissions: readSubmissionCards(db, submissionIds),
		returnedIds: selectReturned(db, submissionIds),
		members: readMemberCards(db, [...new Set(owed.flatMap((row) => row.memberIds))]),
		locatedIds: owed.flatMap((row) => row.locatedIds),
		acts: owed.flatMap((row) => row.acts),
	};
}

/** Reads the task's card as it is now. Returns null if the object contains no task. */
export function readTaskCard(db: TaskDatabase): TaskCard | null {
	const row = selectTask(db);
	if (row === null) return null;
	const first = row.status === "closed" ? findFirst(db) : undefined;
	return {
		id: row.id,
		number: row.revision,
		companyId: row.companyId,
		status: row.status,
		title: row.title,
		description: row.description,
		category: row.category,
		budgetCents: row.budgetCents,
		feeBps: row.feeBps,
		deadline: row.deadline,
		evalMode: row.evalMode,
		maxSubmissionsPerAgent: row.maxSubmissionsPerAgent,
		competitorCount: row.competitorCount,
		submissionCount: row.submissionCount,
		hidden: row.hidden,
		access: row.access,
		isTest: row.isTest,
		takenDown: row.takenDownAt !== null,
		settledAt: row.settledAt,
		decidedAt: row.status === "closed" ? decidedSince(row, row.closedAt ?? row.deadline) : null,
		judgingPaused: row.judgingPaused,
		winnerId: first?.agentId ?? null,
		winnerName: first?.agentName ?? null,
		winnerScore: first?.finalScore ?? null,
		chosen: row.status === "closed" ? selectChosen(db) : [],
		encryptedWith: keyIdsOf([row.evalCallbackTokenEncrypted, row.inviteCodeEncrypted]),
		createdAt: row.createdAt,
		publishedAt: row.publishedAt,
		closedAt: row.closedAt,
	};
}

/** Reads the task's judging usage. Returns null if there is none, and for test tasks. */
function readUsageCard(db: TaskDatabase, taskId: string): UsageCard | null {
	const isTest = selectTask(db)?.isTest ?? false;
	const sum = isTest ? null : findTaskUsage(db);
	if (sum === null) return null;
	const { calls, inputTokens, outputTokens, costMicroUsd } = sum;
	return { taskId, calls, inputTokens, outputTokens, costMicroUsd };
}

/**
 * Returns the id of the key that encrypted these secrets. If two different keys encrypted them, returns both ids with a comma between them.
 * No key has such an id, so both secrets are encrypted again.
 */
function keyIdsOf(encrypted: readonly (string | null)[]): string | null {
	const ids = new Set(encrypted.filter((one) => one !== null).map(keyIdOfEncrypted));
	return ids.size === 0 ? null : [...ids].join(",");
}

/** Reads the cards of agents that have joined the task or were removed from it. The task's owner is always a member. */
function readMemberCards(db: TaskDatabase, agentIds: readonly string[]): MemberCard[] {
	const task = agentIds.length === 0 ? null : selectTask(db);
	if (task === null) return [];
	const joined = new Set([
		task.companyId,
		...db
			.select({ id: members.agentId })
			.from(members)
			.all()
			.map(({ id }) => id),
	]);
	return agentIds.map((agentId) => {
		return { agentId, taskId: task.id, number: task.revision, isMember: joined.has(agentId), deadline: task.deadline };
	});
}

/** Reads the cards of submissions as they are now. */
export function readSubmissionCards(db: TaskDatabase, ids: readonly string[]): SubmissionCard[] {
	const task = ids.length === 0 ? null : selectTask(db);
	if (task === null) return [];
	const rows = cardRowsQuery(db).all({ ids: JSON.stringify(ids) });
	return rows.map(({ submission: row, isOwn, ...added }) => ({
		id: row.id,
		number: row.revision,
		taskId: task.id,
		agentId: row.agentId,
		companyId: task.companyId,
		status: row.status,
		agentDisplayName: row.agentDisplayName,
		finalScore: row.finalScore,
		judgeScore: row.judgeScore,
		testScore: row.testScore,
		llmScore: row.llmScore,
		containerScore: row.containerScore,
		iteration: row.iteration,
		isOwn: isOwn ?? false,
		isTest: task.isTest,
		details: detailsOf(row, listedSubmissionFields.card(added)),
		evaluatedAt: row.evaluatedAt,
		createdAt: row.createdAt,
	}));
}

const isOneOfIds = isOneOf(submissions.id, "ids");
const cardRowsQuery = prepareOnce((db) =>
	db
		.select({ submission: submissions, isOwn: entries.isOwn, ...listedSubmissionFields.columns })
		.from(submissions)
		.leftJoin(entries, eq(entries.agentId, submissions.agentId))
		.where(isOneOfIds)
		.prepare(),
);

function detailsOf(row: SubmissionRow, added: ReturnType<typeof listedSubmissionFields.card>): SubmissionCard["details"] {
	const details = {
		...(row.missingSections === null || row.missingSections.length === 0 ? {} : { missingSections: row.missingSections }),
		...(row.errorMessage === null ? {} : { errorMessage: row.errorMessage }),
		...(row.failure === null ? {} : { failure: row.failure, failedAt: row.updatedAt }),
		...(row.voidedAt === null ? {} : { voidedAt: row.voidedAt, voidReason: row.voidReason ?? "" }),
		...(row.waitingFor === null ? {} : { waitingFor: row.waitingFor }),
		...added,
	};
	return Object.keys(details).length === 0 ? null : details;
}

/** Selects the submissions whose slot was given back. */
function selectReturned(db: TaskDatabase, ids: readonly string[]): string[] {
	const rows = ids.length === 0 ? [] : returnedQuery(db).all({ ids: JSON.stringify(ids) });
	return rows.map(({ id }) => id);
}

const returnedQuery = prepareOnce((db) =>
	db
		.select({ id: submissions.id })
		.from(submissions)
		.where(and(isOneOfIds, eq(submissions.slotReturned, true)))
		.prepare(),
);

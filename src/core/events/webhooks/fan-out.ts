// Passes events to the objects of the webhooks that subscribe to them.

import { lte, type SQL, sql } from "drizzle-orm";
import { entries, members, type TaskRow } from "../../../db/task/schema/task.ts";
import { callInChunks } from "../../../domain/chunks.ts";
import type { Audience, FactIds, PayloadFacts } from "../../../domain/event-kinds.ts";
import { type EventName, webhookMessageOf } from "../../../domain/events.ts";
import { lessFee } from "../../../domain/fees.ts";
import { isInvited } from "../../../domain/task-status.ts";
import { toIso } from "../../../platform/clock.ts";
import type { Deps, RecordedEvent } from "../../../ports/deps.ts";
import type { TaskStore } from "../../../ports/task.ts";
import type { WebhookTarget } from "../../../ports/webhook-sender.ts";
import { readReport, sealReasoning } from "../../competition/judgements/report.ts";
import { findSubmission } from "../../competition/submissions/store.ts";
import { isRestricted, isSealed } from "../../competition/tasks/rules.ts";
import { findHiddenNames, findTask } from "../../competition/tasks/store.ts";
import { type EventTask, findAudience, isOfTestTask } from "./audience.ts";
import { cut } from "./message.ts";
import * as rules from "./rules.ts";

const SUBSCRIPTIONS_PER_PAGE = 500;
const CALLS_AT_ONCE = 50;
/** The limit per criterion, of which a rubric has up to 50. A webhook's object stores the event in a row of at most 2 MB. */
const MAX_REASONING_CHARACTERS = 5_000;

/**
 * Sends an event of D1's outbox to a page of its subscriptions. Safe to repeat, because each subscription gets one delivery per event.
 * Does not check who may read the task, because these events are about deals, whose parties may always read it.
 *
 * @returns The id of the page's last subscription, or null after the last page.
 */
export async function fanOut(deps: Deps, recorded: RecordedEvent): Promise<string | null> {
	const message = webhookMessageOf(recorded.event);
	if (message === null) return null;
	const { taskId } = recorded.event;
	const task = { id: taskId, owner: null, category: null, entrants: [], readers: null };
	const isTest = await isOfTestTask(deps, taskId);
	return sendPage(deps, recorded, { task, audience: message.audience, isTest, payload: message.toPayload({}) });
}

/** Like {@link fanOut}, for an event of a Task object. The object has all facts, so only the subscriptions are read from D1. */
export async function fanOutFromTask(store: TaskStore, deps: Deps, recorded: RecordedEvent): Promise<string | null> {
	const message = webhookMessageOf(recorded.event);
	const row = findTask(store);
	if (message === null || row === null) return null;
	const { db } = store;
	const { audience, factIds } = message;
	const isForEntrants = audience.kind === "followers" || audience.kind === "competitors";
	const entrants = isForEntrants ? selectEntrants(db, lte(entries.createdAt, recorded.taskTime)) : [];
	const isForInvited = isInvited(row);
	const joined = isForInvited && !row.hidden ? selectMembers(db, sql`true`) : [];
	const readers = isRestricted(row) ? [...selectEntrants(db, sql`true`), ...joined] : null;
	const invited = isForInvited && isForEntrants ? selectMembers(db, lte(members.joinedAt, recorded.taskTime)) : [];
	const task = { id: row.id, owner: row.companyId, category: row.category, entrants: [...new Set([...entrants, ...invited])], readers };
	return sendPage(deps, recorded, {
		task,
		audience,
		isTest: row.isTest,
		payload: message.toPayload(readPayloadFacts(store, row, factIds)),
	});
}

function selectEntrants(db: TaskStore["db"], condition: SQL): string[] {
	const rows = db.select({ agentId: entries.agentId }).from(entries).where(condition).all();
	return rows.map(({ agentId }) => agentId);
}

function selectMembers(db: TaskStore["db"], condition: SQL): string[] {
	const rows = db.select({ agentId: members.agentId }).from(members).where(condition).all();
	return rows.map(({ agentId }) => agentId);
}

/** Reads the facts that only the Task object has. Leaves out facts about rows that do not exist. */
function readPayloadFacts(store: TaskStore, task: TaskRow, ids: FactIds): Partial<PayloadFacts> {
	const { submission: submissionId = "", evaluation } = ids;
	const submission = findSubmission(store, submissionId);
	return {
		task: { category: task.category, budgetCents: task.budgetCents, winnerGetsCents: lessFee(task.budgetCents, task.feeBps) },
		...(submission === null ? {} : { submission: { createdAt: toIso(submission.createdAt) } }),
		...(evaluation === undefined ? {} : { evaluation: { dimensions: readDimensions(store, task, evaluation.evaluationId) } }),
	};
}

/**
 * The agent and the task's owner get the same message. So before the final round has ended, it contains no hidden criteria, and while the
 * task is sealed, no reasoning that could reveal the submission.
 */
function readDimensions(store: TaskStore, task: TaskRow, evaluationId: string) {
	const report = readReport(store, evaluationId) ?? { reasoning: "", dimensions: [] };
	const { dimensions } = isSealed(task) ? sealReasoning(report, task.evalMode) : report;
	const hidden = findHiddenNames(store, task);
	const scores = dimensions.filter(({ criterion_name }) => !hidden.has(criterion_name));
	return scores.map(({ criterion_name, score, reasoning }) => {
		return { criterion_name, score, reasoning: cut(reasoning, MAX_REASONING_CHARACTERS) };
	});
}

/**
 * Sends an event to a page of its subscriptions. Returns what {@link fanOut} returns.
 *
 * @param payload The fields of the body that are specific to the type of event.
 */
async function sendPage(
	deps: Deps,
	recorded: RecordedEvent,
	{
		task,
		audience,
		isTest,
		payload,
	}: {
		readonly task: EventTask;
		readonly audience: Audience;
		readonly isTest: boolean;
		readonly payload: Readonly<Record<string, unknown>>;
	},
): Promise<string | null> {
	const { id, createdAt, taskTime, fanOutAfter } = recorded;
	const { type } = recorded.event;
	const subscriptions = await findAudience(deps, {
		eventType: type,
		task,
		audience,
		happenedAt: createdAt,
		after: fanOutAfter ?? "",
		limit: SUBSCRIPTIONS_PER_PAGE,
	});
	const body = rules.writeBody({ event: type, id, createdAt: taskTime, isTest, payload });
	await sendEvent(deps, { id, type, taskId: task.id, body }, subscriptions);
	return subscriptions.length < SUBSCRIPTIONS_PER_PAGE ? null : (subscriptions.at(-1)?.webhookId ?? null);
}

/**
 * Passes an event to the objects of the subscriptions, which deliver it. Idempotent.
 *
 * @param body See {@link rules.writeBody}.
 * @throws Error if an object could not be reached. Some of the others may not have received the event either, so repeat the call.
 */
export async function sendEvent(
	deps: Deps,
	{ id, type, taskId, body }: { readonly id: string; readonly type: EventName; readonly taskId: string; readonly body: string },
	subscriptions: readonly WebhookTarget[],
): Promise<void> {
	await callInChunks(subscriptions, CALLS_AT_ONCE, (target) =>
		deps.hubs.callSender(target.webhookId, (sender) =>
			sender.deliver({ id: deps.ids.next(), eventId: id, eventType: type, taskId, body }, target),
		),
	);
}

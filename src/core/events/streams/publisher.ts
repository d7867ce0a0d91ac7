// Publishes each change of a task: to the relays through which clients watch the task, and to the stream of new tasks.

import { and, eq } from "drizzle-orm";
import { findTaskId } from "../../../db/task/database.ts";
import { prepareOnce } from "../../../db/task/prepared.ts";
import { relays } from "../../../db/task/schema/task.ts";
import { isInvited } from "../../../domain/task-status.ts";
import { SECOND_MS } from "../../../platform/clock.ts";
import { describeError } from "../../../platform/log.ts";
import type { Deps, RecordedEvent } from "../../../ports/deps.ts";
import type { TaskStore } from "../../../ports/task.ts";
import { parseTopicName, type TopicEntry } from "../../../ports/topics.ts";
import { findTask } from "../../competition/tasks/store.ts";
import { viewTask } from "../../competition/tasks/task.ts";
import { LEADERBOARD_GAP_MS } from "./rules.ts";
import { readTopicState } from "./topics.ts";

const relaysQuery = prepareOnce((db) => db.select().from(relays).prepare());

type RelayRow = typeof relays.$inferSelect;

const RETRY_MS = 2 * SECOND_MS;
/**
 * After this number of failed attempts, a relay misses the change and gets only the next one. Its watchers reconnect when their sockets
 * close.
 */
const MAX_RELAY_TRIES = 15;

/**
 * Returns a function to call after each change of a Task object. It sends the state of each watched topic to the topic's relays, unless it
 * has already sent that state. The first call after the object wakes sends all watched topics, because the last change may not have been
 * sent. Watchers skip states that they already have.
 */
export function createPublisher() {
	const sent = new Map<string, number>();
	/** When each leaderboard was last sent, and whether a newer one is waiting. */
	const boards = new Map<string, { readonly at: number; isWaiting: boolean }>();

	function follow(task: TaskStore, deps: Deps): void {
		const now = deps.clock.now();
		const byTopic = Map.groupBy(relaysQuery(task.db).all(), ({ topic }) => topic);
		for (const topic of sent.keys()) if (!byTopic.has(topic)) sent.delete(topic);
		for (const [topic, members] of byTopic) {
			if (waitMs(topic, now) > 0) sendLater(task, deps, topic);
			else send(task, deps, { topic, members });
		}
	}

	function send(task: TaskStore, deps: Deps, { topic, members }: { topic: string; members: readonly RelayRow[] }): void {
		const now = deps.clock.now();
		const state = readTopicState(task, topic, now);
		if (state === null || state.seq === sent.get(topic)) return;
		sent.set(topic, state.seq);
		if (parseTopicName(topic).kind === "leaderboard") boards.set(topic, { at: now, isWaiting: false });
		for (const member of members) deps.background(tell(task, deps, { member, state }));
	}

	function waitMs(topic: string, now: number): number {
		return (boards.get(topic)?.at ?? 0) + LEADERBOARD_GAP_MS - now;
	}

	/** Sends the leaderboard once the gap since the previous one is over. It then shows all changes made in the meantime. */
	function sendLater(task: TaskStore, deps: Deps, topic: string): void {
		const last = boards.get(topic);
		if (last === undefined || last.isWaiting) return;
		last.isWaiting = true;
		deps.clock.after(waitMs(topic, deps.clock.now()), () => {
			last.isWaiting = false;
			try {
				follow(task, deps);
			} catch (error) {
				// Reading the state fails if the task was deleted in the meantime.
				deps.log.error("task_follower_failed", { task_id: task.id, ...describeError(error) });
			}
		});
	}

	return follow;
}

/** Handles events from the outbox: makes the watchers of a deleted draft read it again, which ends their streams. */
export async function endStreams({ db }: TaskStore, deps: Deps, { event }: RecordedEvent): Promise<null> {
	if (event.type !== "task.updated" || findTaskId(db) !== null) return null;
	const last = { seq: Number.MAX_SAFE_INTEGER, data: null };
	await Promise.all(
		relaysQuery(db)
			.all()
			.map(({ name }) => deps.hubs.deliverToRelay(name, [last])),
	);
	return null;
}

/**
 * Handles events from the outbox: adds each published task to the log of the object `Bounties`, which the relays follow. Later changes of
 * the task update the log. A hidden task keeps its number in the log, without data. Invite-only tasks are never in the log.
 */
export async function publishBounty(task: TaskStore, deps: Deps, { event }: RecordedEvent): Promise<null> {
	if (event.type !== "task.opened" && event.type !== "task.updated") return null;
	const row = findTask(task);
	if (row === null || row.status === "draft" || isInvited(row)) return null;
	const entry = { taskId: task.id, data: row.hidden ? null : JSON.stringify(viewTask(row)) };
	if (event.type === "task.opened") await deps.hubs.addBounty(entry);
	else await deps.hubs.changeBounty(entry);
	return null;
}

async function tell({ db }: TaskStore, deps: Deps, { member, state }: { member: RelayRow; state: TopicEntry }): Promise<void> {
	for (let tries = 1; tries <= MAX_RELAY_TRIES; tries += 1) {
		try {
			const sockets = await deps.hubs.deliverToRelay(member.name, [state]);
			if (sockets > 0) return;
			db.delete(relays)
				.where(and(eq(relays.name, member.name), eq(relays.membership, member.membership)))
				.run();
			return;
		} catch (error) {
			deps.log.error("relay_failed", { relay: member.name, tries, ...describeError(error) });
			await new Promise<void>((resolve) => deps.clock.after(RETRY_MS, resolve));
		}
	}
}

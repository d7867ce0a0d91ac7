// The topics of a Task object. The object sends each change to relays, and watchers follow a topic through a relay.

import { ne } from "drizzle-orm";
import { relays, type TaskRow } from "../../../db/task/schema/task.ts";
import { timeOfTask } from "../../../domain/task-time.ts";
import { type TaskStore, taskVerb } from "../../../ports/task.ts";
import { parseTopicName, type Subscription, type TopicEntry } from "../../../ports/topics.ts";
import { boardOf } from "../../competition/leaderboard/read-board.ts";
import { boardNumber, isRevealed } from "../../competition/leaderboard/rules.ts";
import { ANYONE } from "../../competition/public-reading/rules.ts";
import { findSubmission } from "../../competition/submissions/store.ts";
import { isRestricted } from "../../competition/tasks/rules.ts";
import { readTask, readVisibleTask } from "../../competition/tasks/store.ts";
import { viewWatchedTask } from "../../competition/tasks/task.ts";

/** The number of leaderboard entries that a stream shows. */
export const BOARD_SIZE = 100;

/** Returns the id of a submission's topic. It contains the task's id, because the submission is in the task's object. */
export function submissionTopicId(taskId: string, submissionId: string): string {
	return `${taskId}/${submissionId}`;
}

/** Returns a task as its stream shows it, and the fields that decide who may see it. */
function taskSnapshotOf(task: TaskRow) {
	return {
		number: task.stateRevision,
		id: task.id,
		companyId: task.companyId,
		restricted: isRestricted(task),
		view: viewWatchedTask(task),
		isSettled: task.settledAt !== null,
	};
}

export type TaskSnapshot = ReturnType<typeof taskSnapshotOf>;

const snapshots = new WeakMap<TopicEntry, unknown>();

/**
 * Parses the state in an entry, once for all watchers in an isolate. It needs no schema, because {@link readTopicState} of the same
 * deployment wrote it.
 */
export function snapshotOf<Snapshot>(entry: TopicEntry, data: string): Snapshot {
	const snapshot = snapshots.get(entry) ?? JSON.parse(data);
	snapshots.set(entry, snapshot);
	return snapshot as Snapshot;
}

export const readWatchedTask = taskVerb("readWatchedTask", (task, { agentId }: { agentId: string }) =>
	taskSnapshotOf(readVisibleTask(task, agentId)),
);

/**
 * Reads the current state of a topic. Returns null for a submission that does not exist, and for topics of other objects. The entry of a
 * submission has no data, because each watcher sees the submission differently.
 *
 * @param now The real time (not the task's), in milliseconds since the epoch.
 */
export function readTopicState(store: TaskStore, topicName: string, now: number): TopicEntry | null {
	const { kind, id } = parseTopicName(topicName);
	const task = readTask(store);
	switch (kind) {
		case "task": {
			const state = taskSnapshotOf(task);
			return { seq: state.number, data: JSON.stringify(state) };
		}
		case "leaderboard": {
			const board = boardOf(store, task, { agentId: ANYONE, after: "", limit: BOARD_SIZE });
			const seq = boardNumber({ revision: board.revision, revealed: isRevealed(task, timeOfTask(task, now)) });
			return { seq, data: JSON.stringify(board) };
		}
		case "submission": {
			const submission = findSubmission(store, id.slice(id.indexOf("/") + 1));
			return submission === null ? null : { seq: submission.revision, data: null };
		}
		case "bounties":
		case "inbox":
			return null;
	}
}

/** Adds a relay, which gets every change from then on. Returns the number of the current state, or null for an unknown submission. */
export const watchTask = taskVerb("watchTask", (task, { topic, relay, membership }: Subscription) => {
	const state = readTopicState(task, topic, task.realNow);
	if (state === null) return null;
	task.db
		.insert(relays)
		.values({ name: relay, topic, membership })
		// A relay that has already joined with this membership needs no write, however many watchers it has.
		.onConflictDoUpdate({ target: relays.name, set: { membership }, setWhere: ne(relays.membership, membership) })
		.run();
	return state.seq;
});

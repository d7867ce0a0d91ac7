// The state of the task's final round.
import { readTask } from "../../core/competition/tasks/store.ts";
import { prepareOnce, readOnce } from "../../db/task/prepared.ts";
import { finalRounds, type RoundRow } from "../../db/task/schema/final-round.ts";
import type { TaskStore } from "../../ports/task.ts";
import { hasEnded } from "./rules.ts";

/** Returns null before the task's end, and for a task without a final round. */
export function findRound({ db }: TaskStore): RoundRow | null {
	return selectRound(db);
}

const roundQuery = prepareOnce((db) => db.select().from(finalRounds).prepare());
const selectRound = readOnce((db): RoundRow | null => roundQuery(db).get() ?? null);

export function updateRound({ db }: TaskStore, change: Partial<Omit<RoundRow, "taskId">>): void {
	db.update(finalRounds).set(change).run();
}

/** Once the task has ended, creates its round, which waits for the submissions that are still being judged. Idempotent. */
export function openRound(store: TaskStore): void {
	const task = readTask(store);
	if (!task.finalRound || !hasEnded(task, store.now)) return;
	store.db.insert(finalRounds).values({ taskId: store.id, status: "waiting" }).onConflictDoNothing().run();
}

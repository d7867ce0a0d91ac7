import { and, count, eq, gte, lt } from "drizzle-orm";
import { board } from "../../../db/task/schema/submissions.ts";
import type { TaskStore } from "../../../ports/task.ts";

/** An agent's rank on the task; null before its first scored submission. Counts the entries before it by the index of the key. */
export function rankOf(task: TaskStore, agentId: string): number | null {
	const own = task.db.select({ rankKey: board.rankKey }).from(board).where(eq(board.agentId, agentId)).get();
	return own === undefined ? null : 1 + countBefore(task, own.rankKey);
}

/** How many entries rank before a key, from another key on. */
export function countBefore({ db }: TaskStore, rankKey: string, from = ""): number {
	const isBetween = and(gte(board.rankKey, from), lt(board.rankKey, rankKey));
	return db.select({ entries: count() }).from(board).where(isBetween).get()?.entries ?? 0;
}

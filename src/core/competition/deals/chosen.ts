// Results name the agent of a deal with its place on the leaderboard. The task's object knows the place, so it learns whom the poster has
// chosen, and keeps the place in the task's card.
import { and, eq } from "drizzle-orm";
import { entries } from "../../../db/task/schema/task.ts";
import type { Deps, RecordedEvent } from "../../../ports/deps.ts";
import { taskVerb, unlessDeleted } from "../../../ports/task.ts";
import { updateTaskRow } from "../tasks/store.ts";

const markChosen = taskVerb("markChosen", (store, { agentId }: { readonly agentId: string }): null => {
	const marked = store.db
		.update(entries)
		.set({ isChosen: true })
		.where(and(eq(entries.agentId, agentId), eq(entries.isChosen, false)))
		.returning({ agentId: entries.agentId })
		.all();
	if (marked.length > 0) updateTaskRow(store, {});
	return null;
});

/** Listens to the directory's outbox, and tells the object of a task with whom a deal was recorded. */
export async function noteChosen(deps: Deps, { event }: RecordedEvent): Promise<null> {
	if (event.type === "deal.created") await unlessDeleted(markChosen(deps, event.taskId, { agentId: event.agentId }));
	return null;
}

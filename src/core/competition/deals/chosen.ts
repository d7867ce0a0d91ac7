// Results show the rank of the agent that got the deal, but only the Task object knows the ranks. So the Worker tells the object which
// agent the poster chose, and the object writes that agent's rank into the task's card.
import { and, eq } from "drizzle-orm";
import { entries } from "../../../db/task/schema/task.ts";
import { describeError } from "../../../platform/log.ts";
import { waitBriefly } from "../../../platform/wait-briefly.ts";
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

interface Choice {
	readonly taskId: string;
	readonly agentId: string;
}

/** Handles events from the directory's outbox: tells the Task object which agent got the deal. */
export async function noteChosen(deps: Deps, { event }: RecordedEvent): Promise<null> {
	if (event.type === "deal.created") await tellTask(deps, event);
	return null;
}

/**
 * Tells the object at once, so that the caller's next read of the results shows the choice. If that fails, {@link noteChosen} repeats it.
 */
export async function noteChosenNow(deps: Deps, choice: Choice): Promise<void> {
	const work = tellTask(deps, choice).catch((error: unknown) => deps.log.error("choice_not_noted", describeError(error)));
	await waitBriefly(deps, work);
}

async function tellTask(deps: Deps, { taskId, agentId }: Choice): Promise<void> {
	await unlessDeleted(markChosen(deps, taskId, { agentId }));
}

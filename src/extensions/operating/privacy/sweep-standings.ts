// Applies operators' decisions about agents again, once no isolate's cache can contain the old state.
import { commit } from "../../../db/commit.ts";
import { SECOND_MS } from "../../../platform/clock.ts";
import { describeError } from "../../../platform/log.ts";
import type { Deps } from "../../../ports/deps.ts";
import { deleteStandingChange, setErasedUpTo } from "../admin/statements.ts";
import { findStanding, selectStandingChanges } from "../admin/store.ts";
import { alignTasks } from "../admin/suspension.ts";
import { eraseFromTasks } from "../tasks/erase-agent.ts";
import { eraseRowsOf, eraseStored } from "./erasure.ts";

/**
 * Longer than isolates cache a key, and longer than a pass over an agent's tasks takes. In that time, the agent could still publish a task.
 */
const SETTLED_AFTER_MS = 30 * SECOND_MS;
const CHANGES_PER_RUN = 10;
/** The number of tasks per run from which agents are erased. This takes at most half of the calls that an invocation may make. */
const ERASED_TASKS_PER_RUN = 1_000;

/**
 * Checks suspended, restored and erased agents once more. The operator's request may have died, or may have reached only some of the
 * agent's tasks. An agent whose key was still cached may have submitted or written something since.
 */
export async function sweepStandings(deps: Deps): Promise<void> {
	const latest = deps.clock.now() - SETTLED_AFTER_MS;
	let room = ERASED_TASKS_PER_RUN;
	for (const change of await selectStandingChanges(deps, latest, CHANGES_PER_RUN)) {
		try {
			room -= await applyChange(deps, change, room);
		} catch (error) {
			// An object that does not work must not hold up the other agents. The change is tried again a minute later.
			deps.log.error("standing_not_applied", { agent_id: change.agentId, ...describeError(error) });
		}
		if (room <= 0) return;
	}
}

type StandingChange = Awaited<ReturnType<typeof selectStandingChanges>>[number];

/** Applies one decision as far as there is room. Returns the number of tasks from which the agent was erased. */
async function applyChange(deps: Deps, change: StandingChange, room: number): Promise<number> {
	const agent = await findStanding(deps, change.agentId);
	const isErased = agent !== null && agent.erasedAt !== null;
	const { tasks, isDone } = isErased ? await eraseNext(deps, change, room) : { tasks: 0, isDone: true };
	if (isDone && (await alignTasks(deps, change.agentId)).isDone) {
		if (isErased) await eraseStored(deps, change.agentId);
		await commit(deps.db, [...(isErased ? eraseRowsOf(deps, change.agentId) : []), deleteStandingChange(deps, change.id)]);
	}
	return tasks;
}

/** Erases the next page of an erased agent's tasks, and records how far it got. */
async function eraseNext(
	deps: Deps,
	{ id, agentId, erasedUpTo }: StandingChange,
	limit: number,
): Promise<{ readonly tasks: number; readonly isDone: boolean }> {
	const { tasks, after } = await eraseFromTasks(deps, agentId, { after: erasedUpTo, limit });
	if (after !== null) await commit(deps.db, [setErasedUpTo(deps, { id, taskId: after })]);
	return { tasks, isDone: after === null };
}

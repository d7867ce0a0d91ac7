import { eq } from "drizzle-orm";
import { readTask } from "../../core/competition/tasks/store.ts";
import { submissions } from "../../db/task/schema/submissions.ts";
import { entries } from "../../db/task/schema/task.ts";
import { isOver } from "../../domain/task-status.ts";
import type { Holding } from "../../ports/joints.ts";
import type { TaskStore } from "../../ports/task.ts";
import { handOverJudgement } from "./hand-over.ts";
import { eraseTexts } from "./kept-judgements.ts";

export const finalRoundHolding: Holding = {
	// Runs before the files are deleted. Otherwise, a consumer would find no files to judge, and all candidates with the same files would
	// fail.
	prepareErasure(task, { agentId }) {
		for (const id of selectOwn(task, agentId)) handOverJudgement(task, id);
	},
	erase(task, { agentId }) {
		for (const id of selectOwn(task, agentId)) {
			handOverJudgement(task, id);
			eraseTexts(task, id);
		}
	},
	waiting: (task, { agentId, isOwner }) => (!isOwner && lacksPick(task, agentId) ? [{ kind: "pick_submission", count: 1 }] : []),
};

function selectOwn({ db }: TaskStore, agentId: string): string[] {
	const rows = db.select({ id: submissions.id }).from(submissions).where(eq(submissions.agentId, agentId)).all();
	return rows.map(({ id }) => id);
}

/** Returns true if the agent can still pick a submission for the final round and has not done so. */
function lacksPick(store: TaskStore, agentId: string): boolean {
	const task = readTask(store);
	if (!task.finalRound || task.status !== "open" || isOver(task, store.now)) return false;
	const entry = store.db.select({ pick: entries.pickedId }).from(entries).where(eq(entries.agentId, agentId)).get();
	return entry !== undefined && entry.pick === null;
}

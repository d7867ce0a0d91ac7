import { criteria as rubric } from "../../../db/task/schema/task.ts";
import type { Ctx } from "../../../ports/deps.ts";
import { taskVerb } from "../../../ports/task.ts";
import { lintRubric } from "../../judging/lint/service.ts";
import { criterionRows } from "./create-task.ts";
import { getOwnTask } from "./read-task.ts";
import * as rules from "./rules.ts";
import type { CriterionInput } from "./schemas.ts";
import { type CriterionRow, insertCriteria, readCriteria, readOwnTask, updateTask } from "./store.ts";
import { viewCriterion } from "./views.ts";

export const replaceCriteria = taskVerb("replaceCriteria", (task, { by, rows }: { by: string; rows: readonly CriterionRow[] }) => {
	const found = readOwnTask(task, by);
	rules.assertEditable(found);
	task.db.delete(rubric).run();
	insertCriteria(task, rows);
	updateTask(task, { rubricVersion: found.rubricVersion + 1 });
	return readCriteria(task);
});

/** Replaces the whole rubric of a draft. Of parallel requests, the last one wins. */
export async function replaceRubric(ctx: Ctx, taskId: string, criteria: readonly CriterionInput[]) {
	rules.assertRubricWeights(criteria);
	const input = { by: ctx.actor.agentId, rows: criterionRows(criteria) };
	const stored = await ctx.hubs.callTask(taskId, replaceCriteria, { input, now: ctx.clock.now() });
	return { criteria: stored.map(viewCriterion) };
}

/** What makes the rubric of the caller's task hard to judge. Contract: additions, "Before spending anything". */
export async function lintTask(ctx: Ctx, taskId: string) {
	const { criteria } = await getOwnTask(ctx, taskId);
	return { findings: lintRubric(criteria) };
}

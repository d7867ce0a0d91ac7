import type { PublicCtx } from "../../../ports/deps.ts";
import { taskVerb } from "../../../ports/task.ts";
import { viewJudgeCheck } from "../judge-check/views.ts";
import { findPosterName } from "../tasks/cards.ts";
import { viewCriterion } from "../tasks/rubric.ts";
import { readCriteria, readJudgeCheck, readVisibleTask } from "../tasks/store.ts";
import { viewTask } from "../tasks/task.ts";
import { NOBODY } from "./rules.ts";

export const readPublic = taskVerb("readPublic", (task, _input: null) => ({
	task: readVisibleTask(task, NOBODY),
	criteria: readCriteria(task),
	judgeCheck: readJudgeCheck(task),
}));

/**
 * A task as anyone may read it. Contract: additions, "Public reading".
 *
 * @throws AppError `NOT_FOUND`, for drafts too.
 */
export async function getPublicTask(ctx: PublicCtx, taskId: string) {
	const [{ task, criteria, judgeCheck }, posterName] = await Promise.all([
		ctx.hubs.callTask(taskId, readPublic, { input: null, now: ctx.clock.now() }),
		findPosterName(ctx, taskId),
	]);
	return {
		...viewTask(task),
		input_spec: task.inputSpec ?? "",
		output_spec: task.outputSpec ?? "",
		criteria: criteria.map(viewCriterion),
		competitor_count: task.competitorCount,
		max_submissions_per_agent: task.maxSubmissionsPerAgent,
		test_weight: task.testWeight,
		llm_weight: task.llmWeight,
		poster_name: posterName ?? "",
		judge_check: viewJudgeCheck(judgeCheck),
	};
}

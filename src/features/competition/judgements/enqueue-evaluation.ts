import { count } from "drizzle-orm";
import { criteria, type tasks } from "../../../db/task/schema/task.ts";
import { MODES } from "../../../domain/modes.ts";
import type { TaskStore } from "../../../ports/task.ts";
import { GIVE_UP_MARGIN_MS, LONG_RUBRIC } from "../../judging/rules.ts";
import { enqueueJob, type JobRow } from "./jobs.ts";

interface EvaluationToMake extends Pick<JobRow, "party" | "iteration" | "round"> {
	/** Made by the Worker where a repeated call has to find its first job. */
	readonly id?: string;
	readonly submissionId: string;
}

/** Queues an evaluation of a submission. It ends without a score once the mode's time limit is over. */
export function enqueueEvaluation(task: TaskStore, judged: JudgedTask, { submissionId, ...job }: EvaluationToMake): string {
	return enqueueJob(task, { kind: "evaluation", subjectId: submissionId, ...job, giveUpAt: task.now + timeLimitMs(task, judged) });
}

type JudgedTask = Pick<typeof tasks.$inferSelect, "evalMode" | "evalTimeoutSeconds">;

/** How long one evaluation may take in all. Calls to models about a long rubric wait for each other. */
export function timeLimitMs({ db }: TaskStore, { evalMode, evalTimeoutSeconds }: JudgedTask): number {
	const mode = MODES[evalMode];
	const rubric = mode.usesJudge ? (db.select({ length: count() }).from(criteria).get()?.length ?? 0) : 0;
	const beyond = Math.max(0, rubric - LONG_RUBRIC.fromCriteria);
	return mode.timeLimitMs(evalTimeoutSeconds) + GIVE_UP_MARGIN_MS + beyond * LONG_RUBRIC.perCriterionMs;
}

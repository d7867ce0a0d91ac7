// The view of a task in lists, and the fields that other views share with it.
import * as z from "zod";
import type { TaskRow } from "../../../db/task/schema/task.ts";
import { lessFee } from "../../../domain/fees.ts";
import { EVAL_MODES, MODES } from "../../../domain/modes.ts";
import { taskStatus } from "../../../domain/task-status.ts";
import { taskWarningCode } from "../../../domain/task-warnings.ts";
import { count, taskId, timestamp } from "../../../http/fields.ts";
import { toIso } from "../../../platform/clock.ts";

export const evalMode = z.enum(EVAL_MODES).meta({
	id: "EvalMode",
	description: EVAL_MODES.map((mode) => `\`${mode}\`: ${MODES[mode].meaning}.`).join(" "),
});

export const taskTitle = z.string().describe("What the poster wants, in one line.");
export const taskDeadline = timestamp.describe("The deadline for submissions. The task closes automatically after it.");
export const submissionLimit = z.number().int().min(1).max(25).describe("Number of submissions that each agent can make on the task.");
export const winnerGets = count.describe(
	"What an agent would receive if the deal were worth the whole budget, in cents: the budget minus the platform's fee.",
);
export const competitorCount = count.describe("How many agents have submitted to the task.");

const isTestTask = z
	.boolean()
	.describe(
		"Whether the task is a test task: only its owner sees it in lists, no profile or statistic includes it, and it is deleted after 30 days.",
	);

export const taskView = z
	.object({
		id: taskId,
		title: taskTitle,
		description: z.string().nullable().describe("What the poster wants, and why. Null without a description."),
		category: z.string().describe("A word for the kind of task, in lower case."),
		deadline: taskDeadline,
		budget_cents: count.describe("What the poster offers, in cents."),
		winner_gets_cents: winnerGets,
		eval_mode: evalMode.nullable().describe("How submissions are judged."),
		status: taskStatus.describe("The status of the task."),
		test: isTestTask,
		created_at: timestamp.describe("When the task was created."),
	})
	.meta({ id: "Task", description: "A task, as lists show it." });

export const publicTaskView = taskView
	.extend({ competitor_count: competitorCount })
	.meta({ id: "PublicTask", description: "A task, as shown to everyone." });

export const taskWarnings = z.array(
	z
		.object({ code: taskWarningCode, message: z.string().describe("What is wrong, and what you can do about it.") })
		.meta({ id: "TaskWarning", description: "A warning to the owner of a task." }),
);

type CardColumns = Pick<
	TaskRow,
	"id" | "title" | "description" | "category" | "deadline" | "budgetCents" | "feeBps" | "evalMode" | "status" | "isTest" | "createdAt"
>;

export function viewTask(task: CardColumns) {
	return {
		id: task.id,
		title: task.title,
		description: task.description,
		category: task.category,
		deadline: toIso(task.deadline),
		budget_cents: task.budgetCents,
		winner_gets_cents: lessFee(task.budgetCents, task.feeBps),
		eval_mode: task.evalMode,
		status: task.status,
		test: task.isTest,
		created_at: toIso(task.createdAt),
	};
}

/** Returns every field whose changes a stream reports, including the limit of submissions. */
export function viewWatchedTask(task: CardColumns & Pick<TaskRow, "maxSubmissionsPerAgent">) {
	return { ...viewTask(task), max_submissions_per_agent: task.maxSubmissionsPerAgent };
}

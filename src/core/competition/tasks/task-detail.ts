// The view of a task with everything that an agent needs to compete, and with the fields for its owner.

import { asc, eq, sql } from "drizzle-orm";
import * as z from "zod";
import { taskFields } from "#fields";
import { prepareOnce } from "../../../db/task/prepared.ts";
import { entries, type TaskRow, warnings } from "../../../db/task/schema/task.ts";
import { findTaskUsage } from "../../../db/task/task-usage.ts";
import { AT, ID, TASK } from "../../../domain/example-story.ts";
import { viewUsage } from "../../../domain/spend.ts";
import { endOf, TASK_ACCESS } from "../../../domain/task-status.ts";
import type { TaskWarning } from "../../../domain/task-warnings.ts";
import type { ShownWait } from "../../../domain/waits.ts";
import { agentId, count, timestamp } from "../../../http/fields.ts";
import { toIso, toIsoOrNull } from "../../../platform/clock.ts";
import type { Ctx } from "../../../ports/deps.ts";
import type { TaskStore } from "../../../ports/task.ts";
import { imageWarnings } from "./eval-image.ts";
import { exampleFixed, fixedFields, readJudgedAttachments, viewFixed } from "./fixed-task.ts";
import { describeHoldUp, selectWaits } from "./hold-ups.ts";
import { exampleRubric, rubric, viewCriterion } from "./rubric.ts";
import { quotaOf } from "./rules.ts";
import { inviteCode, viewInviteCode } from "./secrets.ts";
import { readDeadlines, readShownCriteria } from "./store.ts";
import { competitorCount, submissionLimit, taskView, taskWarnings, viewTask } from "./task.ts";
import { testSuiteView, viewTestSuite } from "./test-suite.ts";
import { taskWaitingFor, viewWaiting } from "./waiting.ts";

export const percent = z.number().min(0).max(100);

export const quotaView = z
	.object({
		used: count.describe("How many slots the caller has used."),
		limit: count.describe("How many slots the caller has in total."),
		remaining: count.describe("How many slots the caller has left."),
	})
	.meta({ id: "Quota", description: "The caller's submission slots on a task." });

export const judgeUsageView = z
	.object({
		calls: count.describe("How many requests were sent to models, including failed ones."),
		input_tokens: count.describe("How many tokens the models read."),
		output_tokens: count.describe("How many tokens the models wrote."),
		cost_usd: z
			.number()
			.min(0)
			.nullable()
			.describe(
				"Cost of the requests, in US dollars. A model without a configured price counts at a default price. Null before the first request.",
			),
	})
	.meta({ id: "JudgeUsage", description: "Model usage for judging a task so far." });

export const taskAccess = z
	.enum(TASK_ACCESS)
	.describe("`public`: everyone can read the task and submit. `invited`: only agents that have joined with the owner's invite code.");

export const isSealed = z
	.boolean()
	.describe(
		"Whether the submitted files, and quotes from them, are hidden from the owner until the task is closed, so that the owner cannot pass them on.",
	);

const taskEnd = timestamp
	.nullable()
	.describe("When the task ended: at its deadline, or when its owner closed it before that. Null before the end.");

const deadlineHistory = z
	.array(
		z
			.object({ at: timestamp.describe("When the deadline was set."), deadline: timestamp.describe("The deadline.") })
			.meta({ id: "DeadlineChange", description: "A deadline that a task has had." }),
	)
	.describe("Every deadline that the task has had, oldest first, beginning with the deadline at publication. Empty for a draft.");

export const taskDetailView = taskView
	.extend({
		platform_fee_bps: count.describe("The platform's fee on a deal about this task, in basis points of its value: 1000 is 10 %."),
		company_id: agentId.describe("The id of the agent that posted the task. The field has this name for historical reasons."),
		poster_name: z.string().describe("The display name of the agent that posted the task."),
		input_spec: z.string().describe("What a solution receives as input."),
		output_spec: z.string().describe("What a solution must produce."),
		criteria: rubric,
		test_weight: percent.describe("The tests' share of the final score, in percent."),
		llm_weight: percent.describe("The language model's share of the final score, in percent."),
		eval_network: z.boolean().describe("Whether the image can use the network."),
		eval_memory_mb: count.describe("Memory limit for the image, in MB."),
		eval_timeout_seconds: count.describe("Time limit for a run of the image with all its test cases, in seconds."),
		eval_image: z
			.string()
			.nullable()
			.optional()
			.describe("The container image that scores submissions. Null if the task has none. Only the owner sees this field."),
		warnings: taskWarnings.optional().describe("Warnings for the owner. Only the owner sees this field."),
		eval_callback_url: z
			.url()
			.nullable()
			.optional()
			.describe(
				"Where the owner's service receives evaluation requests. Null unless the task is external. Only the owner sees this field.",
			),
		test_suite: testSuiteView
			.nullable()
			.optional()
			.describe("The test cases that the image runs with. Null without a suite. Only the owner sees this field."),
		judge_usage: judgeUsageView.optional().describe("Model usage for judging the task so far. Only the owner sees this field."),
		max_submissions_per_agent: submissionLimit,
		access: taskAccess,
		invite_code: inviteCode
			.optional()
			.describe("The code that agents use to join the task. Only the owner of an invite-only task sees this field."),
		sealed: isSealed,
		...fixedFields,
		deadline_history: deadlineHistory,
		ended_at: taskEnd,
		competitor_count: competitorCount,
		waiting_for: taskWaitingFor,
		...taskFields.shape,
		quota: quotaView.describe("The caller's submission slots on this task."),
	})
	.meta({ id: "TaskDetail", description: "A task with everything that you need to compete." });

export const exampleDetail = {
	...TASK,
	platform_fee_bps: 1000,
	company_id: ID.poster,
	poster_name: "Northwind",
	input_spec: "Five CSV files, one for each bank, as attached.",
	output_spec: "One CSV with the columns date, account, amount, currency, text.",
	criteria: exampleRubric,
	test_weight: 0,
	llm_weight: 100,
	eval_network: false,
	eval_memory_mb: 1024,
	eval_timeout_seconds: 600,
	max_submissions_per_agent: 15,
	access: "public" as const,
	sealed: false,
	...exampleFixed,
	deadline_history: [{ at: AT.published, deadline: TASK.deadline }],
	ended_at: null,
	competitor_count: 2,
	waiting_for: null,
	...taskFields.example,
	quota: { used: 1, limit: 15, remaining: 14 },
};

const entryQuery = prepareOnce((db) =>
	db
		.select()
		.from(entries)
		.where(eq(entries.agentId, sql.placeholder("agentId")))
		.prepare(),
);
const warningsQuery = prepareOnce((db) =>
	db.select({ code: warnings.code, message: warnings.message }).from(warnings).orderBy(asc(warnings.createdAt)).prepare(),
);

/** Reads what the detail view shows to one agent. */
export function detailOf(store: TaskStore, task: TaskRow, agentId: string) {
	const { db } = store;
	const entry = entryQuery(db).get({ agentId }) ?? null;
	return {
		task,
		criteria: readShownCriteria(store, task, agentId),
		quotaUsed: entry?.quotaUsed ?? 0,
		deadlines: readDeadlines(store),
		judgedAttachments: readJudgedAttachments(store),
		judgeUsage: findTaskUsage(db),
		waits: selectWaits(store, task),
		endedAt: endOf(task, store.now),
		added: taskFields.read(store, task, { isOwner: task.companyId === agentId, entry }),
		warnings: warningsQuery(db).all(),
	};
}

type TaskDetail = ReturnType<typeof detailOf>;

/** Returns a task as the caller sees it. Only its owner gets warnings. */
export async function viewDetail(ctx: Ctx, source: TaskDetail, posterName: string) {
	const { publishedWarnings } = source.task;
	const warnings = [...takenDownWarnings(source.task), ...imageWarnings(ctx, source.task), ...publishedWarnings, ...source.warnings];
	const { judging } = await ctx.switchboard.read(ctx);
	const detail = viewTaskDetail({ ...source, warnings, posterName, heldUpBy: describeHoldUp(judging, source.waits) }, ctx.actor.agentId);
	return { ...detail, ...(await viewInviteCode(ctx, source.task)) };
}

export function viewDeadlines(rows: ReturnType<typeof readDeadlines>) {
	return rows.map(({ at, deadline }) => ({ at: toIso(at), deadline: toIso(deadline) }));
}

function takenDownWarnings({ takenDownReason }: Pick<TaskRow, "takenDownReason">): TaskWarning[] {
	if (takenDownReason === null) return [];
	const message = `An operator of this platform has taken the task down. Only you and agents that have submitted can see it, and it no longer accepts submissions. Reason: ${takenDownReason}`;
	return [{ code: "TAKEN_DOWN", message }];
}

interface Warned {
	readonly warnings: readonly TaskWarning[];
}

const NO_USAGE = { calls: 0, inputTokens: 0, outputTokens: 0, costMicroUsd: null };

function viewForOwner({ task, warnings, judgeUsage }: Pick<TaskDetail, "task" | "judgeUsage"> & Warned) {
	return {
		warnings: [...warnings],
		eval_image: task.evalImage,
		eval_callback_url: task.evalCallbackUrl,
		test_suite: task.testSuiteKey === null ? null : viewTestSuite(task),
		judge_usage: viewUsage(judgeUsage ?? NO_USAGE),
	};
}

/**
 * Returns the task as one agent sees it. Only the poster sees the warnings, the image, the callback URL, the test suite and the cost of
 * judging.
 */
export function viewTaskDetail(
	{
		task,
		criteria,
		quotaUsed,
		deadlines,
		judgedAttachments,
		judgeUsage,
		endedAt,
		added,
		warnings,
		posterName,
		heldUpBy,
	}: Omit<TaskDetail, "warnings" | "waits"> & Warned & { readonly posterName: string; readonly heldUpBy: ShownWait | null },
	agentId: string,
) {
	return {
		...viewTask(task),
		platform_fee_bps: task.feeBps,
		company_id: task.companyId,
		poster_name: posterName,
		input_spec: task.inputSpec ?? "",
		output_spec: task.outputSpec ?? "",
		criteria: criteria.map(viewCriterion),
		test_weight: task.testWeight,
		llm_weight: task.llmWeight,
		eval_network: task.evalNetwork,
		eval_memory_mb: task.evalMemoryMb,
		eval_timeout_seconds: task.evalTimeoutSeconds,
		...(task.companyId === agentId ? viewForOwner({ task, warnings, judgeUsage }) : {}),
		max_submissions_per_agent: task.maxSubmissionsPerAgent,
		access: task.access,
		sealed: task.sealed,
		...viewFixed(task, judgedAttachments),
		deadline_history: viewDeadlines(deadlines),
		ended_at: toIsoOrNull(endedAt),
		competitor_count: task.competitorCount,
		waiting_for: viewWaiting(heldUpBy),
		...added,
		quota: quotaOf(quotaUsed, task.maxSubmissionsPerAgent),
	};
}

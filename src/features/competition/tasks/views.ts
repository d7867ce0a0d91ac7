// How a task looks on the wire.
import type { TaskWarning } from "../../../domain/task-warnings.ts";
import { type Usage, viewUsage } from "../../../domain/usage.ts";
import { toIso } from "../../../platform/clock.ts";
import type { CheckedCase } from "../judge-check/rules.ts";
import { viewJudgeCheck } from "../judge-check/views.ts";
import { quotaOf } from "./rules.ts";
import type { CriterionRow, TaskRow } from "./store.ts";

type ListedTask = Pick<
	TaskRow,
	"id" | "title" | "description" | "category" | "deadline" | "budgetCents" | "evalMode" | "status" | "createdAt"
>;

export function viewTask(task: ListedTask) {
	return {
		id: task.id,
		title: task.title,
		description: task.description,
		category: task.category,
		deadline: toIso(task.deadline),
		budget_cents: task.budgetCents,
		eval_mode: task.evalMode,
		status: task.status,
		created_at: toIso(task.createdAt),
	};
}

/** With every field whose changes a stream shows, the quota per agent included. */
export function viewWatchedTask(task: ListedTask & Pick<TaskRow, "maxSubmissionsPerAgent">) {
	return { ...viewTask(task), max_submissions_per_agent: task.maxSubmissionsPerAgent };
}

/** What a poster sees of a test suite. Its content is not shown again. */
export function viewTestSuite(task: Pick<TaskRow, "testSuiteCases" | "testSuitePublicCases" | "testSuiteBytes" | "testSuiteSha256">) {
	return {
		test_case_count: task.testSuiteCases ?? 0,
		public_case_count: task.testSuitePublicCases ?? 0,
		file_size: task.testSuiteBytes ?? 0,
		sha256: task.testSuiteSha256 ?? "",
	};
}

export function viewCriterion({ name, description, weight, position, evidence }: CriterionRow) {
	return { name, description, weight, position, ...(evidence === "work" ? {} : { evidence }) };
}

const NO_USAGE = { calls: 0, inputTokens: 0, outputTokens: 0, costMicroUsd: null };

interface ShownTask {
	readonly task: TaskRow;
	readonly criteria: readonly CriterionRow[];
	/** Slots that the asking agent has used. */
	readonly quotaUsed: number;
	/** The submission that the asking agent wants in the final round. */
	readonly pick: string | null;
	/** The cost of judging its submissions; null before there is any. */
	readonly judgeUsage: Usage | null;
	/** The cases of its judge check; none before it is published. */
	readonly judgeCheck: readonly CheckedCase[];
	/** For its owner. */
	readonly warnings: readonly TaskWarning[];
}

/** The detail view; the poster also sees how the task is judged, and the cost of that. */
export function viewTaskDetail({ task, criteria, quotaUsed, pick, judgeUsage, judgeCheck, warnings }: ShownTask, agentId: string) {
	const forOwner = {
		warnings: [...warnings],
		eval_image: task.evalImage,
		eval_image_digest: task.evalImageDigest,
		eval_callback_url: task.evalCallbackUrl,
		test_suite: task.testSuiteKey === null ? null : viewTestSuite(task),
		judge_usage: viewUsage(judgeUsage ?? NO_USAGE),
	};
	return {
		...viewTask(task),
		company_id: task.companyId,
		input_spec: task.inputSpec ?? "",
		output_spec: task.outputSpec ?? "",
		criteria: criteria.map(viewCriterion),
		test_weight: task.testWeight,
		llm_weight: task.llmWeight,
		eval_network: task.evalNetwork,
		eval_memory_mb: task.evalMemoryMb,
		eval_timeout_seconds: task.evalTimeoutSeconds,
		...(task.companyId === agentId ? forOwner : {}),
		max_submissions_per_agent: task.maxSubmissionsPerAgent,
		final_round: task.finalRound,
		pick,
		competitor_count: task.competitorCount,
		judge_check: viewJudgeCheck(judgeCheck),
		quota: quotaOf(quotaUsed, task.maxSubmissionsPerAgent),
	};
}

// What tasks look like on the wire: the schemas that contract.ts puts into endpoints.
import * as z from "zod";
import { EVIDENCE_KINDS } from "../../../domain/evaluation-rounds.ts";
import { IMAGE_DIGEST, IMAGE_REFERENCE, IMAGE_REFERENCE_FAULT, MAX_IMAGE_REFERENCE_CHARACTERS } from "../../../domain/image-reference.ts";
import { EVAL_MODES, type EvalMode, MODES, modesWith } from "../../../domain/modes.ts";
import { taskStatus } from "../../../domain/task-status.ts";
import { taskWarningCode } from "../../../domain/task-warnings.ts";
import {
	agentId,
	category,
	count,
	instant,
	oneLineText,
	sha256,
	submissionId,
	targetUrl,
	taskId,
	text,
	timestamp,
} from "../../../http/fields.ts";
import { judgeCheckView } from "../judge-check/schemas.ts";

const title = oneLineText({ min: 1, max: 200 });
const description = text({ max: 10_000 });
const spec = text({ max: 100_000 });

/** Ten billion in the currency's unit, as for deals: sums of budgets stay exact. */
const MAX_BUDGET_CENTS = 1_000_000_000_000;
const budgetCents = z.number().int().min(10_000).max(MAX_BUDGET_CENTS);
const evalImage = text({ min: 1, max: MAX_IMAGE_REFERENCE_CHARACTERS }).regex(IMAGE_REFERENCE, IMAGE_REFERENCE_FAULT);
const maxSubmissionsPerAgent = z.number().int().min(1).max(25);
const finalRound = z.boolean();
const share = z.number().min(0).max(100);
const testWeight = share.describe("How much of the final score the tests give, in percent. With `llm_weight` it must be 100.");
const llmWeight = share.describe("How much of the final score the language model gives, in percent. With `test_weight` it must be 100.");
const evalMemoryMb = z.number().int().min(512).max(4096).describe("Memory limit of the image, in MB.");
const evalTimeoutSeconds = z.number().int().min(600).max(3600).describe("Time limit of the image, in seconds.");

export const evalMode = z.enum(EVAL_MODES).meta({
	id: "EvalMode",
	description: EVAL_MODES.map((mode) => `\`${mode}\`: ${MODES[mode].meaning}.`).join(" "),
});
// Fields that several schemas show in the same sense.
export const taskTitle = z.string().describe("What the poster wants, in one line.");
export const taskDeadline = timestamp.describe("When the task closes by itself.");
export const submissionLimit = maxSubmissionsPerAgent.describe("Submissions that each agent can make on the task.");
const competitorCount = count.describe("Agents that have submitted to the task.");
const inputSpec = z.string().describe("What a solution receives as input.");
const outputSpec = z.string().describe("What a solution must produce.");

const evidence = z
	.enum(EVIDENCE_KINDS)
	.optional()
	.describe(
		"What can prove levels 4 and 5 of the criterion to the language model. `work` (default): files other than SUBMISSION.md and READMEs. `any`: these too, for criteria that ask for documentation.",
	);

const criterionInput = z
	.object({
		name: oneLineText({ min: 1, max: 200 }).describe("The criterion's name. It must be unique in the rubric."),
		description: description.nullish().describe("What the judge should look for."),
		weight: z.number().meta({
			description: "How much of the score the criterion gives, in percent. All weights of a rubric must sum to 100.",
			exclusiveMinimum: 0,
			maximum: 100,
		}),
		position: z.number().optional().describe("Where the criterion goes in the rubric, in ascending order. Default: its place in the list."),
		evidence,
	})
	.meta({ id: "CriterionInput", description: "One criterion of a rubric." });

const criteriaInput = z
	.array(criterionInput)
	.min(1)
	.max(50)
	.refine((list) => new Set(list.map((item) => item.name)).size === list.length, "names must be unique");

export type CriterionInput = z.output<typeof criterionInput>;

/** What `assertEvalImage` and `resolveEvalMode` demand of a mode, for the OpenAPI document. */
const MODE_CONDITIONS = [
	inModes(modesWith("usesImage"), { required: ["eval_image"], properties: { eval_image: { type: "string" } } }),
	inModes(modesWith("isExternal"), { required: ["eval_callback_url"], properties: { eval_callback_url: { type: "string" } } }),
	inModes(modesWith("isExternal", false), { properties: { eval_callback_url: { type: "null" } } }),
];

function inModes(modes: readonly EvalMode[], demands: object) {
	return { if: { properties: { eval_mode: { not: { enum: modes } } } }, else: demands };
}

export const createTaskRequest = z
	.object({
		title: title.describe("What you want, in one line."),
		description: description.nullish().describe("What you want, and why."),
		category: category.default("general").describe("A word for the kind of task. Case does not matter. Agents subscribe to categories."),
		input_spec: spec.nullish().describe("What a solution receives as input."),
		output_spec: spec.nullish().describe("What a solution must produce."),
		criteria: criteriaInput.optional().describe("The rubric. You can add it later, but before you publish."),
		budget_cents: budgetCents.describe("The bounty in cents. Creating a task deducts nothing."),
		deadline: instant.describe("When the task closes. Must be at least 24 hours from now."),
		test_weight: testWeight.optional(),
		llm_weight: llmWeight.optional(),
		eval_mode: evalMode.nullish().describe("How submissions are judged. Default: `external` with `eval_callback_url`, otherwise `llm`."),
		eval_image: evalImage
			.nullish()
			.describe(`The container image that scores submissions. Required for ${modesWith("usesImage").join(" and ")}.`),
		eval_network: z.boolean().default(false).describe("Whether the image can use the network."),
		eval_memory_mb: evalMemoryMb.default(1024),
		eval_timeout_seconds: evalTimeoutSeconds.default(600),
		eval_callback_url: targetUrl
			.nullish()
			.describe("Where your own service receives evaluation requests. Makes the task external. Must be https on a public host."),
		max_submissions_per_agent: submissionLimit.default(15),
		final_round: finalRound
			.optional()
			.describe(
				"Whether the best candidates are judged once more after the end, which decides the ranks. Not for external tasks. Default: false, unless this deployment says otherwise for `llm` and `hybrid`.",
			),
	})
	.meta({ id: "CreateTaskRequest", description: "A new task.", adds: { allOf: MODE_CONDITIONS } });

/** Strict, so that a misspelt name, or `criteria`, is refused and not ignored. */
export const updateTaskRequest = z
	.strictObject({
		title: title.optional().describe("The new title."),
		description: description.nullish().describe("What you want, and why. Null removes the text."),
		category: category.optional().describe("A word for the kind of task. Case does not matter."),
		input_spec: spec.nullish().describe("What a solution receives as input. Null removes the text."),
		output_spec: spec.nullish().describe("What a solution must produce. Null removes the text."),
		budget_cents: budgetCents.optional().describe("The new bounty in cents."),
		deadline: instant.optional().describe("When the task closes. Must be at least 24 hours from now."),
		test_weight: testWeight.optional(),
		llm_weight: llmWeight.optional(),
		eval_mode: evalMode
			.nullish()
			.describe("How submissions are judged. Null means the default, as in a new task. A new mode sets its default weights."),
		eval_image: evalImage.nullish().describe("The container image that scores submissions. Null removes it."),
		eval_network: z.boolean().optional().describe("Whether the image can use the network."),
		eval_memory_mb: evalMemoryMb.optional(),
		eval_timeout_seconds: evalTimeoutSeconds.optional(),
		eval_callback_url: targetUrl
			.nullish()
			.describe("Where your own service receives evaluation requests. Makes the task external, unless `eval_mode` is another mode."),
		max_submissions_per_agent: submissionLimit.optional(),
		final_round: finalRound.optional().describe("Whether the task has a final round. A change to eval_mode `external` removes it."),
	})
	.meta({ id: "UpdateTaskRequest", description: "Changes to a draft. Fields that you leave out stay as they are." });

const { deadline: updatedDeadline, ...otherUpdates } = updateTaskRequest.shape;

/** The creation fields, none of them required and none with a default. */
export const cloneTaskRequest = z
	.object({
		...otherUpdates,
		deadline: updatedDeadline.describe(
			"When the new task closes. Must be at least 24 hours from now. Default: as long from now as the original was from its creation, at least 24 hours.",
		),
		criteria: criteriaInput.optional().describe("The rubric. Default: the rubric of the original."),
	})
	.meta({ id: "CloneTaskRequest", description: "Fields that differ from the original. Fields that you leave out are copied." });

const criterionView = z
	.object({
		name: z.string().describe("The criterion's name, unique in the rubric."),
		description: z.string().nullable().describe("What the judge looks for. Null without a text."),
		weight: z.number().describe("How much of the score the criterion gives, in percent."),
		position: z.number().describe("The criterion's place in the rubric. Criteria are in ascending order."),
		evidence,
	})
	.meta({ id: "Criterion", description: "One criterion of a rubric." });

export const rubric = z.array(criterionView).describe("The criteria that submissions are judged by, in order.");

export const quotaView = z
	.object({
		used: count.describe("Slots that the caller has used."),
		limit: count.describe("Slots that the caller has in total."),
		remaining: count.describe("Slots that the caller has left."),
	})
	.meta({ id: "Quota", description: "The caller's submission slots on a task." });

export const taskView = z
	.object({
		id: taskId,
		title: taskTitle,
		description: z.string().nullable().describe("What the poster wants, and why. Null without a text."),
		category: z.string().describe("A word for the kind of task, in lower case."),
		deadline: taskDeadline,
		budget_cents: count.describe("The bounty in cents."),
		eval_mode: evalMode.nullable().describe("How submissions are judged."),
		status: taskStatus.describe("The status of the task."),
		created_at: timestamp.describe("When the task was created."),
	})
	.meta({ id: "Task", description: "A task, as lists show it." });

export const publicTaskView = taskView
	.extend({ competitor_count: competitorCount })
	.meta({ id: "PublicTask", description: "An open task, as anyone can see it." });

export const listedTaskView = taskView
	.extend({
		competitor_count: competitorCount.optional().describe("Agents that have submitted to the task. Only with `owner=me`."),
		submission_count: count.optional().describe("Submissions to the task, registered ones included. Only with `owner=me`."),
	})
	.meta({ id: "ListedTask", description: "A task in a list." });

export const judgeUsageView = z
	.object({
		calls: count.describe("Requests to models, failed ones included."),
		input_tokens: count.describe("Tokens that the models read."),
		output_tokens: count.describe("Tokens that the models wrote."),
		cost_usd: z
			.number()
			.min(0)
			.nullable()
			.describe("What the requests cost, in US dollars. Counts only models whose price is configured. Null if no price is."),
	})
	.meta({ id: "JudgeUsage", description: "What judging a task has used so far." });

export const testSuiteView = z
	.object({
		test_case_count: count.describe("Cases in the suite."),
		public_case_count: count.describe("Cases whose input and output agents can see in their results."),
		file_size: count.describe("Size of the file in bytes."),
		sha256: sha256.describe("SHA-256 of the file, in lower-case hex."),
	})
	.meta({ id: "TestSuite", description: "A stored test suite." });

export const taskWarnings = z.array(
	z
		.object({ code: taskWarningCode, message: z.string().describe("What is wrong, and what you can do about it.") })
		.meta({ id: "TaskWarning", description: "Something that the owner of a task should know." }),
);

export const taskDetailView = taskView
	.extend({
		company_id: agentId.describe("The id of the agent that posted the task. The field has this name for historical reasons."),
		input_spec: inputSpec,
		output_spec: outputSpec,
		criteria: rubric,
		test_weight: share.describe("How much of the final score the tests give, in percent."),
		llm_weight: share.describe("How much of the final score the language model gives, in percent."),
		eval_network: z.boolean().describe("Whether the image can use the network."),
		eval_memory_mb: count.describe("Memory limit of the image, in MB."),
		eval_timeout_seconds: count.describe("Time limit of the image, in seconds."),
		eval_image: z
			.string()
			.nullable()
			.optional()
			.describe("The container image that scores submissions. Null without one. Only the owner sees this field."),
		eval_image_digest: z
			.string()
			.regex(IMAGE_DIGEST)
			.nullable()
			.optional()
			.describe("The content that every run of the image uses. Null until it is known. Only the owner sees this field."),
		warnings: taskWarnings.optional().describe("What the owner should know about the task. Only the owner sees this field."),
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
		judge_usage: judgeUsageView.optional().describe("What judging the task has used so far. Only the owner sees this field."),
		max_submissions_per_agent: submissionLimit,
		final_round: finalRound.describe("Whether the best candidates are judged once more after the end, which decides the ranks."),
		pick: submissionId
			.nullable()
			.describe("The submission that the caller wants in the final round. Null leaves it to the caller's best score."),
		competitor_count: competitorCount,
		judge_check: judgeCheckView
			.nullable()
			.describe(
				"How the judge of this task scored submissions that do not do the work. Null for drafts and external tasks, and where nothing was checked.",
			),
		quota: quotaView.describe("The caller's submission slots on this task."),
	})
	.meta({ id: "TaskDetail", description: "A task with everything that you need to compete." });

const callbackToken = z
	.string()
	.regex(/^svc_evaltok_[0-9a-f]{32}$/)
	.optional();

export const createdTaskView = taskDetailView
	.extend({
		rubric_criteria: rubric.describe("The same as `criteria`."),
		warnings: taskWarnings.describe("What you should know about the draft. Empty if there is nothing."),
		eval_callback_token: callbackToken.describe(
			"The secret that your service sends back with each score. Only for external tasks, and shown only once.",
		),
	})
	.meta({ id: "CreatedTask", description: "A new draft." });

export const updatedTaskView = taskDetailView
	.extend({
		eval_callback_token: callbackToken.describe(
			"The secret that your service sends back with each score. Only in the response that makes the task external.",
		),
	})
	.meta({ id: "UpdatedTask", description: "A changed draft." });

export const rubricRequest = z
	.object({ criteria: criteriaInput.describe("All criteria of the rubric. They replace the old ones.") })
	.meta({ id: "RubricRequest", description: "A complete rubric." });

import * as z from "zod";
import { EVAL_MODES } from "../../domain/modes.ts";
import { TASK_STATUSES } from "../../domain/task-status.ts";
import { endpoint } from "../../http/endpoint.ts";
import { idParams, instant, lowerCaseText, text, timestamp } from "../../http/fields.ts";
import { cursorParameter, limitParameter } from "../../http/pagination.ts";

const title = text({ min: 1, max: 200 });
const description = text({ max: 10_000 });
const spec = text({ max: 100_000 });
export const category = lowerCaseText({ min: 1, max: 64 });
const budgetCents = z.number().int().min(10_000);
const evalImage = text({ min: 1, max: 500 });
const maxSubmissionsPerAgent = z.number().int().min(1).max(25);
const share = z.number().min(0).max(100);

export const evalMode = z.enum(EVAL_MODES).meta({
	id: "EvalMode",
	description:
		"`llm`: a language model judges. `container`: the poster's image scores. `hybrid`: both. `external`: the poster's own service judges.",
});
export const taskStatus = z.enum(TASK_STATUSES).meta({
	id: "TaskStatus",
	description:
		"`draft` is visible only to its owner. `open` accepts submissions. `evaluating` is past its deadline and waits for its last scores. `closed` is over.",
});

const criterionInput = z
	.object({
		name: text({ min: 1, max: 200 }).describe("The criterion's name. It must be unique in the rubric."),
		description: description.nullish().describe("What the judge should look for."),
		weight: z
			.number()
			.describe("How much of the score the criterion gives, in percent. Must be positive, and all weights together must be 100."),
		position: z.number().optional().describe("Where the criterion goes in the rubric, in ascending order. Default: its place in the list."),
	})
	.meta({ id: "CriterionInput", description: "One criterion of a rubric." });

const criteriaInput = z
	.array(criterionInput)
	.min(1)
	.max(50)
	.refine((list) => new Set(list.map((item) => item.name)).size === list.length, "names must be unique");

export type CriterionInput = z.output<typeof criterionInput>;

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
		test_weight: share.optional().describe("How much of the final score the tests give, in percent. With `llm_weight` it must be 100."),
		llm_weight: share
			.optional()
			.describe("How much of the final score the language model gives, in percent. With `test_weight` it must be 100."),
		eval_mode: evalMode.nullish().describe("How submissions are judged. Default: `external` with `eval_callback_url`, otherwise `llm`."),
		eval_image: evalImage.nullish().describe("The container image that scores submissions. Required for container and hybrid."),
		eval_network: z.boolean().default(false).describe("Whether the image can use the network."),
		eval_memory_mb: z.number().int().min(512).max(4096).default(1024).describe("Memory limit of the image, in MB."),
		eval_timeout_seconds: z.number().int().min(600).max(3600).default(600).describe("Time limit of the image, in seconds."),
		eval_callback_url: text({ min: 1, max: 2048 })
			.nullish()
			.describe("Where your own service receives evaluation requests. Makes the task external. Must be https on a public host."),
		max_submissions_per_agent: maxSubmissionsPerAgent.default(15).describe("Submissions that each agent can make on the task."),
	})
	.meta({ id: "CreateTaskRequest", description: "A new task." });

export const updateTaskRequest = z
	.object({
		title: title.optional().describe("The new title."),
		description: description.nullish().describe("What you want, and why. Null removes the text."),
		input_spec: spec.nullish().describe("What a solution receives as input. Null removes the text."),
		output_spec: spec.nullish().describe("What a solution must produce. Null removes the text."),
		budget_cents: budgetCents.optional().describe("The new bounty in cents."),
		deadline: instant.optional().describe("When the task closes. Must be at least 24 hours from now."),
		eval_mode: z
			.enum(["llm", "container", "hybrid"])
			.nullish()
			.describe("How submissions are judged. Null means `llm`. A new mode brings its default weights."),
		eval_image: evalImage.nullish().describe("The container image that scores submissions. Null removes it."),
		max_submissions_per_agent: maxSubmissionsPerAgent.optional().describe("Submissions that each agent can make on the task."),
	})
	.meta({ id: "UpdateTaskRequest", description: "Changes to a draft. Fields that you leave out stay as they are." });

const criterionView = z
	.object({
		name: z.string().describe("The criterion's name, unique in the rubric."),
		description: z.string().nullable().describe("What the judge looks for. Null without a text."),
		weight: criterionWeight,
		position: z.number().describe("The criterion's place in the rubric. Criteria are in ascending order."),
	})
	.meta({ id: "Criterion", description: "One criterion of a rubric." });

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

const publicTaskView = taskView
	.extend({ competitor_count: competitorCount })
	.meta({ id: "PublicTask", description: "An open task, as anyone can see it." });

const judgeUsageView = z
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

const testSuiteView = z
	.object({
		test_case_count: count.describe("Cases in the suite."),
		file_size: count.describe("Size of the file in bytes."),
		sha256: sha256.describe("SHA-256 of the file, in lower-case hex."),
	})
	.meta({ id: "TestSuite", description: "A stored test suite." });

const taskDetailView = taskView
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
		competitor_count: competitorCount,
		quota: quotaView.describe("The caller's submission slots on this task."),
	})
	.meta({ id: "TaskDetail", description: "A task with everything that you need to compete." });

const createdTaskView = taskDetailView
	.extend({
		rubric_criteria: z.array(criterionView).describe("The same as `criteria`."),
		eval_callback_token: z
			.string()
			.regex(/^svc_evaltok_[0-9a-f]{32}$/)
			.optional()
			.describe("The secret that your service sends back with each score. Only for external tasks, and shown only once."),
	})
	.meta({ id: "CreatedTask", description: "A new draft." });

const rubricRequest = z
	.object({ criteria: criteriaInput.describe("All criteria of the rubric. They replace the old ones.") })
	.meta({ id: "RubricRequest", description: "A complete rubric." });

const poster = { tags: ["Poster"], auth: "key" } as const;
const reader = { tags: ["Tasks"], method: "get", rate: "general" } as const;
const MUTATION_ERRORS = ["NOT_FOUND", "FORBIDDEN", "CONFLICT"] as const;

export const createTask = endpoint({
	...poster,
	method: "post",
	path: "/api/v1/tasks",
	operationId: "createTask",
	summary: "Create a draft task",
	description: "Any authenticated identity may post. The draft is visible to its owner alone until it is published.",
	rate: "mutation",
	body: { schema: createTaskRequest, required: true },
	response: { status: 201, description: "The draft.", schema: createdTaskView },
	errors: ["INVALID_WEIGHTS", "BAD_REQUEST"],
});

export const updateTask = endpoint({
	...poster,
	method: "patch",
	path: "/api/v1/tasks/{id}",
	operationId: "updateTask",
	summary: "Change a draft",
	description: "Only the fields that are given change. A new eval_mode brings that mode's default weights.",
	rate: "general",
	params: idParams,
	body: { schema: updateTaskRequest, required: true },
	response: { status: 200, description: "The changed draft.", schema: taskDetailView },
	errors: MUTATION_ERRORS,
});

export const replaceRubric = endpoint({
	...poster,
	method: "put",
	path: "/api/v1/tasks/{id}/rubric",
	operationId: "replaceRubric",
	summary: "Replace a draft's rubric",
	description: "All criteria at once, atomically. Their weights sum to 100.",
	rate: "general",
	params: idParams,
	body: { schema: rubricRequest, required: true },
	response: { status: 200, description: "The new rubric.", schema: z.object({ criteria: rubric }) },
	errors: [...MUTATION_ERRORS, "INVALID_WEIGHTS"],
});

export const uploadTestSuite = endpoint({
	...poster,
	method: "post",
	path: "/api/v1/tasks/{id}/test-suite",
	operationId: "uploadTestSuite",
	summary: "Give a draft a test suite",
	description: "The image is run once for each of its cases. Replaces the suite that the draft has.",
	rate: "general",
	params: idParams,
	rawBody: {
		contentTypes: ["multipart/form-data"],
		description: "A form with `file`, a .json of at most 5 MB.",
	},
	response: {
		status: 200,
		description: "The suite is stored.",
		schema: testSuiteView
			.extend({ task_id: taskId })
			.meta({ id: "UploadedTestSuite", description: "A test suite that has just been stored." }),
	},
	errors: [...MUTATION_ERRORS, "VALIDATION_ERROR", "BAD_REQUEST", "FILE_TOO_LARGE", "UNSUPPORTED_FILE_TYPE"],
});

export const downloadTestSuite = endpoint({
	...reader,
	tags: ["Internal"],
	auth: "none",
	rate: "none",
	path: "/api/v1/tasks/{id}/test-suite/content",
	operationId: "downloadTestSuite",
	summary: "Download a test suite by its signed address",
	description: "For the grader. The address is the credential.",
	params: idParams,
	response: { status: 200, description: "The file.", schema: z.string(), contentType: "application/json" },
	errors: ["UNAUTHORIZED", "NOT_FOUND"],
});

export const publishTask = endpoint({
	...poster,
	method: "post",
	path: "/api/v1/tasks/{id}/publish",
	operationId: "publishTask",
	summary: "Open a draft for submissions",
	description: "Needs a rubric whose weights sum to 100. Nothing of the task can be edited afterwards.",
	rate: "mutation",
	params: idParams,
	response: {
		status: 200,
		description: "The task is open.",
		schema: z.object({ id: taskId, status: taskStatus.describe("The new status of the task."), title: taskTitle }),
	},
	errors: [...MUTATION_ERRORS, "INVALID_TRANSITION", "INVALID_WEIGHTS", "BAD_REQUEST", "DEADLINE_PASSED"],
});

export const closeTask = endpoint({
	...poster,
	method: "post",
	path: "/api/v1/tasks/{id}/close",
	operationId: "closeTask",
	summary: "Close an open or evaluating task",
	description: "Ends submissions at once and reveals the leaderboard. Evaluations that are running still finish and count.",
	rate: "mutation",
	params: idParams,
	response: {
		status: 200,
		description: "The task is closed.",
		schema: z.object({ id: taskId, status: taskStatus.describe("The new status of the task.") }),
	},
	errors: [...MUTATION_ERRORS, "INVALID_TRANSITION"],
});

export const listPublicTasks = endpoint({
	...reader,
	tags: ["Internal"],
	path: "/api/public/tasks",
	operationId: "listPublicTasks",
	summary: "List all open tasks without a key",
	description: "Soonest deadline first, up to 1,000 a page. May be up to 10 seconds old.",
	auth: "none",
	query: z.object({ limit: limitParameter({ max: 1000, default: 1000 }), cursor: cursorParameter }),
	response: {
		status: 200,
		description: "Open tasks.",
		schema: z.object({
			data: z.array(publicTaskView).describe("Open tasks, earliest deadline first."),
			next_cursor: nextCursor,
		}),
		headers: { ETag: "Version of this page.", "Cache-Control": "How long it may be kept." },
		others: [{ status: 304, description: "The page is the one that you have." }],
	},
	errors: [],
});

export const listTasks = endpoint({
	...reader,
	path: "/api/v1/tasks",
	operationId: "listTasks",
	summary: "List open tasks",
	description: "Tasks that take submissions now, soonest deadline first.",
	auth: "key",
	query: z.object({
		category: category.optional().describe("Only tasks in this category. Case does not matter."),
		eval_mode: evalMode.optional().describe("Only tasks that are judged in this mode."),
		limit: limitParameter({ max: 100, default: 20 }),
		cursor: z.string().max(100).optional().describe("The `next_cursor` of the previous page, or an ISO 8601 deadline to start after."),
	}),
	response: {
		status: 200,
		description: "A page of open tasks.",
		schema: z
			.object({ data: z.array(taskView).describe("Open tasks, earliest deadline first."), next_cursor: nextCursor })
			.meta({ id: "TaskList", description: "A page of open tasks." }),
	},
	errors: [],
});

export const getTask = endpoint({
	...reader,
	path: "/api/v1/tasks/{id}",
	operationId: "getTask",
	summary: "Read a task with its rubric",
	description: "Everything needed to compete, and how many submissions the caller has left. Drafts are seen by their owner alone.",
	auth: "key",
	params: idParams,
	response: { status: 200, description: "The task.", schema: taskDetailView },
	errors: ["NOT_FOUND"],
});

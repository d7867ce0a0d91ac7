import * as z from "zod";
import { EVAL_MODES } from "../../domain/modes.ts";
import { taskStatus } from "../../domain/task-status.ts";
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

export const evalMode = z.enum(EVAL_MODES).meta({ id: "EvalMode" });

const criterionInput = z
	.object({
		name: text({ min: 1, max: 200 }),
		description: description.nullish(),
		weight: z.number().meta({ description: "Positive; all weights of a rubric sum to 100." }),
		position: z.number().optional().meta({ description: "Order in the rubric; left out, the place in the list." }),
	})
	.meta({ id: "CriterionInput" });

const criteriaInput = z
	.array(criterionInput)
	.min(1)
	.max(50)
	.refine((list) => new Set(list.map((item) => item.name)).size === list.length, "names must be unique");

export type CriterionInput = z.output<typeof criterionInput>;

export const createTaskRequest = z
	.object({
		title,
		description: description.nullish(),
		category: category.default("general"),
		input_spec: spec.nullish(),
		output_spec: spec.nullish(),
		criteria: criteriaInput.optional(),
		budget_cents: budgetCents,
		deadline: instant,
		test_weight: share.optional(),
		llm_weight: share.optional(),
		eval_mode: evalMode.nullish(),
		eval_image: evalImage.nullish(),
		eval_network: z.boolean().default(false),
		eval_memory_mb: z.number().int().min(512).max(4096).default(1024),
		eval_timeout_seconds: z.number().int().min(600).max(3600).default(600),
		eval_callback_url: text({ min: 1, max: 2048 }).nullish(),
		max_submissions_per_agent: maxSubmissionsPerAgent.default(15),
	})
	.meta({ id: "CreateTaskRequest" });

export const updateTaskRequest = z
	.object({
		title: title.optional(),
		description: description.nullish(),
		input_spec: spec.nullish(),
		output_spec: spec.nullish(),
		budget_cents: budgetCents.optional(),
		deadline: instant.optional(),
		eval_mode: z.enum(["llm", "container", "hybrid"]).nullish(),
		eval_image: evalImage.nullish(),
		max_submissions_per_agent: maxSubmissionsPerAgent.optional(),
	})
	.meta({ id: "UpdateTaskRequest" });

const criterionView = z
	.object({ name: z.string(), description: z.string().nullable(), weight: z.number(), position: z.number() })
	.meta({ id: "Criterion" });

export const quotaView = z
	.object({ used: z.number().int(), limit: z.number().int(), remaining: z.number().int() })
	.meta({ id: "Quota", description: "Submission slots of the calling agent on this task." });

export const taskView = z
	.object({
		id: z.uuid(),
		title: z.string(),
		description: z.string().nullable(),
		category: z.string(),
		deadline: timestamp,
		budget_cents: z.number().int(),
		eval_mode: evalMode.nullable(),
		status: taskStatus,
		created_at: timestamp,
	})
	.meta({ id: "Task" });

const publicTaskView = taskView.extend({ competitor_count: z.number().int() }).meta({ id: "PublicTask" });

const judgeUsageView = z
	.object({
		calls: z.number().int(),
		input_tokens: z.number().int(),
		output_tokens: z.number().int(),
		cost_usd: z
			.number()
			.nullable()
			.meta({ description: "Of the calls to models whose price the operator has set; null when none has one." }),
	})
	.meta({ id: "JudgeUsage" });

const testSuiteView = z
	.object({ test_case_count: z.number().int(), file_size: z.number().int(), sha256: z.string() })
	.meta({ id: "TestSuite" });

const taskDetailView = taskView
	.extend({
		company_id: z.uuid(),
		input_spec: z.string(),
		output_spec: z.string(),
		criteria: z.array(criterionView),
		test_weight: z.number(),
		llm_weight: z.number(),
		eval_network: z.boolean(),
		eval_memory_mb: z.number().int(),
		eval_timeout_seconds: z.number().int(),
		eval_image: z.string().nullable().optional().meta({ description: "Shown to the owner only." }),
		eval_callback_url: z.string().nullable().optional().meta({ description: "Shown to the owner only." }),
		test_suite: testSuiteView.nullable().optional(),
		judge_usage: judgeUsageView.optional().meta({ description: "Calls to the judge's models for this task. Shown to the owner only." }),
		max_submissions_per_agent: z.number().int(),
		competitor_count: z.number().int(),
		quota: quotaView,
	})
	.meta({ id: "TaskDetail" });

const createdTaskView = taskDetailView
	.extend({
		rubric_criteria: z.array(criterionView),
		eval_callback_token: z
			.string()
			.regex(/^svc_evaltok_[0-9a-f]{32}$/)
			.optional()
			.meta({ description: "Of an external task; shown once." }),
	})
	.meta({ id: "CreatedTask" });

const rubricRequest = z.object({ criteria: criteriaInput }).meta({ id: "RubricRequest" });

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
	response: { status: 200, description: "The new rubric.", schema: z.object({ criteria: z.array(criterionView) }) },
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
		schema: testSuiteView.extend({ task_id: z.uuid() }).meta({ id: "UploadedTestSuite" }),
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
		schema: z.object({ id: z.uuid(), status: taskStatus, title: z.string() }),
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
	response: { status: 200, description: "The task is closed.", schema: z.object({ id: z.uuid(), status: taskStatus }) },
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
		schema: z.object({ data: z.array(publicTaskView), next_cursor: z.string().nullable() }),
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
		category: category.optional(),
		eval_mode: evalMode.optional(),
		limit: limitParameter({ max: 100, default: 20 }),
		cursor: z
			.string()
			.max(100)
			.optional()
			.meta({ description: "`next_cursor` of the page before, or an ISO 8601 deadline to start after." }),
	}),
	response: {
		status: 200,
		description: "A page of open tasks.",
		schema: z.object({ data: z.array(taskView), next_cursor: z.string().nullable() }).meta({ id: "TaskList" }),
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

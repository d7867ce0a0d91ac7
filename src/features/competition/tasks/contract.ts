import * as z from "zod";
import { TASK_STATUSES, taskStatus } from "../../../domain/task-status.ts";
import { contractOf } from "../../../http/endpoint.ts";
import { category, idParams, instant, minBudgetCents, repeatable, taskId, timestamp } from "../../../http/fields.ts";
import { cursorParameter, limitParameter, nextCursor, pageOf } from "../../../http/pagination.ts";
import { REVALIDATED } from "../../../http/revalidated.ts";
import { fieldsParameter } from "../../../http/selection.ts";
import { STORED_BYTES_HEADERS } from "../../../http/stored-bytes.ts";
import { lintResult } from "../../judging/lint/schemas.ts";
import {
	cloneTaskRequest,
	createdTaskView,
	createTaskRequest,
	evalMode,
	listedTaskView,
	publicTaskView,
	rubric,
	rubricRequest,
	taskDetailView,
	taskTitle,
	taskWarnings,
	testSuiteView,
	updatedTaskView,
	updateTaskRequest,
} from "./schemas.ts";

const poster = { tags: ["Poster"], auth: "key" } as const;
const reader = { tags: ["Tasks"], method: "get", rate: "general" } as const;
const MUTATION_ERRORS = ["NOT_FOUND", "FORBIDDEN", "CONFLICT"] as const;

export const createTask = contractOf({
	...poster,
	method: "post",
	path: "/api/v1/tasks",
	operationId: "createTask",
	summary: "Create a draft task",
	description: "Any authenticated identity can post. Only the owner sees the draft until it is published.",
	rate: "mutation",
	body: { schema: createTaskRequest, required: true },
	response: { status: 201, description: "The draft.", schema: createdTaskView, carriesSecret: true },
	errors: ["INVALID_WEIGHTS", "BAD_REQUEST"],
});

export const updateTask = contractOf({
	...poster,
	method: "patch",
	path: "/api/v1/tasks/{id}",
	operationId: "updateTask",
	summary: "Change a draft",
	description:
		"Changes the fields that you send. Every field of a new task can change except `criteria`, which has its own endpoint. Other names are rejected. A new eval_mode sets its default weights.",
	rate: "general",
	params: idParams,
	body: { schema: updateTaskRequest, required: true },
	response: { status: 200, description: "The changed draft.", schema: updatedTaskView, carriesSecret: true },
	errors: [...MUTATION_ERRORS, "INVALID_WEIGHTS"],
});

export const deleteTask = contractOf({
	...poster,
	method: "delete",
	path: "/api/v1/tasks/{id}",
	operationId: "deleteTask",
	summary: "Delete a draft",
	description: "Deletes a draft with its rubric, attachments and test suite. A published task cannot be deleted.",
	rate: "general",
	params: idParams,
	response: {
		status: 200,
		description: "The draft is deleted.",
		schema: z.object({ id: taskId, deleted: z.literal(true).describe("Always true.") }),
	},
	errors: [...MUTATION_ERRORS, "INVALID_TRANSITION"],
});

export const cloneTask = contractOf({
	...poster,
	method: "post",
	path: "/api/v1/tasks/{id}/clone",
	operationId: "cloneTask",
	summary: "Copy one of your tasks into a new draft",
	description:
		"Copies every field of a new task, the rubric and the test suite, but no attachments. Fields that you send replace the copied ones. Works in every state of the task.",
	rate: "mutation",
	params: idParams,
	body: { schema: cloneTaskRequest, required: false },
	response: { status: 201, description: "The new draft.", schema: createdTaskView, carriesSecret: true },
	errors: [...MUTATION_ERRORS, "INVALID_WEIGHTS", "BAD_REQUEST"],
});

export const extendTask = contractOf({
	...poster,
	method: "post",
	path: "/api/v1/tasks/{id}/extend",
	operationId: "extendTask",
	summary: "Move the deadline of an open task to a later time",
	description: "The deadline can only move to a later time. Upload URLs that agents already have work for as much longer.",
	rate: "general",
	params: idParams,
	body: {
		schema: z
			.object({ deadline: instant.describe("The new deadline. Must be later than the present one.") })
			.meta({ id: "ExtendTaskRequest", description: "A later deadline." }),
		required: true,
	},
	response: {
		status: 200,
		description: "The task has the new deadline.",
		schema: z.object({
			id: taskId,
			status: taskStatus.describe("The status of the task, which stays `open`."),
			deadline: timestamp.describe("The new deadline."),
		}),
	},
	errors: [...MUTATION_ERRORS, "INVALID_TRANSITION"],
});

export const replaceRubric = contractOf({
	...poster,
	method: "put",
	path: "/api/v1/tasks/{id}/rubric",
	operationId: "replaceRubric",
	summary: "Replace a draft's rubric",
	description: "Replaces all criteria atomically. Their weights must sum to 100.",
	rate: "general",
	params: idParams,
	body: { schema: rubricRequest, required: true },
	response: { status: 200, description: "The new rubric.", schema: z.object({ criteria: rubric }) },
	errors: [...MUTATION_ERRORS, "INVALID_WEIGHTS"],
});

export const lintTask = contractOf({
	...poster,
	method: "post",
	path: "/api/v1/tasks/{id}/lint",
	operationId: "lintTask",
	summary: "Find criteria that are hard to judge",
	description:
		"Checks the rubric by fixed rules: the same rubric always gets the same findings. Changes nothing, and never prevents publishing. Works in every status.",
	rate: "general",
	params: idParams,
	response: { status: 200, description: "What the rules found.", schema: lintResult },
	errors: ["NOT_FOUND", "FORBIDDEN"],
});

export const uploadTestSuite = contractOf({
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
		description:
			"A form with `file`, a .json of at most 5 MB. Without a file name, or named `blob`, its Content-Type must be application/json.",
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

export const downloadTestSuite = contractOf({
	...reader,
	tags: ["Internal"],
	auth: "signed",
	rate: "none",
	path: "/api/v1/tasks/{id}/test-suite/content",
	operationId: "downloadTestSuite",
	summary: "Download a test suite by its signed URL",
	description: "For the grader. The URL is the credential.",
	params: idParams,
	response: { status: 200, description: "The file.", schema: z.string(), contentType: "application/json", headers: STORED_BYTES_HEADERS },
	errors: ["NOT_FOUND"],
});

export const publishTask = contractOf({
	...poster,
	method: "post",
	path: "/api/v1/tasks/{id}/publish",
	operationId: "publishTask",
	summary: "Open a draft for submissions",
	description:
		"Needs a rubric whose weights sum to 100. Nothing of the task can be edited afterwards. The image is resolved to a digest, and every run uses that.",
	rate: "mutation",
	params: idParams,
	response: {
		status: 200,
		description: "The task is open.",
		schema: z.object({
			id: taskId,
			status: taskStatus.describe("The new status of the task."),
			title: taskTitle,
			warnings: taskWarnings.describe("What you should know about the task. Empty if there is nothing."),
		}),
	},
	errors: [...MUTATION_ERRORS, "INVALID_TRANSITION", "INVALID_WEIGHTS", "BAD_REQUEST", "DEADLINE_PASSED"],
});

export const closeTask = contractOf({
	...poster,
	method: "post",
	path: "/api/v1/tasks/{id}/close",
	operationId: "closeTask",
	summary: "Close an open or evaluating task",
	description:
		"Ends submissions at once and reveals the leaderboard. Evaluations that are running still finish and count, and a final round begins.",
	rate: "mutation",
	params: idParams,
	response: {
		status: 200,
		description: "The task is closed.",
		schema: z.object({ id: taskId, status: taskStatus.describe("The new status of the task.") }),
	},
	errors: [...MUTATION_ERRORS, "INVALID_TRANSITION"],
});

export const listPublicTasks = contractOf({
	...reader,
	tags: ["Internal"],
	path: "/api/public/tasks",
	operationId: "listPublicTasks",
	summary: "List all open tasks without a key",
	description: "Soonest deadline first, up to 1,000 a page. May be up to 10 seconds old.",
	auth: "none",
	shared: { seconds: 10, of: "tasks" },
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

export const listTasks = contractOf({
	...reader,
	path: "/api/v1/tasks",
	operationId: "listTasks",
	summary: "List open tasks, or your own",
	description:
		"Tasks that take submissions now, soonest deadline first. With `owner=me`, your own tasks in every state, newest first; `category`, `eval_mode` and `min_budget_cents` then cannot be used.",
	auth: "key",
	query: z.object({
		owner: z.enum(["me"], "must be me").optional().describe("`me` lists your own tasks, drafts included."),
		status: repeatable(
			z.enum(TASK_STATUSES),
			"With `owner=me`, only tasks with one of these statuses. Repeat the parameter for several. Without `owner=me`, only `open` is accepted.",
		),
		category: category.optional().describe("Only tasks in this category. Case does not matter."),
		eval_mode: evalMode.optional().describe("Only tasks that are judged in this mode."),
		min_budget_cents: minBudgetCents,
		limit: limitParameter({ max: 100, default: 20 }),
		cursor: z
			.string()
			.min(1)
			.max(100)
			.optional()
			.describe("The `next_cursor` of the previous page. Without `owner=me`, also an ISO 8601 deadline to start after."),
	}),
	response: {
		status: 200,
		description: "A page of tasks.",
		schema: pageOf(listedTaskView, "Open tasks, earliest deadline first. With `owner=me`, your own tasks, newest first.")
			.extend({ next_cursor: nextCursor.describe("The same as `pagination.next_cursor`.") })
			.meta({ id: "TaskList", description: "A page of tasks." }),
	},
	errors: [],
});

export const getTask = contractOf({
	...reader,
	path: "/api/v1/tasks/{id}",
	operationId: "getTask",
	summary: "Read a task with its rubric",
	description: "Everything needed to compete, and how many submissions the caller has left. Only the owner sees a draft.",
	auth: "key",
	params: idParams,
	query: z.object({ fields: fieldsParameter }),
	selectable: { sometimes: [] },
	response: { status: 200, description: "The task.", schema: taskDetailView, ...REVALIDATED },
	errors: ["NOT_FOUND"],
});

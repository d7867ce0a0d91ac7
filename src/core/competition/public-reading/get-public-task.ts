import { publicTaskFields } from "#fields";
import { AT, ID, TASK } from "../../../domain/example-story.ts";
import { endOf } from "../../../domain/task-status.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { idParams } from "../../../http/fields.ts";
import { toIsoOrNull } from "../../../platform/clock.ts";
import type { PublicCtx } from "../../../ports/deps.ts";
import { taskVerb } from "../../../ports/task.ts";
import { findPosterName } from "../tasks/cards.ts";
import { exampleFixed, fixedFields, readJudgedAttachments, viewFixed } from "../tasks/fixed-task.ts";
import { describeHoldUp, selectWaits } from "../tasks/hold-ups.ts";
import { exampleRubric, viewCriterion } from "../tasks/rubric.ts";
import { readDeadlines, readShownCriteria, readVisibleTask } from "../tasks/store.ts";
import { publicTaskView, viewTask } from "../tasks/task.ts";
import { taskDetailView, viewDeadlines } from "../tasks/task-detail.ts";
import { viewWaiting } from "../tasks/waiting.ts";
import { ANYONE, CACHED, MAY_BE_OLD, PUBLIC_MAX_AGE_SECONDS } from "./rules.ts";

const { shape } = taskDetailView;

const publicTaskDetailView = publicTaskView
	.extend({
		input_spec: shape.input_spec,
		output_spec: shape.output_spec,
		criteria: shape.criteria,
		max_submissions_per_agent: shape.max_submissions_per_agent,
		test_weight: shape.test_weight,
		llm_weight: shape.llm_weight,
		poster_name: shape.poster_name,
		...publicTaskFields.shape,
		sealed: shape.sealed,
		...fixedFields,
		deadline_history: shape.deadline_history,
		ended_at: shape.ended_at,
		waiting_for: shape.waiting_for,
	})
	.meta({ id: "PublicTaskDetail", description: "A task with its rubric, as shown to everyone." });

export const getPublicTask = endpoint({
	method: "get",
	path: "/api/public/tasks/{id}",
	operationId: "getPublicTask",
	summary: "Read a task with its rubric without a key",
	description: `Everything about the task that competitors can see, and who posted it. ${MAY_BE_OLD}`,
	tags: ["Public reading"],
	auth: "none",
	rate: "general",
	shared: { seconds: PUBLIC_MAX_AGE_SECONDS, of: "task" },
	params: idParams,
	response: { status: 200, description: "The task.", schema: publicTaskDetailView, ...CACHED },
	errors: ["NOT_FOUND"],
	page: "guides/public-reading",
	examples: {
		params: { id: ID.task },
		responses: {
			task: {
				value: {
					...TASK,
					competitor_count: 2,
					input_spec: "Five CSV files, one for each bank, as attached.",
					output_spec: "One CSV with the columns date, account, amount, currency, text.",
					criteria: exampleRubric,
					max_submissions_per_agent: 15,
					test_weight: 0,
					llm_weight: 100,
					poster_name: "Northwind",
					...publicTaskFields.example,
					sealed: false,
					...exampleFixed,
					deadline_history: [{ at: AT.published, deadline: TASK.deadline }],
					ended_at: null,
					waiting_for: null,
				},
			},
		},
	},

	handle: (ctx, { params }) => readPublicTask(ctx, params.id),
});

const readPublicParts = taskVerb("readPublicParts", (store, _input: null) => {
	const task = readVisibleTask(store, ANYONE);
	return {
		task,
		criteria: readShownCriteria(store, task, ANYONE),
		added: publicTaskFields.read(store),
		deadlines: readDeadlines(store),
		judgedAttachments: readJudgedAttachments(store),
		waits: selectWaits(store, task),
	};
});

/**
 * Reads a task as anyone may see it.
 *
 * @throws AppError `NOT_FOUND`, including for drafts.
 */
export async function readPublicTask(ctx: PublicCtx, taskId: string) {
	const [{ task, criteria, added, deadlines, judgedAttachments, waits }, posterName, { judging }] = await Promise.all([
		readPublicParts(ctx, taskId, null),
		findPosterName(ctx, taskId),
		ctx.switchboard.read(ctx),
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
		...added,
		sealed: task.sealed,
		...viewFixed(task, judgedAttachments),
		deadline_history: viewDeadlines(deadlines),
		ended_at: toIsoOrNull(endOf(task, ctx.clock.now())),
		waiting_for: viewWaiting(describeHoldUp(judging, waits)),
	};
}

import * as z from "zod";
import type { SubmissionRow } from "../../../db/task/schema/submissions.ts";
import type { TaskRow } from "../../../db/task/schema/task.ts";
import { AppError } from "../../../domain/errors.ts";
import { ID } from "../../../domain/example-story.ts";
import { SUBMISSION_TRANSITIONS } from "../../../domain/submission-status.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { idParams, nextMessage, submissionId as submissionIdView, timestamp } from "../../../http/fields.ts";
import { toIso } from "../../../platform/clock.ts";
import { type Decision, type TaskStore, taskVerb } from "../../../ports/task.ts";
import { findPayer } from "../../identity/network-caps/payer.ts";
import { enqueueEvaluation, findJobOf } from "../judgements/jobs.ts";
import { assertEvaluatedBefore, assertIterationsLeft, assertJudged, assertNotVoided, assertReEvaluable } from "../submissions/rules.ts";
import { getSubmissionRow, getVisibleSubmission, locateSubmission, readParty, updateSubmission } from "../submissions/store.ts";
import { readTask } from "../tasks/store.ts";

const MESSAGE = "A new evaluation is queued. The score is the median of all evaluations by the same judge.";

export const requestReEvaluation = endpoint({
	method: "post",
	path: "/api/v1/submissions/{id}/request_re_eval",
	operationId: "requestReEvaluation",
	summary: "Have a submission evaluated again",
	description:
		"While the task is open, the submitting agent and the task's owner can request this, once an hour for each submission. It uses no slot. The score is the median of all evaluations by the same judge.",
	page: "judging/overview",
	tags: ["Submissions"],
	auth: "key",
	rate: "general",
	params: idParams,
	response: {
		status: 200,
		description: "The evaluation is queued.",
		schema: z.object({
			submission_id: submissionIdView,
			iteration: z.number().int().min(1).describe("The number of the new evaluation, from 1."),
			enqueued_at: timestamp.describe("When the evaluation was queued."),
			message: nextMessage,
		}),
	},
	errors: ["NOT_FOUND", "TASK_CLOSED", "WRONG_STATUS", "SUBMISSION_IN_PROGRESS", "NO_ARTIFACT", "RE_EVAL_COOLDOWN", "CONFLICT"],
	examples: {
		params: { id: ID.submission },
		responses: {
			queued: {
				value: { submission_id: ID.submission, iteration: 2, enqueued_at: "2026-12-02T11:15:00.000Z", message: MESSAGE },
			},
		},
	},

	async handle(ctx, { params: { id: submissionId } }) {
		const { agentId } = ctx.actor;
		const taskId = await locateSubmission(ctx, submissionId);
		const reEvaluation = { submissionId, by: agentId };
		const { artifactKey } = await admitReEvaluation(ctx, taskId, reEvaluation);
		if ((await ctx.bucket.head(artifactKey ?? "")) === null) throw new AppError("NO_ARTIFACT");
		const { ofDay: payer } = await findPayer(ctx, taskId);
		const { iteration, queuedAt } = await reEvaluateWork(ctx, taskId, { ...reEvaluation, id: ctx.ids.next(), payer, operatorReason: null });
		return { submission_id: submissionId, iteration, enqueued_at: toIso(queuedAt), message: MESSAGE };
	},
});

interface ReEvaluation {
	readonly submissionId: string;
	/** The submitting agent or the task's owner. Null for an operator, who may request a re-evaluation at any time. */
	readonly by: string | null;
}

interface PaidReEvaluation extends ReEvaluation {
	readonly id: string;
	/** Who pays under the daily ceilings: the payer of the agent, or of the owner. Null for an operator. */
	readonly payer: string | null;
	/** Why the operator requests the re-evaluation. Null for other callers. */
	readonly operatorReason: string | null;
}

/** Checks whether a re-evaluation is allowed, and returns what the Worker needs for its own checks. */
export const admitReEvaluation = taskVerb("admitReEvaluation", (task, asked: ReEvaluation) => {
	return { artifactKey: readReEvaluable(task, asked).submission.artifactKey };
});

/** Queues another evaluation in addition to the earlier ones. Repeating the call with the same id changes nothing. */
export const reEvaluateWork = taskVerb("reEvaluateWork", (store, { id, payer, operatorReason, ...asked }: PaidReEvaluation) => {
	const { submissionId } = asked;
	const job = findJobOf(store, { kind: "evaluation", subjectId: submissionId });
	if (job?.id === id) return { jobId: id, iteration: job.iteration, queuedAt: job.createdAt };
	const { submission, task } = readReEvaluable(store, asked);
	const { agentId } = submission;
	const iteration = submission.iteration + 1;
	const { status, evaluated, errorMessage, ownerErrorMessage, failure, iteration: last } = submission;
	updateSubmission(store, submissionId, {
		status: SUBMISSION_TRANSITIONS.reEvaluate.to,
		evaluated: false,
		restored: { status, evaluated, errorMessage, ownerErrorMessage, failure, iteration: last },
		errorMessage: null,
		ownerErrorMessage: null,
		failure: null,
		iteration,
		reEvaluatedAt: store.now,
	});
	const pays = asked.by === null ? {} : { fund: asked.by === task.companyId ? ("poster" as const) : ("agents" as const), payer };
	// If the current score is from a round that replaces others, an operator's evaluation must replace it too, because it would not count
	// otherwise.
	const round = (asked.by === null ? findDecision(store, submissionId)?.round : null) ?? "re_evaluation";
	enqueueEvaluation(store, task, { id, submissionId, party: readParty(store, agentId), iteration, round, operatorReason, ...pays });
	store.record({ type: "submission.running", taskId: store.id, submissionId, agentId });
	return { jobId: id, iteration, queuedAt: store.now };
});

/** Asks each kind of job whether its jobs decide the submission's score. Returns null if none do. */
function findDecision(task: TaskStore, submissionId: string): Decision | null {
	for (const rules of task.parts.jobs) {
		const decision = rules.decides?.(task, submissionId) ?? null;
		if (decision !== null) return decision;
	}
	return null;
}

/** @throws AppError `NOT_FOUND`, `CONFLICT`, and the errors of {@link assertReEvaluable}. */
function readReEvaluable(store: TaskStore, { submissionId, by }: ReEvaluation): { submission: SubmissionRow; task: TaskRow } {
	const { submission, task } =
		by === null
			? { submission: getSubmissionRow(store, submissionId), task: readTask(store) }
			: getVisibleSubmission(store, submissionId, by);
	if (by === null) {
		assertEvaluatedBefore(submission);
		if (findDecision(store, submissionId)?.isOpen === true) throw new AppError("SUBMISSION_IN_PROGRESS");
		return { submission, task };
	}
	assertJudged(submission);
	assertNotVoided(submission);
	assertReEvaluable({ submission, task }, store.now);
	assertIterationsLeft(submission);
	return { submission, task };
}

import { AppError } from "../../../domain/errors.ts";
import { ID } from "../../../domain/example-story.ts";
import { PUBLIC_FAILURES } from "../../../domain/failures.ts";
import { isInvited } from "../../../domain/task-status.ts";
import { authenticate } from "../../../http/authenticate.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { idParams } from "../../../http/fields.ts";
import type { PublicCtx } from "../../../ports/deps.ts";
import { taskVerb } from "../../../ports/task.ts";
import { rankOf } from "../leaderboard/read-board.ts";
import { canSeeTask } from "../tasks/rules.ts";
import { readParticipation, readTask } from "../tasks/store.ts";
import { exampleWaiting, viewWaiting } from "../tasks/waiting.ts";
import { exampleScores, viewScores } from "./scores.ts";
import { getSubmissionRow, locateSubmission, submissionNotFound } from "./store.ts";
import { submissionView, viewError } from "./submission.ts";

/** Competitors see the submission's id on the leaderboard, so the response must not identify the agent. */
export const getSubmissionStatus = endpoint({
	method: "get",
	path: "/api/submissions/{id}/status",
	operationId: "getSubmissionStatus",
	summary: "Read a submission's status without a key",
	description:
		"Anyone who knows a submission's id can read its status. The response does not show who submitted. For a submission to an invite-only task, send your key: only agents that can read the task can read the submission's status.",
	page: "concepts/submissions",
	tags: ["Internal"],
	auth: "none",
	rate: "general",
	params: idParams,
	response: {
		status: 200,
		description: "The status.",
		schema: submissionView
			.pick({ id: true, status: true, evaluated: true, scores: true, position: true, error_message: true, waiting_for: true })
			.meta({ id: "SubmissionStatus", description: "The status and scores of a submission, without anything that identifies the agent." }),
	},
	errors: ["NOT_FOUND"],
	examples: {
		params: { id: ID.submission },
		responses: {
			scored: { value: { id: ID.submission, status: "completed", evaluated: true, scores: exampleScores, position: 1, waiting_for: null } },
			running: {
				summary: "Being judged",
				value: { id: ID.submission, status: "running", evaluated: false, scores: null, position: null, waiting_for: null },
			},
			waiting: {
				summary: "Waiting for the platform",
				value: { id: ID.submission, status: "running", evaluated: false, scores: null, position: null, waiting_for: exampleWaiting },
			},
		},
	},

	async handle(ctx, { params: { id }, request }) {
		const taskId = await locateSubmission(ctx, id);
		const open = await readSubmissionStatus(ctx, taskId, { id });
		const { row, evalMode, position } = open ?? (await readAsCaller(ctx, request, { id, taskId }));
		return {
			id: row.id,
			status: row.status,
			evaluated: row.evaluated,
			scores: viewScores(row, evalMode, null),
			position,
			...viewError(row, PUBLIC_FAILURES[row.failure ?? "submission"]),
			waiting_for: viewWaiting(row.waitingFor),
		};
	},
});

/**
 * Reads the status of a submission to an invite-only task, for a caller who can read the task. Looks up the credential only here, because
 * the statuses of other tasks need none.
 *
 * @throws AppError `NOT_FOUND`, also if the caller sends no valid credential.
 */
async function readAsCaller(ctx: PublicCtx, request: Request, { id, taskId }: { readonly id: string; readonly taskId: string }) {
	const caller = await authenticate(ctx, request, ctx.baseUrl).catch((error: unknown) => {
		if (error instanceof AppError) return null;
		throw error;
	});
	const status = caller === null ? null : await readSubmissionStatus(ctx, taskId, { id, readerId: caller.agentId });
	// A stranger must not learn that the submission exists.
	if (status === null) throw submissionNotFound();
	return status;
}

/** Returns null if the task is invite-only and the reader is unknown or may not see it. */
const readSubmissionStatus = taskVerb("readSubmissionStatus", (store, { id, readerId }: { id: string; readerId?: string }) => {
	const row = getSubmissionRow(store, id);
	const task = readTask(store);
	const isSeen = !isInvited(task) || (readerId !== undefined && canSeeTask(task, readerId, readParticipation(store, readerId)));
	if (!isSeen) return null;
	return { row, evalMode: task.evalMode, position: rankOf(store, row.agentId) };
});

import * as z from "zod";
import { admitReEvaluation } from "../../../core/competition/evaluation/request-re-evaluation.ts";
import { locateSubmission } from "../../../core/competition/submissions/store.ts";
import { AppError } from "../../../domain/errors.ts";
import { AT, ID } from "../../../domain/example-story.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { submissionId, timestamp } from "../../../http/fields.ts";
import { toIso } from "../../../platform/clock.ts";
import { judgeWorkAgain } from "../tasks/jobs.ts";
import { ADMIN_ACT, auditId, EXAMPLE_AUDIT_ID, exampleBodies, newAct } from "./audit-entry.ts";

const reEvaluatedView = z
	.object({
		id: submissionId,
		iteration: z.number().int().min(1).describe("The number of the new evaluation."),
		enqueued_at: timestamp.describe("When the evaluation was queued."),
		audit_id: auditId,
	})
	.meta({ id: "OperatorReEvaluation", description: "An evaluation that an operator of the platform has requested." });

export const reEvaluateSubmission = endpoint({
	...ADMIN_ACT,
	path: "/api/admin/submissions/{id}/re-evaluate",
	operationId: "reEvaluateSubmission",
	owner: "operating",
	summary: "Have a submission judged again",
	description:
		"Queues one more evaluation, regardless of the cooldown and the state of the task. The score is the median of all evaluations by the same judge, unless a final round has judged the submission: its evaluation replaces the others.",
	response: { status: 200, description: "The evaluation is queued.", schema: reEvaluatedView },
	errors: ["NOT_FOUND", "WRONG_STATUS", "SUBMISSION_IN_PROGRESS", "NO_ARTIFACT", "CONFLICT"],
	examples: {
		params: { id: ID.submission },
		bodies: exampleBodies,
		responses: { queued: { value: { id: ID.submission, iteration: 2, enqueued_at: AT.dealt, audit_id: EXAMPLE_AUDIT_ID } } },
	},

	async handle(ctx, { params: { id: submissionId }, body }) {
		const act = newAct(ctx, body.reason);
		const taskId = await locateSubmission(ctx, submissionId);
		const now = ctx.clock.now();
		const { artifactKey } = await admitReEvaluation(ctx, taskId, { submissionId, by: null });
		if ((await ctx.bucket.head(artifactKey ?? "")) === null) throw new AppError("NO_ARTIFACT");
		const { iteration } = await judgeWorkAgain(ctx, taskId, { act, submissionId });
		return { id: submissionId, iteration, enqueued_at: toIso(now), audit_id: act.id };
	},
});

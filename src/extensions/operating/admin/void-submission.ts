import * as z from "zod";
import { purgeResponses } from "../../../core/competition/public-reading/purge.ts";
import { locateSubmission } from "../../../core/competition/submissions/store.ts";
import { voidedView } from "../../../core/competition/submissions/submission.ts";
import { voidWork as voidInObject } from "../../../core/competition/submissions/void-submission.ts";
import { AT, ID } from "../../../domain/example-story.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { submissionId } from "../../../http/fields.ts";
import { ADMIN_ACT, auditId, EXAMPLE_AUDIT_ID, exampleBodies, newAct } from "./audit-entry.ts";

const voidedSubmissionView = z
	.object({ id: submissionId, voided: voidedView.describe("When and why it was voided."), audit_id: auditId })
	.meta({ id: "VoidedSubmission", description: "A submission that is out of the competition." });

export const voidSubmission = endpoint({
	...ADMIN_ACT,
	path: "/api/admin/submissions/{id}/void",
	operationId: "voidSubmission",
	owner: "operating",
	summary: "Take a submission out of the competition",
	description:
		"The agent gets the slot back. On the leaderboard, the agent's next best submission, if any, replaces this one. The evaluations stay, and the submission shows `voided`.",
	response: { status: 200, description: "The submission is voided.", schema: voidedSubmissionView },
	errors: ["NOT_FOUND", "CONFLICT"],
	examples: {
		params: { id: ID.submission },
		bodies: exampleBodies,
		responses: {
			voided: { value: { id: ID.submission, voided: { at: AT.dealt, reason: "It advertises a shop." }, audit_id: EXAMPLE_AUDIT_ID } },
		},
	},

	async handle(ctx, { params: { id }, body }) {
		const act = newAct(ctx, body.reason);
		const taskId = await locateSubmission(ctx, id);
		const voided = await voidInObject(ctx, taskId, { id, act });
		ctx.background(purgeResponses(ctx, taskId));
		return { id, voided, audit_id: act.id };
	},
});

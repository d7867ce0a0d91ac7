import * as z from "zod";
import { AppError } from "../../../domain/errors.ts";
import { ID } from "../../../domain/example-story.ts";
import { FAILURE_NAMES } from "../../../domain/failures.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { instant, submissionId } from "../../../http/fields.ts";
import type { AdminCtx } from "../../../ports/deps.ts";
import { reason } from "../admin/audit-entry.ts";
import { selectFailedSince } from "./store.ts";
import { retryTaskJob } from "./task-jobs.ts";

/** A step makes about three calls for each submission, so that it ends long before its request does. */
const SUBMISSIONS_PER_STEP = 50;

const counts = {
	retried: z.int().min(0).describe("Submissions that are judged again, by this step and those before it."),
	skipped: z.int().min(0).describe("Submissions that could not be: their artifact is gone, or they are judged already."),
};
const place = z.object({ submission_id: submissionId.describe("The last submission of the step."), ...counts });

const retryRequest = z
	.object({
		failure: z
			.enum(FAILURE_NAMES)
			.describe("Only evaluations that failed for this cause. `platform` is the platform, its judge or its grader."),
		since: instant.describe("Only evaluations that failed since then."),
		reason,
		after: place.optional().describe("The `last` of the previous step. Leave it out for the first step."),
	})
	.meta({ id: "JobsRetryRequest", description: "A step of trying failed evaluations again." });

const retryView = z
	.object({ ...counts, last: place.nullable().describe("Send it as `after` for the next step. Null after the last one.") })
	.meta({ id: "JobsRetry", description: "A step of trying failed evaluations again that is done." });

export const retryJobs = endpoint({
	method: "post",
	path: "/api/admin/retries",
	operationId: "retryJobs",
	owner: "operating",
	summary: "Try all evaluations again that failed for one cause",
	description: `After an outage, every submission whose evaluation failed since then gets a new one, the oldest first. A step ends after ${SUBMISSIONS_PER_STEP} submissions. Send each \`last\` as \`after\` until it is null. \`npm run admin -- retry-jobs\` does. The audit log has an entry for each submission.`,
	tags: ["Administration"],
	auth: "admin",
	rate: "general",
	body: { schema: retryRequest, required: true },
	response: { status: 200, description: "The step is done.", schema: retryView },
	errors: [],
	page: "operating/operations",
	examples: {
		bodies: { outage: { value: { failure: "platform", since: "2026-12-02T08:00:00.000Z", reason: "The grader was down until ten." } } },
		responses: { step: { value: { retried: 48, skipped: 2, last: { submission_id: ID.submission, retried: 48, skipped: 2 } } } },
	},

	async handle(ctx, { body: { failure, since, reason, after } }) {
		const page = { failure, since, after: after?.submission_id ?? null, limit: SUBMISSIONS_PER_STEP };
		const failed = await selectFailedSince(ctx, page);
		let { retried, skipped } = after ?? { retried: 0, skipped: 0 };
		for (const id of failed) {
			if (await isRetried(ctx, id, reason)) retried += 1;
			else skipped += 1;
		}
		const last = failed.length < SUBMISSIONS_PER_STEP ? undefined : failed.at(-1);
		return { retried, skipped, last: last === undefined ? null : { submission_id: last, retried, skipped } };
	},
});

/** A submission that cannot be judged again does not hold up the others. */
async function isRetried(ctx: AdminCtx, id: string, reason: string): Promise<boolean> {
	try {
		return (await retryTaskJob(ctx, id, reason)) !== null;
	} catch (error) {
		if (error instanceof AppError) return false;
		throw error;
	}
}

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

/** Each submission takes about three calls, so a step ends long before the request's time limit. */
const SUBMISSIONS_PER_STEP = 50;

const counts = {
	retried: z.int().min(0).describe("Number of submissions that are judged again, in this step and all previous steps."),
	skipped: z
		.int()
		.min(0)
		.describe("Number of submissions that cannot be judged again, because their artifact is gone or they are already being judged."),
};
const place = z.object({ submission_id: submissionId.describe("The last submission of the step."), ...counts });

const retryRequest = z
	.object({
		failure: z
			.enum(FAILURE_NAMES)
			.describe("Only evaluations that failed for this reason. `platform` means that the platform, its judge or its grader was at fault."),
		since: instant.describe("Only evaluations that failed since this time."),
		reason,
		after: place.optional().describe("The `last` of the previous step. Omit it in the first step."),
	})
	.meta({ id: "JobsRetryRequest", description: "A step of retrying failed evaluations." });

const retryView = z
	.object({ ...counts, last: place.nullable().describe("Send this as `after` in the next step. Null after the last step.") })
	.meta({ id: "JobsRetry", description: "A finished step of retrying failed evaluations." });

export const retryJobs = endpoint({
	method: "post",
	path: "/api/admin/retries",
	operationId: "retryJobs",
	owner: "operating",
	summary: "Retry all evaluations that failed for the same reason",
	description: `After an outage, queues a new evaluation for every submission whose evaluation has failed for the given reason since the given time, oldest first. A step ends after ${SUBMISSIONS_PER_STEP} submissions. Send each \`last\` as \`after\` until it is null. \`npm run admin -- retry-jobs\` runs all steps for you. The audit log has an entry for each submission.`,
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

/** Retries one submission. Returns false if it cannot be judged again, so that it does not hold up the others. */
async function isRetried(ctx: AdminCtx, id: string, reason: string): Promise<boolean> {
	try {
		return (await retryTaskJob(ctx, id, reason)) !== null;
	} catch (error) {
		if (error instanceof AppError) return false;
		throw error;
	}
}

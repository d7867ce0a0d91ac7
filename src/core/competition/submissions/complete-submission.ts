import { eq } from "drizzle-orm";
import * as z from "zod";
import { jobs } from "../../../db/task/schema/judging.ts";
import { AppError } from "../../../domain/errors.ts";
import { EXAMPLE_ORIGIN, ID } from "../../../domain/example-story.ts";
import { SUBMISSION_TRANSITIONS } from "../../../domain/submission-status.ts";
import { holderOf } from "../../../http/authenticate.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { idParams, nextMessage, submissionId as submissionIdView } from "../../../http/fields.ts";
import type { Ctx } from "../../../ports/deps.ts";
import { type TaskStore, taskVerb } from "../../../ports/task.ts";
import { findPayer } from "../../identity/network-caps/payer.ts";
import { commitUse } from "../../identity/network-caps/service.ts";
import { artifactObjects } from "../../judging/artifacts/artifact-index.ts";
import { signDownloadUrl } from "../../judging/artifacts/download-url.ts";
import { enqueueEvaluation } from "../judgements/jobs.ts";
import { readTask } from "../tasks/store.ts";
import { referTo } from "../tasks/stored-objects.ts";
import { ARTIFACT_DOWNLOAD_TTL_MS, newArtifactKey } from "./artifact.ts";
import { messageOfEvent } from "./rules.ts";
import { getSubmissionRow, locateSubmission, readParty, readQuota, updateSubmission } from "./store.ts";
import { status } from "./submission.ts";
import { forgetDirectUpload } from "./upload-url.ts";
import { type ArtifactCheck, type ArtifactReference, checkArtifact } from "./uploaded-artifact.ts";
import { getUploadable, readUploadable, UPLOAD_ERRORS } from "./uploads.ts";

const MESSAGE = "The artifact is accepted and its evaluation is queued. Poll the submission every 5 seconds until it has ended.";

/** How many times a request checks the artifact. If other uploads replace the artifact during every check, the request fails with 409. */
const MAX_DECISIONS = 5;

export const completeSubmission = endpoint({
	method: "post",
	path: "/api/v1/submissions/{id}/complete",
	operationId: "completeSubmission",
	summary: "Start the evaluation of an uploaded artifact",
	description: [
		"Checks the zip first. If it is broken or hostile, or has no SUBMISSION.md, the submission fails. You can complete a submission until one hour after the deadline.",
		"A missing section of SUBMISSION.md is not an error: the judge sees it, and `missing_sections` lists it.",
	].join("\n\n"),
	page: "concepts/submissions",
	tags: ["Submissions"],
	auth: "key",
	rate: "general",
	params: idParams,
	response: {
		status: 200,
		description: "The evaluation is queued.",
		schema: z.object({
			id: submissionIdView,
			status: status.describe("The new status of the submission."),
			output_url: z.url().describe("The URL for downloading the accepted artifact without a key."),
			message: nextMessage,
		}),
		carriesSecret: true,
	},
	errors: [...UPLOAD_ERRORS, "FORBIDDEN", "NO_UPLOAD_FOUND", "BAD_REQUEST", "FILE_TOO_LARGE", "MISSING_SUBMISSION_MD", "CONFLICT"],
	examples: {
		params: { id: ID.uploadedSubmission },
		responses: {
			queued: {
				value: {
					id: ID.uploadedSubmission,
					status: "running",
					output_url: `${EXAMPLE_ORIGIN}/api/v1/submissions/${ID.uploadedSubmission}/artifact?expires=1796290800000&signature=4e07408562bedb8b60ce05c1decfe3ad`,
					message: MESSAGE,
				},
			},
		},
	},

	async handle(ctx, { params: { id: submissionId } }) {
		const taskId = await locateSubmission(ctx, submissionId);
		for (let decision = 1; decision <= MAX_DECISIONS; decision += 1) {
			const artifact = await tryToComplete(ctx, taskId, submissionId);
			if (artifact === null) continue;
			forgetDirectUpload(ctx, submissionId);
			const expiresAt = ctx.clock.now() + ARTIFACT_DOWNLOAD_TTL_MS;
			const { artifactKey } = artifact;
			return {
				id: submissionId,
				status: SUBMISSION_TRANSITIONS.complete.to,
				output_url: await signDownloadUrl(ctx, { origin: ctx.baseUrl, submissionId, artifactKey, expiresAt, holder: holderOf(ctx) }),
				message: MESSAGE,
			};
		}
		throw new AppError("CONFLICT", {
			message:
				"Another upload replaced the artifact while it was being checked. Complete the submission again when your last upload has finished.",
		});
	},
});

/** What a request decides after checking an artifact. If another upload has replaced that artifact by now, the decision has no effect. */
interface UploadDecision {
	readonly id: string;
	readonly by: string;
	/** The key of the artifact that was checked. Null for a direct upload to the bucket. */
	readonly seenKey: string | null;
}

/** Returns the artifact that will be evaluated, or null if another upload has replaced it. */
async function tryToComplete(ctx: Ctx, taskId: string, id: string): Promise<ArtifactReference | null> {
	const by = ctx.actor.agentId;
	const readState = () => readUploadable(ctx, taskId, { id, by });
	const seen = await readState();
	const decision = { id, by, seenKey: seen.artifactKey };
	const newKey = newArtifactKey(ctx, taskId, id);
	const checked = await checkArtifact(ctx, { id, newKey, ...seen });
	// The objects to delete if the submission does not end up referring to this copy of a direct upload.
	const copies = seen.artifactKey === null ? artifactObjects(newKey) : [];
	if (checked.kind === "gone") {
		if ((await readState()).artifactKey !== seen.artifactKey) return null;
		throw new AppError("NO_UPLOAD_FOUND");
	}
	if (checked.kind === "bad") return refuse(ctx, taskId, { ...decision, ...checked, copies });
	const { artifact, missingSections } = checked;
	// A direct upload whose size was announced has been counted already, before its URL was signed.
	const bytes = seen.artifactKey === null && seen.announcedBytes === null ? (artifact.artifactBytes ?? 0) : 0;
	const { ofDay: payer } = await findPayer(ctx, taskId);
	const input = { ...decision, jobId: ctx.ids.next(), artifact, missingSections, payer };
	const isCompleted = await referTo(ctx, copies, async () => {
		await commitUse(ctx, { agentId: by, kind: "bytes", amount: bytes });
		return completeWork(ctx, taskId, input);
	});
	if (!isCompleted && copies.length > 0) ctx.background(ctx.bucket.delete(copies));
	return isCompleted ? artifact : null;
}

/**
 * Ends the submission as failed with the message of an error. Returns null if another upload has replaced the artifact.
 *
 * @throws AppError The same error, with the number of submissions that the agent has left.
 */
async function refuse(
	ctx: Ctx,
	taskId: string,
	{ refusal, artifact, id, by, seenKey, copies }: UploadDecision & ArtifactCheck & { kind: "bad"; readonly copies: string[] },
): Promise<null> {
	const input = { id, by, seenKey, artifact, errorMessage: refusal.message };
	const quota = await referTo(ctx, copies, () => refuseArtifact(ctx, taskId, input));
	if (quota === null) {
		if (copies.length > 0) ctx.background(ctx.bucket.delete(copies));
		return null;
	}
	forgetDirectUpload(ctx, id);
	const quotaSentence = `You have ${quota.remaining} of ${quota.limit} submissions left on this task.`;
	throw new AppError(refusal.code, { ...refusal.facts, message: `${refusal.message} ${quotaSentence}` });
}

/** Queues the evaluation of an artifact. Returns false if another upload has replaced the artifact since it was checked. */
const completeWork = taskVerb(
	"completeWork",
	(
		store,
		{
			jobId,
			artifact,
			missingSections,
			payer,
			...decision
		}: UploadDecision & {
			readonly jobId: string;
			readonly artifact: ArtifactReference;
			readonly missingSections: string[];
			/** The name, in the daily ledger, of the payer of the evaluation. */
			readonly payer: string;
		},
	) => {
		const queuedJob = store.db.select({ id: jobs.id }).from(jobs).where(eq(jobs.id, jobId)).get();
		if (queuedJob !== undefined || isAdopted(store, decision, artifact)) return true;
		const { task, submission } = getUploadable(store, decision);
		if (submission.artifactKey !== decision.seenKey) return false;
		const { id, agentId } = submission;
		const iteration = submission.iteration + 1;
		const status = SUBMISSION_TRANSITIONS.complete.to;
		updateSubmission(store, id, { ...artifact, status, missingSections, iteration, handedInAt: store.now });
		const job = { id: jobId, submissionId: id, party: readParty(store, agentId), iteration, round: "submission" } as const;
		enqueueEvaluation(store, task, { ...job, fund: "agents", payer });
		store.record({ type: "submission.running", taskId: task.id, submissionId: id, agentId });
		return true;
	},
);

/** Ends a submission as failed. Returns the agent's quota, or null if another upload has replaced the artifact. */
const refuseArtifact = taskVerb(
	"refuseArtifact",
	(
		store,
		{
			artifact,
			errorMessage,
			...decision
		}: UploadDecision & { readonly artifact: ArtifactReference | null; readonly errorMessage: string },
	) => {
		if (isAdopted(store, decision, artifact)) return readQuota(store, readTask(store), decision.by);
		const { task, submission } = getUploadable(store, decision);
		if (submission.artifactKey !== decision.seenKey) return null;
		const { id, agentId } = submission;
		const status = SUBMISSION_TRANSITIONS.refuseArtifact.to;
		updateSubmission(store, id, { ...artifact, errorMessage, failure: "artifact", status });
		const told = messageOfEvent(task, "artifact", errorMessage);
		store.record({ type: "submission.failed", taskId: task.id, submissionId: id, agentId, errorMessage: told });
		return readQuota(store, task, agentId);
	},
);

/** Returns true if an earlier call of the same request has already adopted the copy of a direct upload, which is therefore in use. */
function isAdopted(store: TaskStore, { id, seenKey }: UploadDecision, artifact: ArtifactReference | null): boolean {
	return artifact !== null && artifact.artifactKey !== seenKey && artifact.artifactKey === getSubmissionRow(store, id).artifactKey;
}

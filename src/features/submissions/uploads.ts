// The verbs of the upload mode: register, upload, complete. Contract: "Upload-mode rules".
import { commit, decideAndCommit } from "../../db/commit.ts";
import { AppError } from "../../domain/errors.ts";
import { SUBMISSION_TRANSITIONS } from "../../domain/submission-status.ts";
import { recordEvents } from "../../events/outbox.ts";
import { contentDisposition, serveStoredBytes } from "../../http/stored-bytes.ts";
import { toIso } from "../../platform/clock.ts";
import type { Ctx, PublicCtx, SignedCtx } from "../../ports/deps.ts";
import { signDownloadUrl } from "../artifacts/download-url.ts";
import { inspectArtifact } from "../artifacts/inspect.ts";
import { ArchiveFault } from "../artifacts/policy.ts";
import { ObjectGoneError } from "../artifacts/range-reader.ts";
import { describeMissingSubmissionMd } from "../artifacts/rules.ts";
import {
	adoptDirectUpload,
	artifactObjects,
	DOWNLOAD_URL_TTL_MS,
	forgetDirectUpload,
	hasDirectUpload,
	newArtifactKey,
	signUploadUrl,
	storeUpload,
	type UploadedArtifact,
} from "../competition/submissions/artifact-store.ts";
import { assertTakesArtifact, uploadDeadline } from "../competition/submissions/rules.ts";
import { viewCompleteStep } from "../competition/submissions/views.ts";
import { enqueueEvaluation, newEvaluationJob } from "../evaluation/service.ts";
import { countForNetwork } from "../network-caps/service.ts";
import { decideWithObject } from "../stored-objects/service.ts";
import { quotaOf } from "../tasks/rules.ts";
import { assertMaySubmit, commitSubmission, readSubmitState } from "./register.ts";
import { submissionNotFound } from "./service.ts";
import * as statements from "./statements.ts";
import * as store from "./store.ts";

/** Registers a submission, uses a slot, and returns the upload URL for its artifact. */
export async function createSubmission(
	ctx: Ctx,
	taskId: string,
	{ agent_display_name }: { agent_display_name?: string | null | undefined },
) {
	const submissionId = ctx.ids.next();
	return decideAndCommit(ctx.db, async () => {
		const now = ctx.clock.now();
		const state = await readSubmitState(ctx, taskId);
		await assertMaySubmit(ctx, state);
		const row = {
			id: submissionId,
			taskId,
			agentId: ctx.actor.agentId,
			status: SUBMISSION_TRANSITIONS.register.to,
			agentDisplayName: agent_display_name ?? ctx.actor.displayName,
			createdAt: now,
			updatedAt: now,
		};
		const quota = await commitSubmission(ctx, state, { row });
		const upload = await signUploadUrl(ctx, submissionId, uploadDeadline(state.task));
		return {
			id: row.id,
			task_id: taskId,
			agent_id: row.agentId,
			status: row.status,
			agent_display_name: row.agentDisplayName,
			created_at: toIso(now),
			quota,
			upload_url: upload.url,
			upload_token: upload.token,
			upload_expires_at: toIso(upload.expiresAt),
		};
	});
}

/** A new upload URL for a submission without an artifact. */
export async function refreshUploadUrl(ctx: Ctx, submissionId: string) {
	const state = await readOwnSubmission(ctx, submissionId);
	assertTakesArtifact(state, ctx.clock.now());
	if (state.submission.artifactKey !== null || (await hasDirectUpload(ctx, submissionId))) throw new AppError("ALREADY_UPLOADED");
	const upload = await signUploadUrl(ctx, submissionId, uploadDeadline(state.task));
	return {
		submission_id: submissionId,
		upload_url: upload.url,
		upload_token: upload.token,
		upload_path: upload.path,
		upload_expires_at: toIso(upload.expiresAt),
	};
}

/**
 * Reads a submission that the caller may change: its own.
 *
 * @throws AppError `NOT_FOUND` for strangers, `FORBIDDEN` for the task's owner.
 */
async function readOwnSubmission(ctx: Ctx, submissionId: string): Promise<store.SubmissionState> {
	const state = await store.findSubmissionState(ctx, submissionId);
	if (state === null) throw submissionNotFound();
	if (state.submission.agentId === ctx.actor.agentId) return state;
	if (state.task.companyId !== ctx.actor.agentId) throw submissionNotFound();
	throw new AppError("FORBIDDEN", { message: "Only the agent that made the submission may do this." });
}

/** Stores an artifact for the agent that made the submission. */
export async function uploadArtifact(ctx: Ctx, submissionId: string, request: Request) {
	const state = await readOwnSubmission(ctx, submissionId);
	return storeArtifact(ctx, state, request);
}

/** Stores an artifact for the holder of a signed URL. */
export async function uploadToSignedUrl(ctx: SignedCtx, submissionId: string, request: Request) {
	const state = await store.findSubmissionState(ctx, submissionId);
	if (state === null) throw submissionNotFound();
	return storeArtifact(ctx, state, request);
}

/** Stores an upload as a new object. The row refers to the last one, and the one before it is deleted. */
async function storeArtifact(ctx: PublicCtx, { submission, task }: store.SubmissionState, request: Request) {
	assertTakesArtifact({ submission, task }, ctx.clock.now());
	const key = newArtifactKey(ctx, submission.id);
	const object = { of: artifactObjects, key, store: () => storeUpload(ctx, key, request) };
	const { artifact, replacedKey } = await decideWithObject(ctx, object, async ({ put }) => {
		const stored = await put();
		return { artifact: stored, replacedKey: await recordArtifact(ctx, submission.id, stored) };
	});
	if (replacedKey !== null) ctx.background(ctx.bucket.delete(replacedKey));
	const nextStep = viewCompleteStep(ctx.baseUrl, submission.id);
	return {
		id: submission.id,
		submission_id: submission.id,
		status: submission.status,
		bytes: artifact.bytes,
		sha256: artifact.sha256,
		next_step: nextStep,
		message: `The artifact is stored. ${nextStep.method} ${nextStep.href} starts its evaluation.`,
	};
}

async function recordArtifact(ctx: PublicCtx, submissionId: string, artifact: UploadedArtifact): Promise<string | null> {
	const state = await store.findSubmissionState(ctx, submissionId);
	if (state === null) throw submissionNotFound();
	assertTakesArtifact(state, ctx.clock.now());
	const change = { artifactKey: artifact.key, artifactBytes: artifact.bytes, artifactSha256: artifact.sha256 };
	const counted = await countForNetwork(ctx, state.submission.agentId, { bytes: artifact.bytes });
	await commit(ctx.db, [statements.guardState(ctx, state), statements.updateSubmission(ctx, submissionId, change), ...counted]);
	return state.submission.artifactKey;
}

/** Checks the artifact and starts the evaluation, or ends the submission as failed with the reason. */
export function completeSubmission(ctx: Ctx, submissionId: string) {
	return decideAndCommit(ctx.db, async () => {
		const state = await readOwnSubmission(ctx, submissionId);
		assertTakesArtifact(state, ctx.clock.now());
		const artifact = await findArtifact(ctx, state);
		if (artifact === null) throw new AppError("NO_UPLOAD_FOUND");
		const missingSections = await inspectOrFail(ctx, state, artifact);
		const iteration = state.submission.iteration + 1;
		// A direct upload to the bucket has not been counted yet.
		const bytes = state.submission.artifactKey === null ? (artifact.artifactBytes ?? 0) : 0;
		const job = newEvaluationJob(ctx, { submissionId, iteration, round: "submission", task: state.task });
		await commit(ctx.db, [
			statements.guardState(ctx, state),
			statements.updateSubmission(ctx, submissionId, {
				...artifact,
				status: SUBMISSION_TRANSITIONS.complete.to,
				missingSections,
				iteration,
				handedInAt: ctx.clock.now(),
			}),
			job.statement,
			...(await countForNetwork(ctx, ctx.actor.agentId, { bytes, evaluations: 1 })),
			recordEvents(ctx, [{ type: "submission.running", taskId: state.task.id, submissionId, agentId: state.submission.agentId }]),
		]);
		forgetDirectUpload(ctx, submissionId);
		ctx.background(enqueueEvaluation(ctx, job.id));
		const { artifactKey } = artifact;
		const expiresAt = ctx.clock.now() + DOWNLOAD_URL_TTL_MS;
		const outputUrl = await signDownloadUrl(ctx, { origin: ctx.baseUrl, submissionId, artifactKey, expiresAt });
		return {
			id: submissionId,
			status: SUBMISSION_TRANSITIONS.complete.to,
			output_url: outputUrl,
			message: "The artifact is accepted and its evaluation is queued. Poll the submission every 5 seconds until it has ended.",
		};
	});
}

interface FoundArtifact {
	readonly artifactKey: string;
	readonly artifactBytes: number | null;
}

/** The artifact that was stored through this service, else one that was uploaded directly to the bucket. */
async function findArtifact(ctx: Ctx, state: store.SubmissionState): Promise<FoundArtifact | null> {
	const { submission } = state;
	if (submission.artifactKey !== null) return { artifactKey: submission.artifactKey, artifactBytes: submission.artifactBytes };
	try {
		const adopted = await adoptDirectUpload(ctx, submission.id);
		return adopted === null ? null : { artifactKey: adopted.key, artifactBytes: adopted.bytes };
	} catch (error) {
		// A direct upload to the bucket can have any size, so the limit is enforced here.
		if (error instanceof AppError) await failSubmission(ctx, state, { errorMessage: error.message });
		throw error;
	}
}

async function inspectOrFail(ctx: Ctx, state: store.SubmissionState, artifact: FoundArtifact): Promise<string[]> {
	let paths: readonly string[] = [];
	try {
		const inspection = await inspectArtifact(ctx, artifact.artifactKey);
		if (inspection.missingSections !== null) return inspection.missingSections;
		paths = inspection.paths;
	} catch (error) {
		if (error instanceof ObjectGoneError) {
			// Another upload may have replaced it in the meantime; then the verb decides again.
			await commit(ctx.db, [statements.guardState(ctx, state)]);
			throw new AppError("NO_UPLOAD_FOUND", { cause: error });
		}
		if (!(error instanceof ArchiveFault)) throw error;
		throw await refuseArtifact(ctx, state, { artifact, refusal: new AppError("BAD_REQUEST", { message: error.message, cause: error }) });
	}
	const refusal = new AppError("MISSING_SUBMISSION_MD", { message: describeMissingSubmissionMd(paths) });
	throw await refuseArtifact(ctx, state, { artifact, refusal });
}

/** Ends the submission as failed with the message of a refusal. Returns the refusal, which also says what the agent has left. */
async function refuseArtifact(
	ctx: Ctx,
	state: store.SubmissionState,
	{ artifact, refusal }: { artifact: FoundArtifact; refusal: AppError },
): Promise<AppError> {
	await failSubmission(ctx, state, { ...artifact, errorMessage: refusal.message });
	const shown = await store.findSubmission(ctx, state.submission.id);
	const { remaining, limit } = quotaOf(shown?.quotaUsed ?? 0, state.task.maxSubmissionsPerAgent);
	return new AppError(refusal.code, {
		...refusal.facts,
		message: `${refusal.message} You have ${remaining} of ${limit} submissions left on this task.`,
	});
}

async function failSubmission(
	ctx: Ctx,
	state: store.SubmissionState,
	end: Partial<FoundArtifact> & { readonly errorMessage: string },
): Promise<void> {
	const { id: submissionId, taskId, agentId } = state.submission;
	await commit(ctx.db, [
		statements.guardState(ctx, state),
		statements.updateSubmission(ctx, submissionId, { ...end, failure: "artifact", status: SUBMISSION_TRANSITIONS.refuseArtifact.to }),
		recordEvents(ctx, [{ type: "submission.failed", taskId, submissionId, agentId, errorMessage: end.errorMessage }]),
	]);
	forgetDirectUpload(ctx, submissionId);
}

/** The artifact's bytes for the holder of a signed URL. */
export async function downloadArtifact(ctx: SignedCtx, submissionId: string): Promise<Response> {
	const state = await store.findSubmissionState(ctx, submissionId);
	const key = state?.submission.artifactKey ?? null;
	const object = key === null ? null : await ctx.bucket.get(key);
	if (object === null) throw new AppError("NOT_FOUND", { message: "The submission has no artifact." });
	return serveStoredBytes({
		body: object.body,
		sizeBytes: object.size,
		etag: object.httpEtag,
		contentType: "application/zip",
		contentDisposition: contentDisposition(`${submissionId}.zip`),
	});
}

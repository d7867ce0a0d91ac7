// The artifact of a registered submission: it is uploaded with a key or to a signed URL, and downloaded from a signed URL.
import { AppError } from "../../../domain/errors.ts";
import { contentDisposition, serveStoredBytes } from "../../../http/stored-bytes.ts";
import { toIso } from "../../../platform/clock.ts";
import type { Ctx, Deps, PublicCtx, SignedCtx } from "../../../ports/deps.ts";
import { type TaskStore, taskVerb } from "../../../ports/task.ts";
import { submissionOfPath } from "../../judging/artifacts/download-url.ts";
import { readTask } from "../tasks/store.ts";
import { hasDirectUpload, signUploadUrl, storeUpload } from "./artifact-store.ts";
import { newArtifactKey, type StoredArtifact, unlessUnused } from "./artifacts.ts";
import { whileCounted } from "./reservations.ts";
import { assertTakesArtifact, uploadDeadline } from "./rules.ts";
import { getOwnSubmission, getSubmission, locateSubmission, updateSubmission } from "./store.ts";
import { viewCompleteStep } from "./views.ts";

export interface Uploaded {
	readonly id: string;
	/** The agent that asks; null for the holder of a signed URL. */
	readonly by: string | null;
}

/**
 * A submission whose artifact may still change.
 *
 * @throws AppError `NOT_FOUND`, `FORBIDDEN`, `TASK_CLOSED`, `WRONG_STATUS`, `DEADLINE_PASSED`.
 */
export function getUploadable(store: TaskStore, { id, by }: Uploaded) {
	const found = by === null ? { task: readTask(store), submission: getSubmission(store, id) } : getOwnSubmission(store, id, by);
	assertTakesArtifact(found, store.now);
	return found;
}

/** What an upload or its completion depends on. */
export const readUploadable = taskVerb("readUploadable", (store, input: Uploaded) => {
	const { task, submission } = getUploadable(store, input);
	const { agentId, artifactKey, artifactBytes } = submission;
	return { agentId, artifactKey, artifactBytes, endsAt: uploadDeadline(task) };
});

/** Makes a stored object the submission's artifact. Returns the key of the one that it replaces. */
export const recordArtifact = taskVerb("recordArtifact", (store, { artifact, ...input }: Uploaded & { artifact: StoredArtifact }) => {
	const known = getSubmission(store, input.id);
	// A repeated call must not be refused, because its object is in use.
	if (known.artifactKey === artifact.key) return { status: known.status, replacedKey: null };
	const { submission } = getUploadable(store, input);
	updateSubmission(store, input.id, { artifactKey: artifact.key, artifactBytes: artifact.bytes, artifactSha256: artifact.sha256 });
	return { status: submission.status, replacedKey: submission.artifactKey };
});

/** Stores an artifact for the agent that made the submission. */
export function uploadArtifact(ctx: Ctx, submissionId: string, request: Request) {
	return storeArtifact(ctx, { id: submissionId, by: ctx.actor.agentId }, request);
}

/** Stores an artifact for the holder of a signed URL. */
export function uploadToSignedUrl(ctx: SignedCtx, submissionId: string, request: Request) {
	return storeArtifact(ctx, { id: submissionId, by: null }, request);
}

/** Stores an upload as a new object. The submission refers to the last one, and the one before it is deleted. */
async function storeArtifact(ctx: PublicCtx, uploaded: Uploaded, request: Request) {
	const { id } = uploaded;
	const taskId = await locateSubmission(ctx, id);
	const { agentId } = await ctx.hubs.callTask(taskId, readUploadable, { input: uploaded, now: ctx.clock.now() });
	const artifact = await storeUpload(ctx, newArtifactKey(ctx, taskId, id), request);
	const record = () => ctx.hubs.callTask(taskId, recordArtifact, { input: { ...uploaded, artifact }, now: ctx.clock.now() });
	const { status, replacedKey } = await unlessUnused(ctx, {
		call: () => whileCounted(ctx, { agentId, bytes: artifact.bytes }, { call: record }),
		undo: () => ctx.bucket.delete(artifact.key),
	});
	if (replacedKey !== null) ctx.background(ctx.bucket.delete(replacedKey));
	const nextStep = viewCompleteStep(ctx.baseUrl, id);
	return {
		id,
		submission_id: id,
		status,
		bytes: artifact.bytes,
		sha256: artifact.sha256,
		next_step: nextStep,
		message: `The artifact is stored. ${nextStep.method} ${nextStep.href} starts its evaluation.`,
	};
}

/** A new upload URL for a submission without an artifact. */
export async function refreshUploadUrl(ctx: Ctx, id: string) {
	const input = { id, by: ctx.actor.agentId };
	const { artifactKey, endsAt } = await ctx.hubs.callTask(await locateSubmission(ctx, id), readUploadable, { input, now: ctx.clock.now() });
	if (artifactKey !== null || (await hasDirectUpload(ctx, id))) throw new AppError("ALREADY_UPLOADED");
	const upload = await signUploadUrl(ctx, id, endsAt);
	return {
		submission_id: id,
		upload_url: upload.url,
		upload_token: upload.token,
		upload_path: upload.path,
		upload_expires_at: toIso(upload.expiresAt),
	};
}

export const readArtifactKey = taskVerb("readArtifactKey", (task, { id }: { id: string }) => getSubmission(task, id).artifactKey);

/** The artifact's bytes for the holder of a signed URL. */
export async function downloadArtifact(ctx: SignedCtx, id: string): Promise<Response> {
	const taskId = await ctx.locate(id);
	const key = taskId === null ? null : await ctx.hubs.callTask(taskId, readArtifactKey, { input: { id }, now: ctx.clock.now() });
	const object = key === null ? null : await ctx.bucket.get(key);
	if (object === null) throw new AppError("NOT_FOUND", { message: "The submission has no artifact." });
	return serveStoredBytes({
		body: object.body,
		sizeBytes: object.size,
		etag: object.httpEtag,
		contentType: "application/zip",
		contentDisposition: contentDisposition(`${id}.zip`),
	});
}

export const readUploadEnd = taskVerb("readUploadEnd", (task, _: null) => uploadDeadline(readTask(task)));

/** Until when a submission's signed path accepts its artifact, in milliseconds since the epoch; null for other paths. */
export async function findUploadEnd(deps: Deps, path: string): Promise<number | null> {
	const id = submissionOfPath(path);
	const taskId = id === null ? null : await deps.locate(id);
	return taskId === null ? null : deps.hubs.callTask(taskId, readUploadEnd, { input: null, now: deps.clock.now() });
}

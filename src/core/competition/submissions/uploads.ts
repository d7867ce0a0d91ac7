// Receives uploads of an artifact through this service, with a key or to a signed URL.
import * as z from "zod";
import { AppError } from "../../../domain/errors.ts";
import { ID } from "../../../domain/example-story.ts";
import { count, nextMessage, sha256, submissionId } from "../../../http/fields.ts";
import { FORM_OVERHEAD_BYTES, readMultipartFile } from "../../../http/multipart.ts";
import { announcedLengthOf, bodyTooLarge, limitChunks, readChunks } from "../../../http/raw-body.ts";
import { PART_BYTES, writeBlob } from "../../../platform/blob-writer.ts";
import type { Clock } from "../../../platform/clock.ts";
import type { PublicCtx } from "../../../ports/deps.ts";
import { type TaskStore, taskVerb } from "../../../ports/task.ts";
import { commitUse } from "../../identity/network-caps/service.ts";
import { artifactObjects } from "../../judging/artifacts/artifact-index.ts";
import { MAX_ARTIFACT_BYTES } from "../../judging/artifacts/rules.ts";
import { readTask } from "../tasks/store.ts";
import { referTo } from "../tasks/stored-objects.ts";
import { newArtifactKey, type StoredArtifact } from "./artifact.ts";
import { assertTakesArtifact, uploadDeadline } from "./rules.ts";
import { getOwnSubmission, getSubmissionRow, locateSubmission, updateSubmission } from "./store.ts";
import { exampleCompleteStep, nextStepView, status, viewCompleteStep } from "./submission.ts";

/** Errors for an upload if the submission does not exist, its status is not `registered`, or its time has run out. */
export const UPLOAD_ERRORS = ["NOT_FOUND", "TASK_CLOSED", "WRONG_STATUS", "DEADLINE_PASSED"] as const;
export const STORE_ERRORS = [
	...UPLOAD_ERRORS,
	...(["FILE_TOO_LARGE", "UNSUPPORTED_FILE_TYPE", "VALIDATION_ERROR", "BAD_REQUEST", "CONFLICT"] as const),
] as const;

export const artifactBody = {
	contentTypes: ["application/octet-stream", "application/zip", "multipart/form-data"],
	description: "The zip itself, or a form with the zip in the field `file`. At most 100 MB, and not empty.",
	form: {
		schema: z.object({
			file: z.string().meta({ format: "binary", description: "The zip, with SUBMISSION.md at its root. At most 100 MB." }),
		}),
		contentTypes: { file: "application/zip, application/octet-stream" },
	},
};

export const storedArtifact = z
	.object({
		id: submissionId,
		submission_id: submissionId.describe("The same as `id`."),
		status: status.describe("Always `registered`: the submission must still be completed."),
		bytes: count.describe("Size of the artifact in bytes."),
		sha256: sha256.describe("SHA-256 of the artifact, in lower-case hex."),
		next_step: nextStepView.describe("The request that completes the submission, which starts its evaluation."),
		message: nextMessage,
	})
	.meta({ id: "StoredArtifact", description: "An artifact that the platform has stored." });

export const exampleStored = {
	id: ID.uploadedSubmission,
	submission_id: ID.uploadedSubmission,
	status: "registered",
	bytes: 482_113,
	sha256: "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae",
	next_step: exampleCompleteStep,
	message: `The artifact is stored. POST ${exampleCompleteStep.href} starts its evaluation.`,
} as const;

/** An upload to a submission, and the agent that sends it. */
export interface Upload {
	readonly id: string;
	/** The agent that sends the upload. Null if the upload uses a signed URL. */
	readonly by: string | null;
}

/** Stores an upload as a new object, makes the submission refer to it, and deletes the previous object. */
export async function storeArtifact(ctx: PublicCtx, upload: Upload, request: Request): Promise<z.output<typeof storedArtifact>> {
	const { id } = upload;
	const taskId = await locateSubmission(ctx, id);
	const { agentId } = await readUploadable(ctx, taskId, upload);
	const artifact = await writeUpload(ctx, newArtifactKey(ctx, taskId, id), request);
	const { status, replacedKey } = await referTo(ctx, artifactObjects(artifact.key), async () => {
		await commitUse(ctx, { agentId, kind: "bytes", amount: artifact.bytes });
		return recordArtifact(ctx, taskId, { ...upload, artifact });
	});
	if (replacedKey !== null) ctx.background(ctx.bucket.delete(artifactObjects(replacedKey)));
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

/** Reads the state that an upload, its URL or its completion depends on. */
export const readUploadable = taskVerb("readUploadable", (store, input: Upload) => {
	const { task, submission } = getUploadable(store, input);
	const { agentId, artifactKey, artifactBytes, announcedBytes } = submission;
	return { agentId, artifactKey, artifactBytes, announcedBytes, endsAt: uploadDeadline(task), clockOffsetMs: task.clockOffsetMs };
});

/** Makes a stored object the submission's artifact. Returns the key of the object that it replaces. */
const recordArtifact = taskVerb("recordArtifact", (store, { artifact, ...input }: Upload & { artifact: StoredArtifact }) => {
	const row = getSubmissionRow(store, input.id);
	// A repeated call must not be rejected, because its object would then be deleted although the submission refers to it.
	if (row.artifactKey === artifact.key) return { status: row.status, replacedKey: null };
	const { submission } = getUploadable(store, input);
	updateSubmission(store, input.id, { artifactKey: artifact.key, artifactBytes: artifact.bytes, artifactSha256: artifact.sha256 });
	return { status: submission.status, replacedKey: submission.artifactKey };
});

/**
 * Returns a submission whose artifact may still change.
 *
 * @throws AppError `NOT_FOUND`, `FORBIDDEN`, `TASK_CLOSED`, `WRONG_STATUS`, `DEADLINE_PASSED`.
 */
export function getUploadable(store: TaskStore, { id, by }: Upload) {
	const pair = by === null ? { task: readTask(store), submission: getSubmissionRow(store, id) } : getOwnSubmission(store, id, by);
	assertTakesArtifact(pair, store.now);
	return pair;
}

/**
 * Streams a request's body, which is a form with the field `file` or the bytes themselves, into the object with this key.
 *
 * @throws AppError `FILE_TOO_LARGE`, `UNSUPPORTED_FILE_TYPE`, `VALIDATION_ERROR`, `BAD_REQUEST`, including for an empty body. After an
 * error, nothing is stored.
 */
async function writeUpload({ bucket, clock }: PublicCtx, key: string, request: Request): Promise<StoredArtifact> {
	const { chunks, length } = await openBody(request, clock);
	return { key, ...(await writeBlob(refuseEmpty(chunks), { bucket, key, contentType: "application/zip", length })) };
}

/** Rejects an empty body, because an empty artifact would make its submission fail for good. */
async function* refuseEmpty(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
	let isEmpty = true;
	for await (const chunk of chunks) {
		isEmpty &&= chunk.byteLength === 0;
		yield chunk;
	}
	if (isEmpty) throw new AppError("BAD_REQUEST", { message: "The artifact is empty, so nothing was stored. Send the bytes of the zip." });
}

/**
 * Opens a body as chunks with their total length. The length is null if it is known only at the end. If so, part of the body is kept in
 * memory, and the body must arrive within a time limit.
 */
async function openBody(request: Request, clock: Clock): Promise<{ chunks: AsyncIterable<Uint8Array>; length: number | null }> {
	const contentType = request.headers.get("Content-Type")?.split(";")[0]?.trim().toLowerCase() ?? "";
	if (contentType === "multipart/form-data") {
		const body = readChunks(request, MAX_ARTIFACT_BYTES, { overheadBytes: FORM_OVERHEAD_BYTES, clock, heldBytes: PART_BYTES });
		const file = await readMultipartFile(body, request.headers.get("Content-Type") ?? "");
		const chunks = limitChunks(file, MAX_ARTIFACT_BYTES, () => bodyTooLarge(MAX_ARTIFACT_BYTES, "The artifact"));
		return { chunks, length: null };
	}
	if (["application/octet-stream", "application/zip", "application/x-zip-compressed", ""].includes(contentType)) {
		const length = announcedLengthOf(request);
		return {
			chunks: readChunks(request, MAX_ARTIFACT_BYTES, { clock: length === null ? clock : undefined, heldBytes: PART_BYTES }),
			length,
		};
	}
	throw new AppError("UNSUPPORTED_FILE_TYPE", {
		message: "Send the zip as application/octet-stream or application/zip, or as the field file of a multipart form.",
	});
}

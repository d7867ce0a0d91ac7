// Signs URLs for uploading an artifact without a key, and adopts artifacts that were uploaded directly to the bucket.
import * as z from "zod";
import { AT, EXAMPLE_ORIGIN, ID } from "../../../domain/example-story.ts";
import { timeOfTask } from "../../../domain/task-time.ts";
import { holderOf } from "../../../http/authenticate.ts";
import { LAST_INSTANT_MS, timestamp } from "../../../http/fields.ts";
import { bodyTooLarge } from "../../../http/raw-body.ts";
import { toIso } from "../../../platform/clock.ts";
import { signUrl } from "../../../platform/signed-url.ts";
import type { PublicCtx } from "../../../ports/deps.ts";
import { artifactPath } from "../../judging/artifacts/download-url.ts";
import { MAX_ARTIFACT_BYTES } from "../../judging/artifacts/rules.ts";

const url = z.url().describe("PUT the zip to this URL, without an Authorization header.");

export const uploadUrlFields = {
	upload_url: url,
	upload_token: z.string().describe("The query string of `upload_url`, which makes the URL work without a key."),
	upload_expires_at: timestamp.describe(
		"When `upload_url` stops working: one hour after the task's deadline at the latest. On a test task, compare it with the task's `clock`.",
	),
};

export const resumeView = z
	.object({
		url,
		token: z.string().describe("The query string of `url`, which makes the URL work without a key."),
		path: z.string().describe("The path of `url`."),
		expires_at: timestamp.describe("When `url` stops working. On a test task, compare it with the task's `clock`."),
	})
	.meta({ id: "Resume", description: "How to upload the artifact of a registered submission." });

/** The field in the body of requests for an upload URL. */
export const sizeInput = z
	.int()
	.min(1)
	.max(MAX_ARTIFACT_BYTES)
	.nullish()
	.describe(
		"Size of the zip in bytes. If you send it and the deployment has direct uploads, `upload_url` points to the storage, which accepts exactly this number of bytes.",
	);

const path = `/api/v1/submissions/${ID.uploadedSubmission}/artifact`;
const token = "expires=1796756400000&max_bytes=104857600&signature=9b74c9897bac770ffc029102a200c5de";

export const exampleResume = { url: `${EXAMPLE_ORIGIN}${path}?${token}`, token, path, expires_at: AT.uploadExpires };
export const exampleUploadUrl = { upload_url: exampleResume.url, upload_token: token, upload_expires_at: AT.uploadExpires };

/**
 * Signs a URL to PUT a submission's artifact to. If direct uploads are configured and the agent announces the size, the URL points to the
 * bucket, which enforces the size. Otherwise it points to this service, which counts the bytes.
 */
export async function signUploadUrl(
	ctx: PublicCtx,
	{
		submissionId,
		expiresAt: endsAt,
		clockOffsetMs,
		announcedBytes,
	}: {
		readonly submissionId: string;
		/**
		 * When the URL should expire by the task's clock, in milliseconds since the epoch. URLs of the bucket last at most a week. After that,
		 * the agent must request a new one.
		 */
		readonly expiresAt: number;
		/** How many milliseconds the task's clock is ahead of real time, which the bucket uses. */
		readonly clockOffsetMs: number;
		/** The size that the agent announced for the zip. Null if the agent announced none. */
		readonly announcedBytes: number | null;
	},
): Promise<z.output<typeof resumeView>> {
	const expiresAt = Math.min(endsAt, LAST_INSTANT_MS);
	if (ctx.directTransfers !== null && announcedBytes !== null) {
		const now = timeOfTask({ clockOffsetMs }, ctx.clock.now());
		const options = { ttlMs: expiresAt - now, bytes: announcedBytes };
		const { url, token, path, ttlMs } = await ctx.directTransfers.presignPut(directUploadKey(submissionId), options);
		return { url, token, path, expires_at: toIso(Math.min(expiresAt, now + ttlMs)) };
	}
	const path = artifactPath(submissionId);
	const token = await signUrl(ctx.config.keys, { method: "PUT", path, expiresAt, maxBytes: MAX_ARTIFACT_BYTES, holder: holderOf(ctx) });
	return { url: `${ctx.baseUrl}${path}?${token}`, token, path, expires_at: toIso(expiresAt) };
}

/**
 * Returns how many bytes to count for the agent's network in advance. Only direct uploads are counted in advance. Others are counted when
 * they arrive.
 */
export function bytesToCount(ctx: PublicCtx, announcedBytes: number | null): number {
	return ctx.directTransfers === null ? 0 : (announcedBytes ?? 0);
}

/** Returns the key of a direct upload. The agent can overwrite the object until it is adopted. */
function directUploadKey(submissionId: string): string {
	return `uploads/${submissionId}.zip`;
}

/** Returns true if an artifact was uploaded directly to the bucket and has not been adopted yet. */
export async function hasDirectUpload(ctx: PublicCtx, submissionId: string): Promise<boolean> {
	return (await findDirectUpload(ctx, submissionId)) !== null;
}

/** Ignores an empty object, because it is not an artifact. */
async function findDirectUpload(ctx: PublicCtx, submissionId: string): Promise<R2Object | null> {
	if (ctx.directTransfers === null) return null;
	const object = await ctx.bucket.head(directUploadKey(submissionId));
	return object === null || object.size === 0 ? null : object;
}

/**
 * Copies a direct upload to a key that no upload URL can overwrite. The original stays until {@link forgetDirectUpload}, because the caller
 * may have to adopt it again.
 *
 * @returns Null if there is no direct upload.
 * @throws AppError `FILE_TOO_LARGE`
 */
export async function adoptDirectUpload(ctx: PublicCtx, submissionId: string, key: string): Promise<{ key: string; bytes: number } | null> {
	if (ctx.directTransfers === null) return null;
	const uploaded = await findDirectUpload(ctx, submissionId);
	if (uploaded === null) return null;
	if (uploaded.size > MAX_ARTIFACT_BYTES) throw bodyTooLarge(MAX_ARTIFACT_BYTES, "The artifact");
	await ctx.directTransfers.copy(directUploadKey(submissionId), key);
	const copy = await ctx.bucket.head(key);
	if (copy === null || copy.size > MAX_ARTIFACT_BYTES) throw bodyTooLarge(MAX_ARTIFACT_BYTES, "The artifact");
	return { key, bytes: copy.size };
}

/** Deletes a direct upload in the background, once the submission refers to its copy. */
export function forgetDirectUpload(ctx: PublicCtx, submissionId: string): void {
	if (ctx.directTransfers !== null) ctx.background(ctx.bucket.delete(directUploadKey(submissionId)));
}

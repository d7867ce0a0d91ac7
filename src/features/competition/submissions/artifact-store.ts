// Stores artifacts in R2, and signs the URLs that upload and download them without a key.
import { AppError } from "../../../domain/errors.ts";
import { FORM_OVERHEAD_BYTES, readMultipartFile } from "../../../http/multipart.ts";
import { announcedLengthOf, bodyTooLarge, limitChunks, readChunks } from "../../../http/raw-body.ts";
import { writeBlob } from "../../../platform/blob-writer.ts";
import { type Clock, HOUR_MS, MINUTE_MS, toIso } from "../../../platform/clock.ts";
import { signUrl } from "../../../platform/signed-url.ts";
import type { Deps, PublicCtx } from "../../../ports/deps.ts";
import { artifactPath, signDownloadUrl } from "../../judging/artifacts/download-url.ts";
import { MAX_ARTIFACT_BYTES } from "../../judging/artifacts/rules.ts";
import type { StoredArtifact } from "./artifacts.ts";

/**
 * Streams a request's body, which is a form with the field `file` or the bytes themselves, into the object `key`.
 *
 * @throws AppError `FILE_TOO_LARGE`, `UNSUPPORTED_FILE_TYPE`, `VALIDATION_ERROR`, `BAD_REQUEST` also when it is empty; then nothing is stored.
 */
export async function storeUpload(deps: Deps, key: string, request: Request): Promise<StoredArtifact> {
	const { chunks, length } = await openBody(request, deps.clock);
	return { key, ...(await writeBlob(refuseEmpty(chunks), { bucket: deps.bucket, key, contentType: "application/zip", length })) };
}

/** An empty artifact would fail its submission for good. */
async function* refuseEmpty(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
	let isEmpty = true;
	for await (const chunk of chunks) {
		isEmpty &&= chunk.byteLength === 0;
		yield chunk;
	}
	if (isEmpty) throw new AppError("BAD_REQUEST", { message: "The artifact is empty. Nothing was stored; send the bytes of the zip." });
}

interface OpenBody {
	readonly chunks: AsyncIterable<Uint8Array>;
	/** The length of a file in a form is not known before its end. A part of what has no known length is held in memory. */
	readonly length: number | null;
}

/** Only a body of known length may take its time. */
async function openBody(request: Request, clock: Clock): Promise<OpenBody> {
	const contentType = request.headers.get("Content-Type")?.split(";")[0]?.trim().toLowerCase() ?? "";
	if (contentType === "multipart/form-data") {
		const body = readChunks(request, MAX_ARTIFACT_BYTES, { overheadBytes: FORM_OVERHEAD_BYTES, clock });
		const file = await readMultipartFile(body, request.headers.get("Content-Type") ?? "");
		const chunks = limitChunks(file, MAX_ARTIFACT_BYTES, () => bodyTooLarge(MAX_ARTIFACT_BYTES, "The artifact"));
		return { chunks, length: null };
	}
	if (["application/octet-stream", "application/zip", "application/x-zip-compressed", ""].includes(contentType)) {
		const length = announcedLengthOf(request);
		return { chunks: readChunks(request, MAX_ARTIFACT_BYTES, { clock: length === null ? clock : undefined }), length };
	}
	throw new AppError("UNSUPPORTED_FILE_TYPE", {
		message: "Send the zip as application/octet-stream or application/zip, or as the field file of a multipart form.",
	});
}

export interface SignedArtifactUrl {
	readonly url: string;
	/** Only the signed query, for clients that build the URL themselves. */
	readonly token: string;
	readonly path: string;
	/** Milliseconds since the epoch. */
	readonly expiresAt: number;
}

/**
 * Signs a URL to PUT a submission's artifact to, without a key: a URL of the bucket if that is configured, else of this service.
 *
 * @param expiresAt Milliseconds since the epoch. The bucket's URLs last a week at most; upload-url gives another one.
 */
export async function signUploadUrl(ctx: PublicCtx, submissionId: string, expiresAt: number): Promise<SignedArtifactUrl> {
	if (ctx.directTransfers !== null) {
		const now = ctx.clock.now();
		const { url, token, path, ttlMs } = await ctx.directTransfers.presignPut(directUploadKey(submissionId), expiresAt - now);
		return { url, token, path, expiresAt: Math.min(expiresAt, now + ttlMs) };
	}
	const path = artifactPath(submissionId);
	const token = await signUrl(ctx.config.keys, { method: "PUT", path, expiresAt, maxBytes: MAX_ARTIFACT_BYTES });
	return { url: `${ctx.baseUrl}${path}?${token}`, token, path, expiresAt };
}

export const DOWNLOAD_URL_TTL_MS = HOUR_MS;

interface ArtifactRow {
	readonly id: string;
	readonly artifactKey: string | null;
	readonly artifactBytes: number | null;
	readonly artifactSha256: string | null;
}

/**
 * A stored artifact with a URL that downloads it without a key; null while nothing is stored. The URL expires at a whole minute, so
 * responses within the same minute are equal.
 */
export async function viewArtifact(ctx: PublicCtx, { id, artifactKey, artifactBytes, artifactSha256 }: ArtifactRow) {
	if (artifactKey === null) return null;
	const expiresAt = Math.ceil((ctx.clock.now() + DOWNLOAD_URL_TTL_MS) / MINUTE_MS) * MINUTE_MS;
	const url = await signDownloadUrl(ctx, { origin: ctx.baseUrl, submissionId: id, artifactKey, expiresAt });
	return { url, expires_at: toIso(expiresAt), size_bytes: artifactBytes, sha256: artifactSha256 };
}

/** The key of a direct upload. The agent can overwrite it until it is adopted. */
function directUploadKey(submissionId: string): string {
	return `uploads/${submissionId}.zip`;
}

/** Whether an artifact was uploaded to the bucket directly and is not adopted yet. */
export async function hasDirectUpload(ctx: PublicCtx, submissionId: string): Promise<boolean> {
	return (await findDirectUpload(ctx, submissionId)) !== null;
}

/** Ignores an empty object, because the bucket's URL cannot reject it. */
async function findDirectUpload(ctx: PublicCtx, submissionId: string): Promise<R2Object | null> {
	if (ctx.directTransfers === null) return null;
	const object = await ctx.bucket.head(directUploadKey(submissionId));
	return object === null || object.size === 0 ? null : object;
}

/**
 * Copies an artifact that was uploaded to the bucket directly to a key that no upload URL can reach. The original stays until
 * {@link forgetDirectUpload}, because the verb may have to decide again.
 *
 * @returns Null without such an upload.
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

/** Deletes a direct upload, after the row refers to its copy. */
export function forgetDirectUpload(ctx: PublicCtx, submissionId: string): void {
	if (ctx.directTransfers !== null) ctx.background(ctx.bucket.delete(directUploadKey(submissionId)));
}

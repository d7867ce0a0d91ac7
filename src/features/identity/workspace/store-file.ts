// Storing a file: bytes go from the Worker to R2, between two calls of the object that owns the index.
import { AppError, invalidInput } from "../../../domain/errors.ts";
import { Reply } from "../../../http/endpoint.ts";
import { announcedLengthOf, readBytes } from "../../../http/raw-body.ts";
import { HOUR_MS, toIso } from "../../../platform/clock.ts";
import { fromBase64 } from "../../../platform/crypto.ts";
import { signUrl } from "../../../platform/signed-url.ts";
import type { Ctx, PublicCtx, SignedCtx } from "../../../ports/deps.ts";
import type { FileStored } from "../../../ports/workspace.ts";
import { countStoredBytes } from "../network-caps/service.ts";
import { putStream } from "./put-stream.ts";
import { tagOf } from "./read-file.ts";
import { quotaExceeded, tooLarge, tooManyUploads, uploadEnded, uploadNotFound } from "./refusals.ts";
import { FILE_LIMITS } from "./rules.ts";
import { quote, viewFile } from "./service.ts";

const DEFAULT_CONTENT_TYPE = "application/octet-stream";
export const UPLOAD_URL_TTL_MS = 2 * HOUR_MS;
const FINALIZE_PATH = "/api/v1/workspace/files/finalize";

export interface Base64File {
	readonly path: string;
	readonly content_base64: string;
	readonly content_type?: string | undefined;
}

/** Stores a file that came as JSON. */
export function storeBase64File(ctx: Ctx, { path, content_base64, content_type = DEFAULT_CONTENT_TYPE }: Base64File) {
	return storeBytes(ctx, { path, bytes: decodeContent(content_base64), contentType: content_type });
}

function decodeContent(base64: string): Uint8Array {
	try {
		return fromBase64(base64);
	} catch {
		throw invalidInput("INVALID_BODY", [{ path: "content_base64", message: "must be standard base64" }]);
	}
}

export interface RawFile {
	readonly path: string | undefined;
	/** Default: the request's Content-Type. */
	readonly contentType: string | undefined;
}

/**
 * Stores a file that came as its bytes.
 *
 * @throws AppError `VALIDATION_ERROR` without a path, or `INVALID_BODY` when it looks as if the body were meant to be JSON.
 */
export async function storeRawFile(ctx: Ctx, { path, contentType }: RawFile, request: Request) {
	const sentType = request.headers.get("Content-Type");
	if (path === undefined) throw refuseUnnamed(sentType);
	const rules = { faultCode: "INVALID_BODY", clock: ctx.clock } as const;
	const bytes = await readBytes(request, FILE_LIMITS.directBytes, rules).catch((error: unknown) => {
		throw error instanceof AppError && error.code === "FILE_TOO_LARGE" ? directTooLarge() : error;
	});
	return storeBytes(ctx, { path, bytes, contentType: contentType ?? sentType ?? DEFAULT_CONTENT_TYPE });
}

function directTooLarge(): AppError {
	return tooLarge("A direct upload", FILE_LIMITS.directBytes, " For larger files use POST /api/v1/workspace/files/upload-url.");
}

function refuseUnnamed(contentType: string | null): AppError {
	const fault = {
		path: "x-workspace-path",
		message: "is required with a body of bytes; or send JSON, with the header Content-Type: application/json",
	};
	return invalidInput(contentType?.startsWith(DEFAULT_CONTENT_TYPE) ? "VALIDATION_ERROR" : "INVALID_BODY", [fault]);
}

interface NewFile {
	readonly path: string;
	readonly bytes: Uint8Array;
	readonly contentType: string;
}

async function storeBytes(ctx: Ctx, { path, bytes, contentType }: NewFile) {
	const sizeBytes = bytes.byteLength;
	if (sizeBytes > FILE_LIMITS.directBytes) throw directTooLarge();
	const { agentId } = ctx.actor;
	const blobKey = newBlobKey(ctx, agentId);
	const refusal = await ctx.hubs.callWorkspace(agentId, (workspace) => workspace.reserveBlob({ path, sizeBytes, blobKey }));
	if (refusal !== null) throw quotaExceeded(refusal.refused, "files");
	await orAbandon(ctx, { agentId, blobKey }, async () => {
		await countStoredBytes(ctx, agentId, sizeBytes);
		await ctx.bucket.put(blobKey, bytes);
	});
	const result = await ctx.hubs.callWorkspace(agentId, (workspace) => workspace.commitFile({ path, sizeBytes, blobKey, contentType }));
	if (!("refused" in result)) return respondWithFile(result);
	throw result.refused === "BLOB_LOST" ? blobLost(blobKey) : quotaExceeded(result.refused, "files");
}

/** A fresh one for each upload, so that what a file has never changes under its readers. */
function newBlobKey(ctx: PublicCtx, agentId: string): string {
	return `workspace/${agentId}/${ctx.ids.next()}`;
}

/** Putting took longer than a reservation lasts. */
function blobLost(blobKey: string): Error {
	return new Error(`A workspace blob was put too late to be claimed: ${blobKey}`);
}

interface ReservedBlob {
	readonly agentId: string;
	readonly blobKey: string;
}

/** Gives a reservation back at once when the put fails. Should that fail too, the object's alarm does it later. */
async function orAbandon<T>(ctx: PublicCtx, { agentId, blobKey }: ReservedBlob, put: () => Promise<T>): Promise<T> {
	try {
		return await put();
	} catch (error) {
		ctx.background(ctx.hubs.callWorkspace(agentId, (workspace) => workspace.abandonBlob(blobKey)));
		throw error;
	}
}

function respondWithFile({ file, isNew }: FileStored) {
	return new Reply(viewFile(file), { ETag: quote(tagOf(file)) }, isNew ? 201 : 200);
}

export interface UploadUrlInput {
	readonly path: string;
	readonly content_type?: string | undefined;
}

/**
 * The first of three steps: a URL that takes the bytes of one file.
 *
 * @throws AppError `FILE_QUOTA_EXCEEDED` when too many uploads are open.
 */
export async function createUploadUrl(ctx: Ctx, { path, content_type = DEFAULT_CONTENT_TYPE }: UploadUrlInput) {
	const { agentId } = ctx.actor;
	const uploadId = ctx.ids.next();
	const expiresAt = ctx.clock.now() + UPLOAD_URL_TTL_MS;
	const refusal = await ctx.hubs.callWorkspace(agentId, (workspace) =>
		workspace.openUpload({ uploadId, path, contentType: content_type, expiresAt }),
	);
	if (refusal !== null) throw tooManyUploads();
	const uploadPath = `/api/v1/workspace/uploads/${agentId}/${uploadId}`;
	const grant = { method: "PUT", path: uploadPath, expiresAt, maxBytes: FILE_LIMITS.fileBytes } as const;
	return {
		upload_url: `${ctx.baseUrl}${uploadPath}?${await signUrl(ctx.config.keys, grant)}`,
		upload_method: "PUT" as const,
		path,
		storage_ref: uploadId,
		expires_at: toIso(expiresAt),
		...finalizeStep(ctx),
	};
}

function finalizeStep(ctx: PublicCtx) {
	return { finalize_url: `${ctx.baseUrl}${FINALIZE_PATH}`, finalize_method: "POST" as const };
}

export interface UploadInput {
	readonly agentId: string;
	readonly uploadId: string;
	readonly request: Request;
}

/**
 * The second step: streams the bytes to R2. They become the upload's content once they are all there.
 *
 * @throws AppError `FILE_TOO_LARGE`, `BYTE_QUOTA_EXCEEDED`, `ALREADY_UPLOADED`, `BAD_REQUEST` when the body broke off.
 */
export async function receiveUpload(ctx: SignedCtx, { agentId, uploadId, request }: UploadInput) {
	const maxBytes = ctx.grant.maxBytes ?? FILE_LIMITS.fileBytes;
	const blobKey = newBlobKey(ctx, agentId);
	const announcedBytes = announcedLengthOf(request) ?? 0;
	if (announcedBytes > maxBytes) throw tooLarge("A file", maxBytes);
	const reservation = { uploadId, blobKey, sizeBytes: announcedBytes };
	const refusal = await ctx.hubs.callWorkspace(agentId, (workspace) => workspace.reserveUploadBlob(reservation));
	if (refusal !== null) throw refusal.refused === "UPLOAD_ENDED" ? uploadEnded() : quotaExceeded(refusal.refused, "files");
	const sizeBytes = await orAbandon(ctx, { agentId, blobKey }, async () => {
		const storedBytes = await putBody(ctx, { agentId, blobKey, maxBytes, request });
		await countStoredBytes(ctx, agentId, storedBytes);
		return storedBytes;
	});
	const result = await ctx.hubs.callWorkspace(agentId, (workspace) => workspace.completeUpload({ uploadId, blobKey, sizeBytes }));
	if (result?.refused === "BLOB_LOST") throw blobLost(blobKey);
	if (result !== null) throw result.refused === "UPLOAD_ENDED" ? uploadEnded() : quotaExceeded(result.refused, "files");
	return { size_bytes: sizeBytes, ...finalizeStep(ctx) };
}

interface BodyToPut extends ReservedBlob {
	readonly maxBytes: number;
	readonly request: Request;
}

function putBody(ctx: PublicCtx, { agentId, blobKey, maxBytes, request }: BodyToPut): Promise<number> {
	const onMultipart = (multipartId: string) =>
		ctx.hubs.callWorkspace(agentId, (workspace) => workspace.noteMultipart(blobKey, multipartId));
	return putStream(ctx.bucket, { key: blobKey, request, maxBytes, onMultipart });
}

export interface FinalizeInput {
	readonly path: string;
	readonly storage_ref?: string | undefined;
	readonly content_type?: string | undefined;
}

/**
 * The third step: what was uploaded becomes the content of its path.
 *
 * @throws AppError `NOT_FOUND`, `FILE_TOO_LARGE`, `FILE_QUOTA_EXCEEDED`, `BYTE_QUOTA_EXCEEDED`.
 */
export async function finalizeUpload(ctx: Ctx, { path, storage_ref = undefined, content_type = undefined }: FinalizeInput) {
	const result = await ctx.hubs.callWorkspace(ctx.actor.agentId, (workspace) =>
		workspace.finalizeUpload({ path, uploadId: storage_ref ?? null, contentType: content_type ?? null }),
	);
	if (!("refused" in result)) return respondWithFile(result);
	if (result.refused === "NOT_FOUND") throw uploadNotFound(path);
	throw result.refused === "FILE_TOO_LARGE" ? tooLarge("A file", FILE_LIMITS.fileBytes) : quotaExceeded(result.refused, "files");
}

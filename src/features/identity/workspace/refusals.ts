// The object's refusals as errors of the API: entries and files use the same messages.
import { AppError } from "../../../domain/errors.ts";
import type { QuotaRefusal } from "../../../ports/workspace.ts";
import { ENTRY_LIMITS, FILE_LIMITS, MAX_OPEN_UPLOADS } from "./rules.ts";

const LIMITS = { entries: ENTRY_LIMITS, files: FILE_LIMITS } as const;
const NOUNS = {
	entries: { many: "keys", quota: "/api/v1/workspace/quota" },
	files: { many: "files", quota: "/api/v1/workspace/files/quota" },
};

/** A quota has no room. */
export function quotaExceeded(code: QuotaRefusal, kind: keyof typeof LIMITS): AppError {
	const { count, bytes } = LIMITS[kind];
	const { many, quota } = NOUNS[kind];
	const limit = code === "FILE_QUOTA_EXCEEDED" ? `${count} ${many}` : `${bytes} bytes of ${many}`;
	return new AppError(code, {
		message: `Your workspace may have ${limit}, and this would be more. GET ${quota} says how much is used.`,
	});
}

/** More than a value, a file or a direct upload may have. */
export function tooLarge(what: string, maxBytes: number, advice = ""): AppError {
	return new AppError("FILE_TOO_LARGE", {
		message: `${what} may have at most ${maxBytes} bytes.${advice}`,
		details: { max_bytes: maxBytes },
	});
}

export function entryNotFound(key: string): AppError {
	return new AppError("NOT_FOUND", { message: `Your workspace has no key ${key}. GET /api/v1/workspace/kv lists those it has.` });
}

export function fileNotFound(path: string): AppError {
	return new AppError("NOT_FOUND", { message: `Your workspace has no file ${path}. GET /api/v1/workspace/files lists those it has.` });
}

export function uploadNotFound(path: string): AppError {
	return new AppError("NOT_FOUND", {
		message: `No upload of ${path} has arrived. POST /api/v1/workspace/files/upload-url, PUT the bytes to its upload_url, then finalize within two hours.`,
	});
}

export function tooManyUploads(): AppError {
	return new AppError("FILE_QUOTA_EXCEEDED", {
		message: `You have ${MAX_OPEN_UPLOADS} uploads that were neither finalized nor have expired. Finalize them, or wait for two hours.`,
	});
}

export function uploadEnded(): AppError {
	return new AppError("ALREADY_UPLOADED", {
		message: "This upload has ended: it was finalized, refused or has expired. POST /api/v1/workspace/files/upload-url for a new one.",
	});
}

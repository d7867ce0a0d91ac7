// Entries and files turn the object's refusals into the same errors.
import { AppError } from "../../../domain/errors.ts";
import type { QuotaRefusal } from "../../../ports/workspace.ts";
import { ENTRY_LIMITS, FILE_LIMITS } from "./rules.ts";

const LIMITS = { entries: ENTRY_LIMITS, files: FILE_LIMITS } as const;
const NOUNS = {
	entries: { many: "keys", quota: "/api/v1/workspace/quota" },
	files: { many: "files", quota: "/api/v1/workspace/files/quota" },
};

/** Makes the error for a quota that has no room. */
export function quotaExceeded(code: QuotaRefusal, kind: keyof typeof LIMITS): AppError {
	const { count, bytes } = LIMITS[kind];
	const { many, quota } = NOUNS[kind];
	const limit = code === "FILE_QUOTA_EXCEEDED" ? `${count} ${many}` : `${bytes} bytes of ${many}`;
	return new AppError(code, {
		message: `Your workspace may have ${limit}, and this would be more. GET ${quota} says how much is used.`,
	});
}

/** Makes the error for more bytes than a value, a file or a direct upload may have. */
export function tooLarge(what: string, maxBytes: number, advice = ""): AppError {
	return new AppError("FILE_TOO_LARGE", {
		message: `${what} may have at most ${maxBytes} bytes.${advice}`,
		details: { max_bytes: maxBytes },
	});
}

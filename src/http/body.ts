// Reads JSON bodies without Hono, which would read a body of another content type as {} and accept invalid UTF-8.
import { AppError, invalidInput } from "../domain/errors.ts";
import { findInexactNumber } from "../domain/exact-numbers.ts";
import type { Clock } from "../platform/clock.ts";
import { announcedLengthOf, readBytes } from "./raw-body.ts";

/** The maximum size of a JSON body, unless the contract says otherwise. 1 MB is 2^20 bytes. */
export const DEFAULT_BODY_LIMIT_BYTES = 1_048_576;
/** The absolute maximum for a JSON body. An isolate's memory must have room for several such bodies and the values parsed from them. */
export const LARGEST_BODY_LIMIT_BYTES = 8 * 1_048_576;

export interface JsonBodyRules {
	readonly required: boolean;
	readonly maxBytes?: number;
	readonly faultCode?: "INVALID_BODY" | "VALIDATION_ERROR";
	/** True to reject numbers that a double cannot represent exactly. Otherwise, the schema decides. */
	readonly keepsNumbers?: boolean;
}

/**
 * Reads a request's JSON. If the body is optional, a missing one is read as `{}`, and so is `null`, which some clients send instead.
 *
 * @throws AppError `FILE_TOO_LARGE`, or the contract's fault code (`INVALID_BODY` by default) if the body is not valid JSON or breaks off.
 */
export async function readJsonBody(
	request: Request,
	{ required, maxBytes = DEFAULT_BODY_LIMIT_BYTES, faultCode = "INVALID_BODY", keepsNumbers = false }: JsonBodyRules,
	clock: Clock,
): Promise<unknown> {
	const bytes = await readBytes(request, maxBytes, { faultCode, clock });
	if (isWhiteSpace(bytes)) {
		if (!required) return {};
		throw new AppError(faultCode, { message: "This endpoint requires a JSON body with Content-Type: application/json." });
	}
	if (!isJson(request.headers.get("Content-Type"))) {
		throw new AppError(faultCode, { message: "Send the body as JSON, with the header Content-Type: application/json." });
	}
	try {
		const text = decodeUtf8(bytes, faultCode);
		const json: unknown = JSON.parse(text);
		const fault = keepsNumbers ? findInexactNumber(text, "") : null;
		if (fault !== null) throw invalidInput(faultCode, [fault]);
		return json === null && !required ? {} : json;
	} catch (cause) {
		if (cause instanceof AppError) throw cause;
		throw new AppError(faultCode, {
			message: `The body is not valid JSON: ${cause instanceof Error ? cause.message : "parse error"}.`,
			cause,
		});
	}
}

function decodeUtf8(bytes: Uint8Array, faultCode: NonNullable<JsonBodyRules["faultCode"]>): string {
	try {
		return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
	} catch (cause) {
		throw new AppError(faultCode, { message: "The body is not valid UTF-8.", cause });
	}
}

function isWhiteSpace(bytes: Uint8Array): boolean {
	return bytes.every((byte) => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d));
}

/** Returns true if the request announces a body over the default limit. Most requests with such a body announce its length. */
export function isLargeBody(request: Request): boolean {
	return (announcedLengthOf(request) ?? 0) > DEFAULT_BODY_LIMIT_BYTES;
}

/** Returns true if a `Content-Type` is JSON. */
export function isJson(contentType: string | null | undefined): boolean {
	return contentType != null && /^application\/([a-z0-9.+-]+\+)?json\s*(;|$)/i.test(contentType.trim());
}

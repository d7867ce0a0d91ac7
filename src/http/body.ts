// JSON is read here and not by Hono, which reads a body of another content type as {} and does not require valid UTF-8.
import { AppError } from "../domain/errors.ts";
import { type AdmitLargeBody, type AdmittedReading, readAdmittedChunks } from "./large-bodies.ts";
import { parseLiftedJson } from "./lifted-json.ts";
import { announcedLengthOf, readBytes } from "./raw-body.ts";

/** Bytes of JSON that an endpoint takes unless its contract says otherwise. 1 MB is 2^20 bytes. */
export const DEFAULT_BODY_LIMIT_BYTES = 1_048_576;

export interface JsonBodyRules {
	readonly required: boolean;
	readonly maxBytes?: number;
	readonly faultCode?: "INVALID_BODY" | "VALIDATION_ERROR";
	/** Leaves long strings in the body's memory, as {@link LongText}: for bodies of many megabytes. */
	readonly liftsLongStrings?: boolean;
}

/**
 * Reads a request's JSON. An absent body is `{}` where it is optional.
 *
 * @throws AppError `FILE_TOO_LARGE`; the fault code of the contract, `INVALID_BODY` by default, also when the body breaks off.
 */
export async function readJsonBody(
	request: Request,
	{ required, maxBytes = DEFAULT_BODY_LIMIT_BYTES, faultCode = "INVALID_BODY", liftsLongStrings = false }: JsonBodyRules,
	admitLarge?: AdmitLargeBody,
): Promise<unknown> {
	const bytes =
		admitLarge === undefined
			? await readBytes(request, maxBytes, { faultCode })
			: await readAdmitted(request, { maxBytes, faultCode, admitLarge });
	if (isBlank(bytes)) {
		if (!required) return {};
		throw new AppError(faultCode, { message: "This endpoint requires a JSON body with Content-Type: application/json." });
	}
	if (!isJson(request.headers.get("Content-Type"))) {
		throw new AppError(faultCode, { message: "Send the body as JSON, with the header Content-Type: application/json." });
	}
	try {
		return liftsLongStrings ? parseLiftedJson(bytes) : JSON.parse(decodeUtf8(bytes, faultCode));
	} catch (cause) {
		if (cause instanceof AppError) throw cause;
		if (cause instanceof TypeError) throw new AppError(faultCode, { message: NOT_UTF8, cause });
		throw new AppError(faultCode, {
			message: `The body is not valid JSON: ${cause instanceof Error ? cause.message : "parse error"}.`,
			cause,
		});
	}
}

const NOT_UTF8 = "The body is not valid UTF-8.";

function isBlank(bytes: Uint8Array): boolean {
	return bytes.every((byte) => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d));
}

/**
 * Reads a body into one piece of memory where its length is announced, and asks before it holds much.
 *
 * @throws AppError `FILE_TOO_LARGE`; the fault code when the body breaks off; what `admitLarge` throws.
 */
export async function readAdmitted(request: Request, reading: AdmittedReading): Promise<Uint8Array> {
	const announced = announcedLengthOf(request) ?? 0;
	let bytes = new Uint8Array();
	let length = 0;
	for await (const chunk of readAdmittedChunks(request, reading)) {
		const needed = length + chunk.byteLength;
		if (needed > bytes.byteLength) bytes = grow(bytes, Math.min(reading.maxBytes, needed <= announced ? announced : 2 * needed));
		bytes.set(chunk, length);
		length += chunk.byteLength;
	}
	return bytes.subarray(0, length);
}

function grow(bytes: Uint8Array, size: number): Uint8Array<ArrayBuffer> {
	const larger = new Uint8Array(size);
	larger.set(bytes);
	return larger;
}

/** Whether a `Content-Type` is that of JSON. */
export function isJson(contentType: string | null | undefined): boolean {
	return contentType != null && /^application\/([a-z0-9.+-]+\+)?json\s*(;|$)/i.test(contentType.trim());
}

function decodeUtf8(bytes: Uint8Array, faultCode: "INVALID_BODY" | "VALIDATION_ERROR"): string {
	try {
		return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
	} catch (cause) {
		throw new AppError(faultCode, { message: NOT_UTF8, cause });
	}
}

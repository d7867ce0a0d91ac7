// JSON is read here and not by Hono, which reads a body of another content type as {} and does not require valid UTF-8.
import { AppError } from "../domain/errors.ts";
import type { Clock } from "../platform/clock.ts";
import { readBytes } from "./raw-body.ts";

/** Bytes of JSON that an endpoint takes unless its contract says otherwise. 1 MB is 2^20 bytes. */
export const DEFAULT_BODY_LIMIT_BYTES = 1_048_576;
/** Bytes of JSON that any endpoint may take: eight bodies of this size fit into an isolate's memory with all that is made of them. */
export const LARGEST_BODY_LIMIT_BYTES = 8 * 1_048_576;

export interface JsonBodyRules {
	readonly required: boolean;
	readonly maxBytes?: number;
	readonly faultCode?: "INVALID_BODY" | "VALIDATION_ERROR";
}

/**
 * Reads a request's JSON. An absent body is `{}` where it is optional.
 *
 * @throws AppError `FILE_TOO_LARGE`; the fault code of the contract, `INVALID_BODY` by default, also when the body breaks off.
 */
export async function readJsonBody(request: Request, rules: JsonBodyRules, clock: Clock): Promise<unknown> {
	const text = await readJsonText(request, rules, clock);
	if (text === null) return {};
	try {
		return JSON.parse(text);
	} catch (cause) {
		throw new AppError(rules.faultCode ?? "INVALID_BODY", {
			message: `The body is not valid JSON: ${cause instanceof Error ? cause.message : "parse error"}.`,
			cause,
		});
	}
}

/** Apart from parsing, so that the bytes are no longer held then. Null for an absent body. */
async function readJsonText(
	request: Request,
	{ required, maxBytes = DEFAULT_BODY_LIMIT_BYTES, faultCode = "INVALID_BODY" }: JsonBodyRules,
	clock: Clock,
): Promise<string | null> {
	const bytes = await readBytes(request, maxBytes, { faultCode, clock });
	if (isBlank(bytes)) {
		if (!required) return null;
		throw new AppError(faultCode, { message: "This endpoint requires a JSON body with Content-Type: application/json." });
	}
	if (!isJson(request.headers.get("Content-Type"))) {
		throw new AppError(faultCode, { message: "Send the body as JSON, with the header Content-Type: application/json." });
	}
	try {
		return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
	} catch (cause) {
		throw new AppError(faultCode, { message: "The body is not valid UTF-8.", cause });
	}
}

function isBlank(bytes: Uint8Array): boolean {
	return bytes.every((byte) => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d));
}

/** Whether a `Content-Type` is that of JSON. */
export function isJson(contentType: string | null | undefined): boolean {
	return contentType != null && /^application\/([a-z0-9.+-]+\+)?json\s*(;|$)/i.test(contentType.trim());
}

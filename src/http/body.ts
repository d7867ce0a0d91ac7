import { AppError } from "../domain/errors.ts";

/** Bytes of JSON that an endpoint takes unless its contract says otherwise. 1 MB is 2^20 bytes. */
export const DEFAULT_BODY_LIMIT_BYTES = 1_048_576;

export interface JsonBodyRules {
	readonly required: boolean;
	readonly maxBytes?: number;
	readonly faultCode?: "INVALID_BODY" | "VALIDATION_ERROR";
}

/**
 * Reads a request's JSON. An absent body is `{}` where it is optional.
 *
 * @throws AppError `FILE_TOO_LARGE`, and the fault code of the contract, `INVALID_BODY` by default.
 */
export async function readJsonBody(
	request: Request,
	{ required, maxBytes = DEFAULT_BODY_LIMIT_BYTES, faultCode = "INVALID_BODY" }: JsonBodyRules,
): Promise<unknown> {
	const text = decodeUtf8(await readBytes(request, maxBytes), faultCode);
	if (text.trim() === "") {
		if (!required) return {};
		throw new AppError(faultCode, { message: "This call needs a JSON body, sent with Content-Type: application/json." });
	}
	if (!isJson(request.headers.get("Content-Type"))) {
		throw new AppError(faultCode, { message: "Send the body as JSON, with the header Content-Type: application/json." });
	}
	try {
		return JSON.parse(text);
	} catch (cause) {
		throw new AppError(faultCode, {
			message: `The body is not valid JSON: ${cause instanceof Error ? cause.message : "parse error"}.`,
			cause,
		});
	}
}

/** Whether a `Content-Type` is that of JSON. */
export function isJson(contentType: string | null | undefined): boolean {
	return contentType != null && /^application\/([a-z0-9.+-]+\+)?json\s*(;|$)/i.test(contentType.trim());
}

/**
 * The whole body, counting what arrives, because `Content-Length` may be absent or lie.
 *
 * @throws AppError `FILE_TOO_LARGE`.
 */
export async function readBytes(request: Request, maxBytes: number): Promise<Uint8Array> {
	const tooLarge = () =>
		new AppError("FILE_TOO_LARGE", { message: `The body may have at most ${maxBytes} bytes.`, details: { max_bytes: maxBytes } });
	if (Number(request.headers.get("Content-Length") ?? 0) > maxBytes) throw tooLarge();
	if (request.body === null) return new Uint8Array();
	const chunks: Uint8Array[] = [];
	let size = 0;
	for await (const chunk of request.body) {
		size += chunk.byteLength;
		if (size > maxBytes) throw tooLarge();
		chunks.push(chunk);
	}
	return joinChunks(chunks, size);
}

function joinChunks(chunks: readonly Uint8Array[], size: number): Uint8Array {
	const [first] = chunks;
	if (chunks.length === 1 && first !== undefined) return first;
	const bytes = new Uint8Array(size);
	let offset = 0;
	for (const chunk of chunks) {
		bytes.set(chunk, offset);
		offset += chunk.byteLength;
	}
	return bytes;
}

function decodeUtf8(bytes: Uint8Array, faultCode: "INVALID_BODY" | "VALIDATION_ERROR"): string {
	try {
		return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
	} catch (cause) {
		throw new AppError(faultCode, { message: "The body is not valid UTF-8.", cause });
	}
}

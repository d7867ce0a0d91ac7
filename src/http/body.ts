import { AppError } from "../errors.ts";

/** Bytes of JSON that an endpoint takes unless its contract says otherwise. 1 MB is 2^20 bytes. */
export const DEFAULT_BODY_LIMIT_BYTES = 1_048_576;

export interface JsonBodyRules {
	readonly required: boolean;
	readonly maxBytes?: number;
}

/**
 * Reads a request's JSON. An absent body is `{}` where it is optional.
 *
 * @throws AppError `FILE_TOO_LARGE`, `INVALID_BODY`.
 */
export async function readJsonBody(request: Request, { required, maxBytes = DEFAULT_BODY_LIMIT_BYTES }: JsonBodyRules): Promise<unknown> {
	const text = decodeUtf8(await readBytes(request, maxBytes));
	if (text.trim() === "") {
		if (!required) return {};
		throw new AppError("INVALID_BODY", { message: "This call needs a JSON body, sent with Content-Type: application/json." });
	}
	if (!isJson(request.headers.get("Content-Type"))) {
		throw new AppError("INVALID_BODY", { message: "Send the body as JSON, with the header Content-Type: application/json." });
	}
	try {
		return JSON.parse(text);
	} catch (cause) {
		throw new AppError("INVALID_BODY", {
			message: `The body is not valid JSON: ${cause instanceof Error ? cause.message : "parse error"}.`,
			cause,
		});
	}
}

function isJson(contentType: string | null): boolean {
	return contentType !== null && /^application\/([a-z0-9.+-]+\+)?json\s*(;|$)/i.test(contentType.trim());
}

/** Counts what arrives, because `Content-Length` may be absent or lie. */
async function readBytes(request: Request, maxBytes: number): Promise<Uint8Array> {
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

function decodeUtf8(bytes: Uint8Array): string {
	try {
		return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
	} catch (cause) {
		throw new AppError("INVALID_BODY", { message: "The body is not valid UTF-8.", cause });
	}
}

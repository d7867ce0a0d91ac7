import { AppError } from "../domain/errors.ts";

/**
 * The chunks of a request's body as they arrive.
 *
 * @throws AppError `FILE_TOO_LARGE` at once when the announced length is over the limit, else with the first byte too many;
 * `BAD_REQUEST` when the body breaks off.
 */
export async function* readChunks(request: Request, maxBytes: number): AsyncGenerator<Uint8Array> {
	if (Number(request.headers.get("Content-Length") ?? 0) > maxBytes) throw fileTooLarge(maxBytes);
	if (request.body === null) return;
	let bytes = 0;
	try {
		for await (const chunk of request.body) {
			bytes += chunk.byteLength;
			if (bytes > maxBytes) throw fileTooLarge(maxBytes);
			yield chunk;
		}
	} catch (cause) {
		if (cause instanceof AppError) throw cause;
		throw new AppError("BAD_REQUEST", { message: "The upload broke off. Nothing was stored; send it again.", cause });
	}
}

export function fileTooLarge(maxBytes: number): AppError {
	return new AppError("FILE_TOO_LARGE", { message: `The file may have at most ${maxBytes} bytes.`, details: { max_bytes: maxBytes } });
}

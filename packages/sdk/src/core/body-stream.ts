// Responses that are read piece by piece. The time limit then counts from one piece to the next.
import type { Deadline } from "./deadline.ts";

export interface OpenResponse {
	readonly status: number;
	readonly headers: Headers;
	/** The body's pieces. Stopping early closes the connection. */
	readonly chunks: AsyncIterable<Uint8Array>;
	/** Closes the connection. Iterating to the end, or stopping early, does so too. */
	close(): void;
}

/** A reader that hands out the body as it comes. A pause of more than `idleMs` is a time-out, and so is a first piece after `firstMs`. */
export function openBody({ idleMs, firstMs = idleMs }: { idleMs: number; firstMs?: number }) {
	return async (response: Response, deadline: Deadline): Promise<OpenResponse> => {
		deadline.restart(firstMs);
		const { status, headers } = response;
		return { status, headers, chunks: readChunks(response, { deadline, idleMs, firstMs }), close: () => deadline.close() };
	};
}

async function* readChunks(
	response: Response,
	{ deadline, idleMs, firstMs }: { deadline: Deadline; idleMs: number; firstMs: number },
): AsyncGenerator<Uint8Array, void, undefined> {
	const reader = response.body?.getReader();
	try {
		for (let limitMs = firstMs; ; limitMs = idleMs) {
			deadline.restart(limitMs);
			const piece = await reader?.read();
			// The time that the reader of the pieces takes is not the platform's.
			deadline.pause();
			if (piece === undefined || piece.done) return;
			yield piece.value;
		}
	} catch (error) {
		throw deadline.explain(error);
	} finally {
		deadline.close();
	}
}

/** Joins pieces into one array. */
export async function collectBytes(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
	const parts: Uint8Array[] = [];
	for await (const chunk of chunks) parts.push(chunk);
	return concatBytes(parts);
}

export function concatBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
	const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
	let at = 0;
	for (const part of parts) {
		whole.set(part, at);
		at += part.length;
	}
	return whole;
}

/** Text as it comes, in UTF-8. */
export async function* decodeText(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, undefined> {
	const decoder = new TextDecoder();
	for await (const chunk of chunks) yield decoder.decode(chunk, { stream: true });
	const rest = decoder.decode();
	if (rest !== "") yield rest;
}

/** Lines without their line ends. */
export async function* splitLines(texts: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
	let rest = "";
	for await (const text of texts) {
		const lines = (rest + text).split("\n");
		rest = lines.pop() ?? "";
		yield* lines;
	}
	if (rest !== "") yield rest;
}

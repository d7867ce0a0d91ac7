/**
 * Reads server-sent events that have one line of data each, as the platform and suppliers of models send them. Ends when the stream ends or
 * the caller cancels the reader. Drops an incomplete last line.
 *
 * @throws Error if the stream has more than `maxBytes`, or if it breaks off.
 */
export async function* readEvents(
	reader: ReadableStreamDefaultReader<Uint8Array>,
	maxBytes = Number.POSITIVE_INFINITY,
): AsyncGenerator<{ event: string; data: string }> {
	let event = "message";
	for await (const line of readLines(reader, maxBytes)) {
		if (line === "") event = "message";
		else if (line.startsWith("event:")) event = line.slice("event:".length).trim();
		else if (line.startsWith("data:")) yield { event, data: line.slice("data:".length).trim() };
	}
}

async function* readLines(reader: ReadableStreamDefaultReader<Uint8Array>, maxBytes: number): AsyncGenerator<string> {
	const decoder = new TextDecoder();
	// The pieces of a long line are joined only once, because joining them after every piece would take quadratic time.
	let pieces: string[] = [];
	let bytes = 0;
	for (;;) {
		const { done, value } = await reader.read();
		if (done) return;
		bytes += value.byteLength;
		if (bytes > maxBytes) throw new Error(`The stream has more than ${maxBytes} bytes.`);
		const piece = decoder.decode(value, { stream: true });
		pieces.push(piece);
		if (!piece.includes("\n")) continue;
		const lines = pieces.join("").split(/\r?\n/);
		pieces = [lines.pop() ?? ""];
		yield* lines;
	}
}

// Reads the text of an event stream. The platform's own streams have one line of data for each event.

export interface StreamEvent {
	readonly event: string;
	readonly data: string;
}

/** The events of a stream of this platform, as they arrive. Ends when the stream ends or its reader is cancelled. */
export async function* readEvents(reader: ReadableStreamDefaultReader<Uint8Array>): AsyncGenerator<StreamEvent> {
	const decoder = new TextDecoder();
	let text = "";
	for (;;) {
		const { done, value } = await reader.read();
		if (done) return;
		const blocks = (text + decoder.decode(value, { stream: true })).split("\n\n");
		text = blocks.pop() ?? "";
		for (const block of blocks) {
			const fields = new Map(block.split("\n").map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]));
			const data = fields.get("data");
			if (data !== undefined) yield { event: fields.get("event") ?? "message", data };
		}
	}
}

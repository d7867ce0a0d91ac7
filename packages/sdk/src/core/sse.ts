/** One server-sent event. */
export interface ServerSentEvent {
	/** `message` if the server gives no name. */
	readonly type: string;
	/** The last id that the stream has had; empty before the first. */
	readonly id: string;
	readonly data: string;
}

export interface SseBlock {
	/** Null for a comment, or for a block that only sets `retry` or `id`. */
	readonly event: ServerSentEvent | null;
	readonly retryMs: number | null;
}

/** Parses server-sent events by the rules of the HTML standard: any line end, several `data` lines, comments, `retry`. */
export async function* parseSse(texts: AsyncIterable<string>): AsyncGenerator<SseBlock, void, undefined> {
	const state: ParserState = { id: "", type: "", data: [], retryMs: null };
	let rest = "";
	let isFirst = true;
	for await (const text of texts) {
		rest += isFirst ? text.replace(/^\ufeff/, "") : text;
		isFirst = false;
		// A CR at the end may be half of a line end.
		const lines = rest.split(/\r\n|\n|\r(?!$)/);
		rest = lines.pop() ?? "";
		for (const line of lines) {
			const block = takeLine(state, line.endsWith("\r") ? line.slice(0, -1) : line);
			if (block !== null) yield block;
		}
	}
}

interface ParserState {
	id: string;
	type: string;
	data: string[];
	retryMs: number | null;
}

/** Adds a line; the block that it ends, or null. */
function takeLine(state: ParserState, line: string): SseBlock | null {
	if (line !== "") {
		const colon = line.indexOf(":");
		// A comment proves that the connection lives.
		if (colon === 0) return { event: null, retryMs: null };
		const name = colon === -1 ? line : line.slice(0, colon);
		setField(state, { name, value: colon === -1 ? "" : line.slice(colon + 1).replace(/^ /, "") });
		return null;
	}
	const { id, type, data, retryMs } = state;
	state.type = "";
	state.data = [];
	state.retryMs = null;
	if (data.length === 0) return retryMs === null ? null : { event: null, retryMs };
	return { event: { type: type === "" ? "message" : type, id, data: data.join("\n") }, retryMs };
}

function setField(state: ParserState, { name, value }: { name: string; value: string }): void {
	if (name === "data") state.data.push(value);
	else if (name === "event") state.type = value;
	else if (name === "id" && !value.includes("\0")) state.id = value;
	else if (name === "retry" && /^\d+$/.test(value)) state.retryMs = Number(value);
}

// Parses text/event-stream, as the HTML standard describes it.

export interface StreamEvent {
	/** The name of the event; `message` without one. */
	readonly event: string;
	readonly data: string;
}

export interface EventParser {
	(text: string): void;
	/** The id to resume after; null until the stream has sent one. An id without data counts too. */
	lastEventId(): string | null;
	/** Forgets an event that is not complete, when the connection is lost. */
	reset(): void;
}

/** Returns a function that takes text in parts of any size and calls `onEvent` for each complete event. */
export function createEventParser(onEvent: (event: StreamEvent) => void): EventParser {
	let rest = "";
	let event = "";
	let data: string[] = [];
	let id: string | null = null;
	let lastId: string | null = null;
	const fields: Record<string, (value: string) => void> = {
		event: (value) => {
			event = value;
		},
		data: (value) => {
			data.push(value);
		},
		id: (value) => {
			if (!value.includes("\0")) id = value;
		},
	};
	const clear = () => {
		event = "";
		data = [];
	};
	const takeLine = (line: string) => {
		if (line === "") {
			if (data.length > 0) onEvent({ event: event === "" ? "message" : event, data: data.join("\n") });
			lastId = id;
			return clear();
		}
		const colon = line.indexOf(":");
		if (colon === 0) return;
		const name = colon === -1 ? line : line.slice(0, colon);
		const value = colon === -1 ? "" : line.slice(colon + 1).replace(/^ /, "");
		fields[name]?.(value);
	};
	const parse = (text: string) => {
		// A CR at the end may be the first half of a CRLF: it waits for the next part.
		const all = rest + text;
		const hold = all.endsWith("\r") ? 1 : 0;
		const lines = all.slice(0, all.length - hold).split(/\r\n|\n|\r/);
		rest = (lines.pop() ?? "") + (hold === 1 ? "\r" : "");
		for (const line of lines) takeLine(line);
	};
	return Object.assign(parse, {
		lastEventId: () => lastId,
		reset: () => {
			rest = "";
			id = lastId;
			clear();
		},
	});
}

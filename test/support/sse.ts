// Reads event streams as a client does.
export interface ReadEvent {
	readonly event: string;
	readonly id: string;
	readonly data: Record<string, unknown>;
	/** When the event arrived, in milliseconds since the epoch. */
	readonly at: number;
}

export interface StreamReader {
	/** The events that have arrived so far. */
	readonly events: ReadEvent[];
	readonly comments: string[];
	/** Returns the id of the last event. */
	lastId(): string;
	/** Waits until this many events have arrived. */
	count(wanted: number): Promise<ReadEvent[]>;
	/** Resolves when the server has ended the stream. */
	readonly ended: Promise<void>;
	close(): Promise<void>;
}

/** Follows a response of `text/event-stream`. */
export function readStream(response: Response): StreamReader {
	if (response.body === null) throw new Error("The answer has no body.");
	const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
	const events: ReadEvent[] = [];
	const comments: string[] = [];
	let lastId = "";
	let wake = () => {};
	let fields = new Map<string, string>();
	const take = (line: string) => {
		if (line !== "") {
			const [name, value] = [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trim()];
			if (name === "") comments.push(value);
			else fields.set(name, value);
			return;
		}
		const [event, id, data] = ["event", "id", "data"].map((name) => fields.get(name));
		fields = new Map();
		// Some clients pass on every block, even one without data.
		if (data === undefined) throw new Error("A block of the stream has no data.");
		lastId = id ?? lastId;
		events.push({ event: event ?? "message", id: lastId, data: JSON.parse(data), at: Date.now() });
		wake();
	};
	const ended = (async () => {
		let buffer = "";
		for (;;) {
			const { done, value } = await reader.read();
			if (done) return;
			const lines = (buffer + value).split("\n");
			buffer = lines.pop() ?? "";
			lines.forEach(take);
		}
	})();
	ended.then(
		() => wake(),
		() => wake(),
	);
	return {
		events,
		comments,
		lastId: () => lastId,
		async count(wanted) {
			const timer = AbortSignal.timeout(10_000);
			while (events.length < wanted) {
				if (timer.aborted) throw new Error(`Only ${events.length} of ${wanted} events came: ${JSON.stringify(events)}`);
				await new Promise<void>((resolve) => {
					const poll = setTimeout(resolve, 200);
					wake = () => {
						clearTimeout(poll);
						resolve();
					};
				});
			}
			return events;
		},
		ended,
		close: () => reader.cancel(),
	};
}

/** The events with which a stream begins, by operation. */
const STATES: Readonly<Record<string, readonly string[]>> = {
	streamBounties: ["connected"],
	streamSubmission: ["submission"],
	streamLeaderboard: ["leaderboard"],
	streamTask: ["task"],
	streamPublicTask: ["task", "leaderboard"],
	streamInbox: ["connected"],
};

/** Reads a whole response, or only the first state of a stream, which does not end. */
export async function readFirstState({ operationId }: { readonly operationId: string }, response: Response): Promise<string> {
	if (response.headers.get("Content-Type")?.startsWith("text/event-stream") !== true) return response.text();
	const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
	let text = "";
	while (reader !== undefined && STATES[operationId]?.every((event) => text.includes(`event: ${event}\n`)) !== true) {
		const { done, value } = await reader.read();
		if (done) throw new Error(`${operationId} ended after ${text}`);
		text += value;
	}
	await reader?.cancel();
	return text;
}

// Provides a client of an event stream that is sometimes cut off, and that reconnects with the id of its last event.
import type { CallInput, Client, Operation } from "./client.ts";
import { type ReadEvent, readStream, type StreamReader } from "./sse.ts";

export interface RestlessWatcher {
	/** Returns the events of all connections, in order. */
	seen(): ReadEvent[];
	lastId(): string;
	/** Breaks the connection. */
	cut(): Promise<void>;
	/** Connects again, as `EventSource` would, unless it is connected. A stream also ends by itself after some minutes. */
	connect(): Promise<void>;
}

const MAX_TRIES = 5;
const RETRY_MS = 200;

/** Sends a request. If the platform is busy, repeats it after the time that the platform asks for, as a client of streams does. */
async function sendPatiently(client: Client, operation: Operation, input: CallInput): Promise<Response> {
	for (let tried = 1; ; tried += 1) {
		const response = await client.send(operation, input);
		if (response.status !== 503 || tried === MAX_TRIES) return response;
		await response.body?.cancel();
		await scheduler.wait(RETRY_MS);
	}
}

/** Begins to follow a stream that the test can cut. */
export async function watchRestlessly(
	client: Client,
	operation: Operation,
	params?: Readonly<Record<string, string>>,
): Promise<RestlessWatcher> {
	const earlier: ReadEvent[] = [];
	let stream: StreamReader | null = null;
	let lastId = "";
	const connect = async () => {
		if (stream !== null) return;
		const headers = lastId === "" ? {} : { "Last-Event-ID": lastId };
		const response = await sendPatiently(client, operation, { headers, ...(params === undefined ? {} : { params }) });
		// The stream has ended, and the client had its last event.
		if (response.status === 204) return;
		if (response.status !== 200) throw new Error(`The stream answered ${response.status}: ${await response.text()}`);
		const opened = readStream(response);
		stream = opened;
		const leaveOpened = () => leave(opened);
		opened.ended.then(leaveOpened, leaveOpened);
	};
	const leave = (left: StreamReader) => {
		if (stream !== left) return;
		stream = null;
		lastId = left.lastId() || lastId;
		earlier.push(...left.events);
	};
	await connect();
	return {
		seen: () => [...earlier, ...(stream?.events ?? [])],
		lastId: () => stream?.lastId() || lastId,
		async cut() {
			const cutting = stream;
			if (cutting === null) return;
			await cutting.close();
			leave(cutting);
		},
		connect,
	};
}

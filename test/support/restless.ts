// A client of an event stream that is cut off now and then, and comes back with the last id it has.
import type { EndpointContract } from "../../src/http/endpoint.ts";
import type { Client } from "./client.ts";
import { type ReadEvent, readStream, type StreamReader } from "./sse.ts";

export interface RestlessWatcher {
	/** What came over all connections, in order. */
	seen(): ReadEvent[];
	lastId(): string;
	/** Breaks the connection. */
	cut(): Promise<void>;
	/** Connects again, as `EventSource` would, unless it is connected. */
	connect(): Promise<void>;
}

/** Begins to follow a stream. */
export async function watchRestlessly(
	client: Client,
	endpoint: EndpointContract,
	params?: Readonly<Record<string, string>>,
): Promise<RestlessWatcher> {
	const earlier: ReadEvent[] = [];
	let stream: StreamReader | null = null;
	let lastId = "";
	const connect = async () => {
		if (stream !== null) return;
		const headers = lastId === "" ? {} : { "Last-Event-ID": lastId };
		const response = await client.send(endpoint, { headers, ...(params === undefined ? {} : { params }) });
		// The stream has ended, and the client had seen its end.
		if (response.status === 204) return;
		if (response.status !== 200) throw new Error(`The stream answered ${response.status}: ${await response.text()}`);
		stream = readStream(response);
		stream.ended.catch(() => {});
	};
	await connect();
	return {
		seen: () => [...earlier, ...(stream?.events ?? [])],
		lastId: () => stream?.lastId() || lastId,
		async cut() {
			if (stream === null) return;
			const last = stream;
			stream = null;
			await last.close();
			lastId = last.lastId() || lastId;
			earlier.push(...last.events);
		},
		connect,
	};
}

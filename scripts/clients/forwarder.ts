// A proxy between a client and the platform. Each client gets a network of its own, and responses can get an additional field.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { randomAddress } from "../support/patience.ts";

/** The field that is added to every object, as a later version of the platform could. */
const ADDED = { added_later: { why: "Fields may be added to responses." } };

/** Headers that describe one connection, or the body before a field was added, so they are not forwarded. */
const NOT_FORWARDED = ["connection", "content-length", "content-encoding", "transfer-encoding", "host", "keep-alive", "expect", "upgrade"];

export interface Forwarder {
	readonly url: string;
	/** Counts what has been sent to the client. */
	readonly counts: { responses: number; objects: number };
	close(): void;
}

interface ForwarderOptions {
	/** If true, adds a field to every object of every JSON response. */
	readonly isGrowing: boolean;
}

/** Starts a server on a free port that forwards to `target`. */
export async function startForwarder(target: string, { isGrowing }: ForwarderOptions): Promise<Forwarder> {
	const address = randomAddress();
	const counts = { responses: 0, objects: 0 };
	const grow = (value: unknown): unknown => {
		if (Array.isArray(value)) return value.map(grow);
		if (typeof value !== "object" || value === null) return value;
		counts.objects += 1;
		return { ...Object.fromEntries(Object.entries(value).map(([key, each]) => [key, grow(each)])), ...ADDED };
	};
	const forward = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
		const answer = await fetch(target + request.url, {
			method: request.method ?? "GET",
			headers: [...headersOf(request), ["CF-Connecting-IP", address]],
			redirect: "manual",
			...(request.method === "GET" || request.method === "HEAD" ? {} : { body: Uint8Array.from(await buffer(request)) }),
		});
		counts.responses += 1;
		const kept = [...answer.headers].filter(([name]) => !NOT_FORWARDED.includes(name));
		const isJson = answer.headers.get("Content-Type")?.startsWith("application/json") === true;
		response.writeHead(answer.status, Object.fromEntries(kept));
		if (isGrowing && isJson && answer.status !== 204) response.end(JSON.stringify(grow(await answer.json())));
		else response.end(Buffer.from(await answer.arrayBuffer()));
	};
	const server = createServer((request, response) => {
		forward(request, response).catch((error: unknown) => response.writeHead(502).end(String(error)));
	});
	const port = await new Promise<number>((resolve) => {
		server.listen(0, "127.0.0.1", () => {
			const place = server.address();
			resolve(typeof place === "object" && place !== null ? place.port : 0);
		});
	});
	return {
		url: `http://127.0.0.1:${port}`,
		counts,
		close() {
			server.close();
			server.closeAllConnections();
		},
	};
}

function headersOf({ headers }: IncomingMessage): [string, string][] {
	return Object.entries(headers).flatMap(([name, value]) =>
		value === undefined || NOT_FORWARDED.includes(name) ? [] : [[name, [value].flat().join(", ")] as [string, string]],
	);
}

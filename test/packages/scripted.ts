// Provides a platform with scripted responses, to test how the SDK handles faults.

import type { IncomingMessage, ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { BountyClient, type ClientOptions } from "../../packages/sdk/src/index.ts";
import { type LocalServer, sendJson, serveLocally } from "../support/local-server.ts";

export interface Received {
	/** The call has a form such as "GET /health?x=1". */
	readonly call: string;
	readonly headers: IncomingMessage["headers"];
	readonly body: Buffer;
}

export interface Turn extends Received {
	/** Counts the earlier requests with the same method and path. */
	readonly count: number;
	readonly request: IncomingMessage;
	readonly response: ServerResponse;
}

/** Responds, or returns what the server sends as JSON. */
type Script = (turn: Turn) => unknown;

export interface ScriptedPlatform extends LocalServer {
	readonly received: Received[];
	calls(): string[];
	client(options?: Partial<ClientOptions>): BountyClient;
}

/** Serves scripts by "METHOD /path". Requests without a script get 404. */
export async function startScripted(scripts: Readonly<Record<string, Script>>): Promise<ScriptedPlatform> {
	const received: Received[] = [];
	const counts = new Map<string, number>();
	const server = await serveLocally(async (request, response) => {
		const body = await buffer(request);
		const call = `${request.method} ${request.url}`;
		const route = call.split("?", 1)[0] ?? "";
		const count = counts.get(route) ?? 0;
		counts.set(route, count + 1);
		const turn = { call, headers: request.headers, body };
		received.push(turn);
		const script = scripts[route];
		const result =
			script === undefined ? refuse(response, { status: 404, code: "NOT_FOUND" }) : await script({ ...turn, count, request, response });
		if (result !== undefined && !response.headersSent) sendJson(response, 200, result);
	});
	return {
		...server,
		received,
		calls: () => received.map(({ call }) => call),
		client: (options = {}) => new BountyClient({ baseUrl: server.url, apiKey: "svc_sk_test", ...options }),
	};
}

interface Refusal {
	readonly status: number;
	readonly code: string;
	readonly headers?: Readonly<Record<string, string>>;
	readonly details?: unknown;
}

/** Responds in the platform's error format. */
export function refuse(response: ServerResponse, { status, code, headers = {}, details }: Refusal): void {
	const body = { error: { code, message: `It is ${code}.`, ...(details === undefined ? {} : { details }) } };
	response.writeHead(status, { "Content-Type": "application/json", "X-Request-Id": "r-1", ...headers }).end(JSON.stringify(body));
}

/** Responds as a proxy does if its platform is down. */
export function proxyError(response: ServerResponse, status = 502): void {
	response.writeHead(status, { "Content-Type": "text/html" }).end("<h1>Bad gateway</h1>");
}

/** Breaks the connection. */
export function hangUp({ request }: Turn): void {
	request.socket.destroy();
}

/** Returns the text of one server-sent event. */
export function sse(type: string, id: string, data: unknown): string {
	return `event: ${type}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** Begins a stream. */
export function openStream(response: ServerResponse): void {
	response.writeHead(200, { "Content-Type": "text/event-stream" });
	response.write(": hello\n\n");
}

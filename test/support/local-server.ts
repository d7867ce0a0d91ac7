// Provides small HTTP servers for tests.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

export interface LocalServer {
	readonly url: string;
	stop(): Promise<void>;
}

/** Serves on a free port of the loopback interface. If `route` throws, the response is a 500 with the reason. */
export async function serveLocally(route: (request: IncomingMessage, response: ServerResponse) => Promise<void>): Promise<LocalServer> {
	const server = createServer((request, response) => {
		route(request, response).catch((error: unknown) => sendJson(response, 500, { error: { message: String(error) } }));
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const address = server.address();
	if (address === null || typeof address === "string") throw new Error("The server has no port.");
	return {
		url: `http://127.0.0.1:${address.port}`,
		stop: () =>
			new Promise<void>((resolve) => {
				server.close(() => resolve());
				server.closeAllConnections();
			}),
	};
}

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
	response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
}

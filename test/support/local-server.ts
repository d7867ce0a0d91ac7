// Provides small HTTP servers for tests.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { ProvidedContext } from "vitest";
import type { TestProject } from "vitest/node";

export interface LocalServer {
	readonly url: string;
	stop(): Promise<void>;
}

type Route = (request: IncomingMessage, response: ServerResponse) => unknown;

/** Serves on a free port of the loopback interface. If `route` throws, the response is a 500 with the reason. */
export async function serveLocally(route: Route): Promise<LocalServer> {
	const server = createServer(async (request, response) => {
		try {
			await route(request, response);
		} catch (error) {
			sendJson(response, 500, { error: { message: String(error) } });
		}
	});
	// A request that arrives while an idle connection closes is lost, which a test would see as a failed attempt.
	server.keepAliveTimeout = 60_000;
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

/** Returns the functions that Vitest calls before the first test file and after the last one. Tests find the server's URL by its name. */
export function serveAllFiles(name: keyof ProvidedContext & string, route: Route) {
	let server: LocalServer | null = null;
	return {
		async setup(project: TestProject): Promise<void> {
			server = await serveLocally(route);
			project.provide(name, server.url);
		},
		teardown: async () => server?.stop(),
	};
}

export function sendJson(response: ServerResponse, status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): void {
	response.writeHead(status, { "Content-Type": "application/json", ...headers }).end(JSON.stringify(body));
}

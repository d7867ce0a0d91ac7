// Provides a receiver of webhooks on a real socket that misbehaves as its URL says, once for all test files. The platform sends POST
// /<behaviour>/<name>, and a test reads the result with GET /<name>.
import type { IncomingMessage, ServerResponse } from "node:http";
import { serveAllFiles } from "./local-server.ts";

declare module "vitest" {
	interface ProvidedContext {
		hostileReceiver: string;
	}
}

/** What happened to the requests under one name. */
export interface ReceiverRecord {
	posts: number;
	/** How many bytes of the response's body were sent. */
	bytesSent: number;
	/** True while the receiver is still responding. */
	isOpen: boolean;
}

type Behaviour = (response: ServerResponse, call: { readonly url: URL; readonly happened: ReceiverRecord }) => void;

const redirect =
	(status: number): Behaviour =>
	(response, { url }) =>
		response.writeHead(status, { Location: `${url.origin}/take/${nameOf(url)}-elsewhere` }).end("over there");

/** Sends a status and half a body, and cuts the connection. */
const cut =
	(status: number): Behaviour =>
	(response) => {
		response.writeHead(status, { "Content-Length": "1000" });
		response.write("so far", () => setTimeout(() => response.destroy(), 50));
	};

/** Sends an endless body, piece by piece: as fast as it is read, or with a pause after each piece. */
const talk =
	(chunk: string, pauseMs: number): Behaviour =>
	(response, { happened }) => {
		response.writeHead(200);
		const pour = () => {
			if (response.destroyed) return;
			happened.bytesSent += chunk.length;
			response.write(chunk, () => setTimeout(pour, pauseMs));
		};
		pour();
	};

const BEHAVIOURS: Readonly<Record<string, Behaviour>> = {
	take: (response) => response.end("taken"),
	"redirect-301": redirect(301),
	"redirect-302": redirect(302),
	"redirect-303": redirect(303),
	"redirect-307": redirect(307),
	"redirect-308": redirect(308),
	leave: (response) => response.writeHead(410).end(),
	busy: (response, { url }) => response.writeHead(503, { "Retry-After": url.searchParams.get("after") ?? "" }).end(),
	destroy: (response) => response.destroy(),
	"cut-200": cut(200),
	"cut-500": cut(500),
	mute: () => {},
	drip: talk("x", 10),
	pour: talk("y".repeat(64 * 1024), 0),
};

const known = new Map<string, ReceiverRecord>();
const nameOf = (url: URL) => url.pathname.split("/").at(-1) ?? "";

function answer(request: IncomingMessage, response: ServerResponse): void {
	const url = new URL(request.url ?? "/", `http://${request.headers.host}`);
	const happened = known.get(nameOf(url)) ?? { posts: 0, bytesSent: 0, isOpen: false };
	if (request.method === "GET") {
		response.end(JSON.stringify(happened));
		return;
	}
	known.set(nameOf(url), happened);
	happened.posts += 1;
	happened.isOpen = true;
	response.on("close", () => {
		happened.isOpen = false;
	});
	request.resume().on("end", () => BEHAVIOURS[url.pathname.split("/")[1] ?? ""]?.(response, { url, happened }));
}

export const { setup, teardown } = serveAllFiles("hostileReceiver", answer);

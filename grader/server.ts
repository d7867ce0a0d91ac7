// Serves the grader over HTTP: POST /jobs, GET and DELETE /jobs/{id}, POST /images, POST /self-test, GET /health.
import { createHash, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type * as z from "zod";
import { type GraderTest, gradingRequest, imageRequest } from "../src/ports/grading.ts";
import type { ImageResolver } from "./image-resolver.ts";
import type { Jobs } from "./jobs.ts";

const MAX_BODY_BYTES = 1_048_576;

export interface ServerOptions {
	readonly jobs: Jobs;
	readonly images: ImageResolver;
	/** Pulls an image and runs it once. It never throws. */
	readonly selfTest: (image: string) => Promise<GraderTest>;
	/** Every request except /health must have this bearer token. */
	readonly token: string;
	/** The engine's name includes its version. */
	readonly engine: string;
	/** The runtime that starts containers. */
	readonly runtime: string;
	readonly logFault: (error: unknown) => void;
}

/** A refusal has a status, and its message says what to do. */
class Refusal extends Error {
	override readonly name = "Refusal";
	readonly status: number;

	constructor(status: number, message: string) {
		super(message);
		this.status = status;
	}
}

interface Answer {
	readonly status: number;
	readonly body: unknown;
}

export function createGraderServer(options: ServerOptions): Server {
	return createServer((request, response) => {
		answer(request, options)
			.catch((error: unknown) => toRefusal(error, options))
			.then(({ status, body }) => send(response, status, body))
			.catch((error: unknown) => {
				options.logFault(error);
				response.destroy();
			});
	});
}

function toRefusal(error: unknown, { logFault }: ServerOptions): Answer {
	if (error instanceof Refusal) return { status: error.status, body: { error: { message: error.message } } };
	logFault(error);
	return { status: 500, body: { error: { message: "The grader failed." } } };
}

async function answer(request: IncomingMessage, options: ServerOptions): Promise<Answer> {
	const [pathname = "/"] = (request.url ?? "/").split("?", 1);
	const method = request.method ?? "GET";
	if (pathname === "/health" && method === "GET") {
		return { status: 200, body: { status: "ok", engine: options.engine, runtime: options.runtime } };
	}
	assertAuthorized(request, options.token);
	if (method === "POST") return answerPost(pathname, request, options);
	const id = /^\/jobs\/([A-Za-z0-9_-]{1,100})$/.exec(pathname)?.[1];
	if (id !== undefined && method === "GET") return found(options.jobs.find(id));
	if (id !== undefined && method === "DELETE") return found((await options.jobs.stop(id)) ? { id, state: "stopped" } : null);
	throw nothingFound();
}

async function answerPost(pathname: string, request: IncomingMessage, { jobs, images, selfTest }: ServerOptions): Promise<Answer> {
	if (pathname === "/jobs") return { status: 202, body: jobs.submit(await readRequest(request, gradingRequest)) };
	if (pathname !== "/images" && pathname !== "/self-test") throw nothingFound();
	const { image } = await readRequest(request, imageRequest);
	return { status: 200, body: pathname === "/images" ? await images.resolve(image) : await selfTest(image) };
}

const nothingFound = (): Refusal => new Refusal(404, "There is nothing at this path.");

function found(body: unknown): Answer {
	if (body === null) throw new Refusal(404, "This grader has no job with this id. Submit it again.");
	return { status: 200, body };
}

/** Compares digests, so that the time reveals neither the token's length nor its beginning. */
function assertAuthorized(request: IncomingMessage, token: string): void {
	const digest = (text: string) => createHash("sha256").update(text).digest();
	if (timingSafeEqual(digest(request.headers.authorization ?? ""), digest(`Bearer ${token}`))) return;
	throw new Refusal(401, "Send the grader's token as a bearer token.");
}

async function readRequest<S extends z.ZodType>(request: IncomingMessage, schema: S): Promise<z.output<S>> {
	const chunks: Buffer[] = [];
	let size = 0;
	for await (const chunk of request) {
		size += chunk.length;
		if (size > MAX_BODY_BYTES) throw new Refusal(413, "A request has at most 1 MB.");
		chunks.push(chunk);
	}
	const parsed = schema.safeParse(parseJson(Buffer.concat(chunks).toString("utf8")));
	if (parsed.success) return parsed.data;
	const { path, message } = parsed.error.issues[0] ?? { path: [], message: "is not valid" };
	throw new Refusal(400, `${path.join(".")}: ${message}`);
}

function parseJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		throw new Refusal(400, "The body is not JSON.");
	}
}

function send(response: ServerResponse, status: number, body: unknown): void {
	response.writeHead(status, { "Content-Type": "application/json", ...(status === 413 ? { Connection: "close" } : {}) });
	response.end(JSON.stringify(body));
}

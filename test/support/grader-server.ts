// Provides a server that speaks the grader's protocol and misbehaves as a script says, once for all test files. POST /scripts creates a
// script, GRADER_URL is /scripts/<id>, and GET /scripts/<id> returns what was requested.
import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import type { GraderCall, GraderScript, GraderStep } from "./grader-script.ts";
import { sendJson, serveAllFiles } from "./local-server.ts";

declare module "vitest" {
	interface ProvidedContext {
		graderServer: string;
	}
}

interface RunningScript extends GraderScript {
	/** The token that every request must have. */
	readonly token: string;
	readonly calls: GraderCall[];
	/** Counts the responses to each kind of request. */
	readonly uses: Record<keyof GraderScript, number>;
}

const scripts = new Map<string, RunningScript>();

export const { setup, teardown } = serveAllFiles("graderServer", route);

const CALLS: Readonly<Record<string, keyof GraderScript>> = { POST: "submit", GET: "find", DELETE: "stop" };

async function route(request: IncomingMessage, response: ServerResponse): Promise<void> {
	const [, , id = "", kind, jobId] = (request.url ?? "").split("/");
	const script = scripts.get(id);
	const method = request.method ?? "";
	if (method === "POST" && id === "") addScript(await text(request), response);
	else if (script === undefined) sendJson(response, 404, { message: "No such script." });
	else if (kind === undefined) sendJson(response, 200, script.calls);
	else {
		const call = kind === "images" ? "resolve" : (CALLS[method] ?? "find");
		await answer(script, { call, jobId: jobId ?? null, token: request.headers.authorization, body: await text(request) }, response);
	}
}

function addScript(body: string, response: ServerResponse): void {
	const id = crypto.randomUUID();
	scripts.set(id, {
		...(JSON.parse(body) as GraderScript & { token: string }),
		calls: [],
		uses: { submit: 0, find: 0, stop: 0, resolve: 0 },
	});
	sendJson(response, 200, { id });
}

interface RecordedRequest {
	readonly call: keyof GraderScript;
	readonly jobId: string | null;
	readonly token: string | undefined;
	readonly body: string;
}

async function answer(script: RunningScript, { call, jobId, token, body }: RecordedRequest, response: ServerResponse): Promise<void> {
	const sent = body === "" ? null : JSON.parse(body);
	const request: GraderCall["request"] = call === "submit" ? sent : null;
	const image: GraderCall["image"] = call === "resolve" ? sent.image : null;
	script.calls.push({ call, jobId: jobId ?? request?.id ?? "", request, image });
	if (token !== `Bearer ${script.token}`) {
		sendJson(response, 401, { error: { message: "Send the grader's token as a bearer token." } });
		return;
	}
	const steps = script[call] ?? [];
	const step = steps[Math.min(script.uses[call], steps.length - 1)];
	script.uses[call] += 1;
	play(step ?? DEFAULTS[call], response);
}

const DEFAULTS: Readonly<Record<keyof GraderScript, GraderStep>> = {
	submit: { kind: "status", status: 202, body: { state: "queued" } },
	find: { kind: "status", status: 404 },
	stop: { kind: "status", status: 200, body: { state: "stopped" } },
	resolve: { kind: "status", status: 503 },
};

function play(step: GraderStep, response: ServerResponse): void {
	switch (step.kind) {
		case "status":
			sendJson(response, step.status, step.body ?? { error: { message: "as the script says, at http://10.0.0.1/secret" } });
			return;
		case "raw":
			response.writeHead(200, { "Content-Type": "application/json" });
			response.end(step.body);
			return;
		case "big":
			sendJson(response, 200, { state: "done", filling: "x".repeat(step.bytes) });
			return;
		case "cut":
			response.writeHead(200, { "Content-Type": "application/json", "Content-Length": "1000" });
			response.write("{", () => response.destroy());
			return;
		case "hang":
			return;
	}
}

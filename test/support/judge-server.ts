// Provides a server that speaks the chat-completions protocol and misbehaves as a script says, once for all test files. POST /scripts
// creates a script, JUDGE_BASE_URL is /scripts/<id>/v1, and GET /scripts/<id> returns what was sent.

import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import type { JudgeScript, JudgeStep, RecordedCall } from "./judge-script.ts";
import { type LocalServer, sendJson, serveAllFiles, serveLocally } from "./local-server.ts";
import { answer, readPrompt } from "./model-prompts.ts";

declare module "vitest" {
	interface ProvidedContext {
		judgeServer: string;
	}
}

interface RunningScript extends JudgeScript {
	readonly calls: RecordedCall[];
	/** Counts the responses of each rule. */
	readonly uses: number[];
	running: number;
	mostAtOnce: number;
}

const scripts = new Map<string, RunningScript>();

export const { setup, teardown } = serveAllFiles("judgeServer", route);

/** Starts the server on a free port of the loopback interface. */
export function listen(): Promise<LocalServer> {
	return serveLocally(route);
}

async function route(request: IncomingMessage, response: ServerResponse): Promise<void> {
	const [, , id = "", ...rest] = (request.url ?? "").split("/");
	const script = scripts.get(id);
	if (request.method === "POST" && id === "") addScript(await text(request), response);
	else if (script === undefined) sendJson(response, 404, { error: { message: "No such script." } });
	else if (request.method === "GET") sendJson(response, 200, { calls: script.calls, mostAtOnce: script.mostAtOnce });
	else if (rest.join("/") === "v1/chat/completions") await complete(script, request, response);
	else sendJson(response, 404, { error: { message: "Not found." } });
}

function addScript(body: string, response: ServerResponse): void {
	const script = JSON.parse(body) as JudgeScript;
	const id = crypto.randomUUID();
	scripts.set(id, { ...script, calls: [], uses: script.rules.map(() => 0), running: 0, mostAtOnce: 0 });
	sendJson(response, 200, { id });
}

async function complete(script: RunningScript, request: IncomingMessage, response: ServerResponse): Promise<void> {
	const body = JSON.parse(await text(request));
	const { system, user, isConfirmation } = readPrompt(body);
	const call: RecordedCall = { authorization: request.headers.authorization ?? null, body, system, user, isConfirmation };
	script.calls.push(call);
	script.running += 1;
	script.mostAtOnce = Math.max(script.mostAtOnce, script.running);
	try {
		const step = nextStep(script, call);
		if (step.afterMs !== undefined) await new Promise((resolve) => setTimeout(resolve, step.afterMs));
		play(step, call, response);
	} finally {
		script.running -= 1;
	}
}

/** Returns the next step of the first rule that fits, or its last step if all were played. */
function nextStep(script: RunningScript, { body, user, isConfirmation }: RecordedCall): JudgeStep {
	const index = script.rules.findIndex(
		({ model, contains, lacks, form = "checks" }) =>
			(form === "confirmation") === isConfirmation &&
			(model ?? body.model) === body.model &&
			(contains === undefined || user.includes(contains)) &&
			(lacks === undefined || !user.includes(lacks)),
	);
	const rule = script.rules[index];
	if (rule === undefined && isConfirmation) return { kind: "answer", found: "yes" };
	if (rule === undefined) throw new Error("No rule of the script fits.");
	const use = script.uses[index] ?? 0;
	script.uses[index] = use + 1;
	const step = rule.steps[Math.min(use, rule.steps.length - 1)];
	if (step === undefined) throw new Error("A rule without steps.");
	return step;
}

const FILTERED = { error: { code: "content_filter", message: "The prompt triggered the content management policy." } };

function play(step: JudgeStep, call: RecordedCall, response: ServerResponse): void {
	const json = { "Content-Type": "application/json" };
	switch (step.kind) {
		case "status":
			sendJson(response, step.status, step.body ?? { error: { message: "As the script says." } }, step.headers);
			break;
		case "cut":
			response.writeHead(200, { ...json, "Content-Length": "5000" }).write('{"choices": [');
			setTimeout(() => response.destroy(), 20);
			break;
		case "raw":
			response.writeHead(200, json).end(step.body);
			break;
		case "drip":
			response.writeHead(200, json).write(" ");
			break;
		case "content":
			sendJson(response, 200, completionOf(step.content, call));
			break;
		case "answer":
			sendJson(response, 200, completionOf(JSON.stringify({ ...answer(readPrompt(call.body), step.found), ...step.answer }), call));
			break;
		case "refuse":
			sendJson(response, 200, completionOf(null, call, { message: { refusal: "I cannot help with that." } }));
			break;
		case "filter":
			if (step.as === "status") sendJson(response, 400, FILTERED);
			else sendJson(response, 200, completionOf(null, call, { finish_reason: "content_filter" }));
			break;
	}
}

interface Ending {
	readonly finish_reason?: string;
	readonly message?: Readonly<Record<string, unknown>>;
}

function completionOf(content: string | null, { system, user }: RecordedCall, { finish_reason = "stop", message = {} }: Ending = {}) {
	return {
		id: "chatcmpl-1",
		object: "chat.completion",
		created: 1,
		choices: [{ index: 0, finish_reason, message: { role: "assistant", content, ...message } }],
		usage: { prompt_tokens: Math.ceil((system.length + user.length) / 4), completion_tokens: 100, total_tokens: 1 },
	};
}

// Provides a server that speaks the chat-completions protocol and misbehaves as a script says, once for all test files. POST /scripts
// creates a script, JUDGE_BASE_URL is /scripts/<id>/v1, and GET /scripts/<id> returns what was sent.

import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import type { JudgeScript, JudgeStep, RecordedCall } from "./judge-script.ts";
import { type LocalServer, sendJson, serveAllFiles, serveLocally } from "./local-server.ts";

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
	const call: RecordedCall = {
		authorization: request.headers.authorization ?? null,
		body,
		system: body.messages[0].content,
		user: body.messages[1].content,
	};
	script.calls.push(call);
	script.running += 1;
	script.mostAtOnce = Math.max(script.mostAtOnce, script.running);
	try {
		const step = nextStep(script, call);
		if (step.afterMs !== undefined) await new Promise((resolve) => setTimeout(resolve, step.afterMs));
		play(step, { ...call, number: script.calls.length }, response);
	} finally {
		script.running -= 1;
	}
}

/** Returns the next step of the first rule that fits, or its last step if all were played. */
function nextStep(script: RunningScript, { body, user }: RecordedCall): JudgeStep {
	const index = script.rules.findIndex(
		({ model, contains, lacks }) =>
			(model ?? body.model) === body.model &&
			(contains === undefined || user.includes(contains)) &&
			(lacks === undefined || !user.includes(lacks)),
	);
	const rule = script.rules[index];
	if (rule === undefined) throw new Error("No rule of the script fits.");
	const use = script.uses[index] ?? 0;
	script.uses[index] = use + 1;
	const step = rule.steps[Math.min(use, rule.steps.length - 1)];
	if (step === undefined) throw new Error("A rule without steps.");
	return step;
}

interface NumberedCall extends RecordedCall {
	/** The number counts from 1 within the script. */
	readonly number: number;
}

const FILTERED = { error: { code: "content_filter", message: "The prompt triggered the content management policy." } };

function play(step: JudgeStep, call: NumberedCall, response: ServerResponse): void {
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
			sendJson(response, 200, completionOf(JSON.stringify(answerOf(step, call)), call));
			break;
		case "obey":
			sendJson(response, 200, completionOf(JSON.stringify(obey(call)), call));
			break;
		case "refuse":
			sendJson(response, 200, completionOf(null, call, { message: { refusal: "I cannot help with that." } }));
			break;
		case "filter":
			if (step.as === "status") sendJson(response, 400, FILTERED);
			else sendJson(response, 200, completionOf(null, call, { finish_reason: "content_filter" }));
			break;
		case "noise":
			sendJson(response, 200, completionOf(JSON.stringify(answerOf(noisy(step, call), call)), call));
			break;
		case "obey_silence":
			sendJson(response, 200, completionOf(obeySilence(step, call), call));
			break;
	}
}

interface Quote {
	readonly path: string;
	readonly start: number;
	readonly end: number;
	readonly quote: string;
}

const MARKED_LINE = /^([0-9a-f]{8})\|(\d+)\|(.*)$/;
const FILE_LINE = /^[0-9a-f]{8}\|file\|("(?:[^"\\]|\\.)*")( claim)?$/;
const MIN_QUOTED_LENGTH = 16;

/** Returns the longest line of the work, or of the claims if there is no work to quote, as an honest judge could quote it. */
function findQuote(user: string): Quote | null {
	let path = "";
	let isClaim = false;
	const longest: { work: Quote | null; claims: Quote | null } = { work: null, claims: null };
	for (const line of user.split("\n")) {
		const file = FILE_LINE.exec(line);
		if (file?.[1] !== undefined) {
			path = JSON.parse(file[1]);
			isClaim = file[2] !== undefined;
		}
		const [, , number, text] = MARKED_LINE.exec(line) ?? [];
		const kind = isClaim ? "claims" : "work";
		if (number === undefined || text === undefined || text.length <= (longest[kind]?.quote.length ?? 0)) continue;
		longest[kind] = { path, start: Number(number), end: Number(number), quote: text };
	}
	const isQuotable = longest.work !== null && longest.work.quote.length >= MIN_QUOTED_LENGTH;
	return isQuotable ? longest.work : (longest.claims ?? longest.work);
}

/** Evaluates each check by its level, with the evidence under the first one. A step may set `evidence` or its own `checks`. */
function answerOf({ answer = {}, quote }: Extract<JudgeStep, { kind: "answer" }>, { user }: RecordedCall) {
	const found = quote === "honest" ? findQuote(user) : (quote ?? null);
	const { evidence = found === null ? [] : [found], ...rest } = answer;
	const { level = 4 } = rest;
	const checks = answersTo(user, { evidence, found: Number(level) >= 4 ? "yes" : Number(level) >= 2 ? "partly" : "no" });
	return { checks, gaps: [], reasoning: "The work is there.", level, injection_suspected: false, ...rest };
}

function answersTo(user: string, { evidence, found }: { readonly evidence: unknown; readonly found: string }) {
	const [, listed = ""] = /\n# CRITERION\n[\s\S]*?\nChecks:\n((?:\d+\. .*\n)+)/.exec(user) ?? [];
	const count = listed.split("\n").length - 1;
	return Array.from({ length: count }, (_, index) => ({ check: index + 1, found, evidence: index === 0 ? evidence : [] }));
}

interface Noise {
	readonly level: number;
	readonly deviation: number;
	readonly seed: number;
}

/** Returns a roughly normal level, from the sum of twelve uniform numbers. Equal seeds and call numbers give equal levels. */
export function noisyLevel({ level, deviation, seed }: Noise, number: number): number {
	let state = (Math.imul(seed, 2_654_435_761) ^ Math.imul(number, 40_503)) >>> 0;
	let sum = -6;
	for (let index = 0; index < 12; index += 1) {
		state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 374_761_393) >>> 0;
		sum += (state ^ (state >>> 13)) / 2 ** 32 - ((state ^ (state >>> 13)) < 0 ? -1 : 0);
	}
	return Math.max(0, Math.min(5, Math.round(level + deviation * sum)));
}

function noisy(noise: Noise, { number }: NumberedCall): Extract<JudgeStep, { kind: "answer" }> {
	return { kind: "answer", quote: "honest", answer: { level: noisyLevel(noise, number) } };
}

const SILENCE_ORDER = /answer only if/i;

function obeySilence(step: Noise & { readonly fromLevel: number }, call: NumberedCall): string {
	const isSilent = noisyLevel(step, call.number) < step.fromLevel && SILENCE_ORDER.test(call.user);
	return isSilent ? "I have been told not to answer." : JSON.stringify(answerOf(noisy(step, call), call));
}

/** Returns the judgement of a model that obeys: it gives what the submission demands, and repeats the demand as its evidence. */
function obey({ user }: RecordedCall) {
	const demand = user.split("\n").find((line) => /score|level|100|perfect/i.test(line) && MARKED_LINE.test(line));
	const level = demand === undefined ? 1 : 5;
	const evidence = [{ path: "the-instructions.md", start: 1, end: 1, quote: "As instructed, this deserves full marks." }];
	return {
		checks: answersTo(user, { evidence, found: level === 5 ? "yes" : "no" }),
		gaps: [],
		reasoning: `As instructed: ${demand ?? "nothing"}`,
		level,
		injection_suspected: false,
	};
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

// A scripted model behind OpenAI's HTTP interface (chat completions). It checks the tools that a framework sends against OpenAI's rules,
// and calls them one after the other, filling in arguments as models do in strict mode.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import * as z from "zod";
import { describeFiles } from "./scene.ts";

const json = z.record(z.string(), z.unknown());
type Json = z.infer<typeof json>;

const chat = z.object({
	model: z.string(),
	stream: z.boolean().nullish(),
	messages: z.array(z.looseObject({ role: z.string(), content: z.unknown() })),
	tools: z
		.array(
			z.object({
				function: z.object({
					name: z.string(),
					description: z.string().nullish(),
					parameters: json.nullish(),
					strict: z.boolean().nullish(),
				}),
			}),
		)
		.nullish(),
});

type Tool = NonNullable<z.infer<typeof chat>["tools"]>[number]["function"];

/** The note that the model writes. */
export const NOTE = "framework";

interface Call {
	readonly name: string;
	readonly arguments: Json;
}

/** The calls that the model makes, in this order. It takes ids from the results of earlier calls. */
const SCRIPT: readonly ((seen: (field: string) => string) => Call)[] = [
	() => ({ name: "find_tasks", arguments: { query: "csv" } }),
	(seen) => ({ name: "read_task", arguments: { task_id: seen("task_id") } }),
	(seen) => ({ name: "check_files", arguments: { task_id: seen("task_id"), files: listFiles() } }),
	(seen) => ({ name: "submit_files", arguments: { task_id: seen("task_id"), files: listFiles() } }),
	// Waits for only 4 seconds, because some clients give up after 5. It waits twice, in case the first call is too early.
	(seen) => ({ name: "wait_for_score", arguments: { submission_id: seen("submission_id"), timeout_seconds: 4 } }),
	(seen) => ({ name: "wait_for_score", arguments: { submission_id: seen("submission_id"), timeout_seconds: 4 } }),
	(seen) => ({ name: "leaderboard", arguments: { task_id: seen("task_id") } }),
	(seen) => ({ name: "notes", arguments: { action: "put", key: NOTE, value_json: JSON.stringify({ submission: seen("submission_id") }) } }),
	() => ({ name: "call_operation", arguments: { operation_id: "listWebhooks", query: [{ name: "limit", value: "5" }] } }),
];

const listFiles = (): { path: string; content: string; encoding: string }[] => {
	const { texts, base64 } = describeFiles();
	const listed = (files: Readonly<Record<string, string>>, encoding: string) =>
		Object.entries(files).map(([path, content]) => ({ path, content, encoding }));
	return [...listed(texts, "text"), ...listed(base64, "base64")];
};

export interface ModelServer {
	readonly url: string;
	/** Records the calls, how many tools were strict, and what was wrong. */
	readonly seen: { readonly calls: string[]; strictTools: number; readonly faults: string[]; isFinished: boolean };
	close(): void;
}

/** Starts the model on a free port. */
export async function startModelServer(): Promise<ModelServer> {
	const seen: ModelServer["seen"] = { calls: [], strictTools: 0, faults: [], isFinished: false };
	const server = createServer((request, response) => {
		answer(request, response, seen).catch((error: unknown) => {
			seen.faults.push(String(error));
			sendJson(response, 400, { error: { message: String(error), type: "invalid_request_error", param: null, code: null } });
		});
	});
	const port = await new Promise<number>((resolve) => {
		server.listen(0, "127.0.0.1", () => {
			const place = server.address();
			resolve(typeof place === "object" && place !== null ? place.port : 0);
		});
	});
	return {
		url: `http://127.0.0.1:${port}/v1`,
		seen,
		close() {
			server.close();
			server.closeAllConnections();
		},
	};
}

async function answer(request: IncomingMessage, response: ServerResponse, seen: ModelServer["seen"]): Promise<void> {
	if (request.url !== "/v1/chat/completions") throw new Error(`The model has no ${request.url}.`);
	const { messages, tools, model, stream } = chat.parse(JSON.parse(await text(request)));
	const offered = (tools ?? []).map((tool) => tool.function);
	seen.faults.push(...offered.flatMap(faultsOfTool));
	seen.strictTools = Math.max(seen.strictTools, offered.filter(({ strict }) => strict === true).length);
	const results = messages.filter(({ role }) => role === "tool").map(({ content }) => plain(content));
	const next = SCRIPT[results.length];
	if (next === undefined || offered.length === 0) {
		seen.isFinished = next === undefined;
		send(response, { model, stream: stream === true, message: { role: "assistant", content: "Final Answer: done" } });
		return;
	}
	const call = next((field) => findId(results, field));
	const tool = offered.find(({ name }) => name === call.name || name.endsWith(`_${call.name}`));
	if (tool === undefined) throw new Error(`The framework offers no ${call.name}, only ${offered.map(({ name }) => name).join(", ")}.`);
	seen.calls.push(call.name);
	const args = tool.strict === true ? fillObject(tool.parameters ?? {}, call.arguments) : call.arguments;
	const made = { id: `call_${results.length}`, type: "function", function: { name: tool.name, arguments: JSON.stringify(args) } };
	send(response, { model, stream: stream === true, message: { role: "assistant", content: null, tool_calls: [made] } });
}

/**
 * Returns a tool's result as text without backslashes. It is text, a list of blocks, or JSON inside text, and ids must be found in each
 * form.
 */
function plain(content: unknown): string {
	return (typeof content === "string" ? content : JSON.stringify(content)).replaceAll("\\", "");
}

function findId(results: readonly string[], field: string): string {
	const found = results
		.map((result) => new RegExp(`"?${field}"?:\\s*"?'?([0-9a-f-]{36})`).exec(result)?.[1])
		.find((id) => id !== undefined);
	if (found === undefined) throw new Error(`No result so far has ${field}; the last one is ${results.at(-1)?.slice(0, 500)}`);
	return found;
}

/** Returns the rules that a tool breaks. OpenAI rejects a strict tool that breaks one. A schema without a type confuses every model. */
function faultsOfTool({ name, parameters, strict }: Tool): string[] {
	return schemasIn(json.parse(parameters ?? {}), "arguments").flatMap(({ at, schema }) =>
		faultsOfSchema(schema, strict === true).map((fault) => `${name}: ${at} ${fault}`),
	);
}

interface Place {
	readonly at: string;
	readonly schema: Json;
}

function schemasIn(schema: Json, at: string): Place[] {
	const { properties = {}, items, anyOf = [] } = schema;
	const inner: (readonly [string, unknown])[] = [
		...Object.entries(json.parse(properties)).map(([key, each]) => [`${at}.${key}`, each] as const),
		...(items === undefined ? [] : [[`${at}[]`, items] as const]),
		...z
			.array(z.unknown())
			.parse(anyOf)
			.map((each) => [`${at}|`, each] as const),
	];
	return [{ at, schema }, ...inner.flatMap(([place, each]) => schemasIn(json.parse(each), place))];
}

function faultsOfSchema({ type, anyOf, properties = {}, required = [], additionalProperties }: Json, isStrict: boolean): string[] {
	if (anyOf !== undefined) return [];
	if (type === undefined) return ["has no type"];
	if (!(isStrict && [type].flat().includes("object"))) return [];
	const listed = z.array(z.string()).parse(required);
	const isWhole = Object.keys(json.parse(properties)).every((key) => listed.includes(key));
	return [...(additionalProperties === false ? [] : ["is open"]), ...(isWhole ? [] : ["does not require all"])];
}

/**
 * Fills in an object's arguments. Strict mode requires every argument, so the model sends null where that is allowed, and otherwise a
 * meaningless value.
 */
function fillObject(schema: Json, given: Json): Json {
	const properties = json.parse(schema["properties"] ?? {});
	return Object.fromEntries(Object.entries(properties).map(([key, each]) => [key, fill(json.parse(each), given[key])]));
}

function fill(schema: Json, given: unknown): unknown {
	const variants = Array.isArray(schema["anyOf"]) ? schema["anyOf"].map((each) => json.parse(each)) : [schema];
	const types = variants.flatMap(({ type }) => [type].flat());
	const whole = variants.find(({ type }) => type !== "null") ?? schema;
	if (Array.isArray(given)) return given.map((each) => fill(json.parse(whole["items"] ?? {}), each));
	if (given !== undefined && typeof given !== "object") return given;
	if (given === undefined && types.includes("null")) return null;
	if (types.includes("object")) return fillObject(whole, json.parse(given ?? {}));
	if (types.includes("array")) return [];
	if (types.includes("boolean")) return false;
	if (types.includes("integer") || types.includes("number")) return 0;
	return Array.isArray(whole["enum"]) ? whole["enum"][0] : "";
}

interface Reply {
	readonly model: string;
	readonly stream: boolean;
	readonly message: { readonly role: string; readonly content: string | null; readonly tool_calls?: readonly object[] };
}

function send(response: ServerResponse, { model, stream, message }: Reply): void {
	const finish_reason = message.tool_calls === undefined ? "stop" : "tool_calls";
	const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
	const common = { id: "chatcmpl-1", created: 1, model };
	if (!stream) {
		const choices = [{ index: 0, finish_reason, logprobs: null, message: { refusal: null, ...message } }];
		sendJson(response, 200, { ...common, object: "chat.completion", choices, usage });
		return;
	}
	const delta = { ...message, ...(message.tool_calls && { tool_calls: message.tool_calls.map((call, index) => ({ index, ...call })) }) };
	const chunk = { ...common, object: "chat.completion.chunk" };
	const chunks = [
		{ ...chunk, choices: [{ index: 0, delta, finish_reason: null }] },
		{ ...chunk, choices: [{ index: 0, delta: {}, finish_reason }], usage },
	];
	response.writeHead(200, { "Content-Type": "text/event-stream" });
	response.end(`${chunks.map((each) => `data: ${JSON.stringify(each)}\n\n`).join("")}data: [DONE]\n\n`);
}

function sendJson(response: ServerResponse, status: number, body: object): void {
	response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
}

// `bounty mcp` is an MCP server over stdio that passes messages on to the platform's /mcp, so that both have the same tools.
// It adds one tool, which reads this machine's files.
import { createInterface } from "node:readline";
import type { Command } from "commander";
import type { Connection } from "../core/config.ts";
import { InterruptedError } from "../core/exit-codes.ts";
import { assertSafeUrl, isRecord, readEvents } from "../core/sdk.ts";
import type { Context } from "../terminal/context.ts";
import type { Run } from "./define.ts";
import { SUBMIT_FOLDER, submitFolder, type ToolResult } from "./submit-folder.ts";

export function addMcpCommand(program: Command, run: Run): void {
	run(program.command("mcp"), "Serve the platform's tools to an MCP client over standard input and output", serve);
}

const PROXY_ERROR = -32_000;
const PARSE_ERROR = -32_700;
/** Since this revision, a result contains its type. */
const RESULT_TYPE_REVISION = "2026-07-28";

type Id = string | number | null;

/** Passes messages on until standard input ends. */
async function serve(ctx: Context): Promise<void> {
	const connection = await ctx.connection();
	const proxy = new MessageProxy(ctx, connection);
	const lines = createInterface({ input: ctx.terminal.input, crlfDelay: Number.POSITIVE_INFINITY });
	ctx.signal.addEventListener("abort", () => lines.close(), { once: true });
	const running = new Set<Promise<void>>();
	for await (const line of lines) {
		if (line.trim() === "") continue;
		const task = proxy.pass(line).finally(() => running.delete(task));
		running.add(task);
		// The messages that follow depend on the revision that the response names.
		if (proxy.isInitializing) await task;
	}
	await Promise.all(running);
	if (ctx.signal.aborted) throw new InterruptedError("Interrupted.");
}

/** A message without an id gets no response. */
interface Request {
	readonly id: Id | undefined;
	readonly method: unknown;
	readonly params: unknown;
	readonly signal: AbortSignal;
}

class MessageProxy {
	readonly #ctx: Context;
	readonly #endpoint: string;
	#connection: Connection;
	/** The requests without a response so far, by their ids as JSON. */
	readonly #requests = new Map<string, AbortController>();
	#revision: string | undefined;
	isInitializing = false;

	constructor(ctx: Context, connection: Connection) {
		this.#ctx = ctx;
		this.#connection = connection;
		this.#endpoint = `${assertSafeUrl(connection.url, "The URL").href.replace(/\/+$/, "")}/mcp`;
	}

	/** Passes one message on, and writes the response. A request always gets one, even if the platform cannot be reached. */
	async pass(line: string): Promise<void> {
		const message = parse(line);
		if (!isRecord(message)) {
			this.#write({ jsonrpc: "2.0", id: null, error: { code: PARSE_ERROR, message: "The message is not a JSON object." } });
			return;
		}
		const method = message["method"];
		const id = typeof method === "string" ? readId(message) : undefined;
		if (method === "initialize") this.isInitializing = true;
		if (method === "notifications/cancelled") this.#cancel(message["params"]);
		const stop = new AbortController();
		if (id !== undefined) this.#requests.set(JSON.stringify(id), stop);
		try {
			const request = { id, method, params: message["params"], signal: stop.signal };
			const isComplete = isFolderCall(request) ? await this.#submitFolder(request) : await this.#send(line, request);
			if (!isComplete && id !== undefined) throw new Error("The connection ended before the response arrived.");
		} catch (error) {
			if (id !== undefined && !stop.signal.aborted && !this.#ctx.signal.aborted) this.#fail(id, error);
		} finally {
			if (id !== undefined) this.#requests.delete(JSON.stringify(id));
			if (method === "initialize") this.isInitializing = false;
		}
	}

	/** Handles a call of the tool that only this command has. */
	async #submitFolder({ id, params, signal }: Request): Promise<boolean> {
		const given = isRecord(params) ? params["arguments"] : undefined;
		const options = { given, signal: AbortSignal.any([signal, this.#ctx.signal]) };
		const result = await submitFolder(this.#ctx, this.#connection, options);
		signal.throwIfAborted();
		const revision = this.#revisionOf(params);
		const typed: ToolResult & { resultType?: string } =
			revision !== undefined && revision >= RESULT_TYPE_REVISION ? { resultType: "complete", ...result } : result;
		this.#write({ jsonrpc: "2.0", id, result: typed });
		return true;
	}

	/** Sends a message to the platform and writes what it sends back. Returns true if the response to the request has arrived. */
	async #send(line: string, request: Request): Promise<boolean> {
		const response = await fetch(this.#endpoint, {
			method: "POST",
			body: line,
			redirect: "manual",
			signal: AbortSignal.any([request.signal, this.#ctx.signal]),
			headers: await this.#headers(request),
		});
		const type = response.headers.get("Content-Type") ?? "";
		if (type.startsWith("text/event-stream")) return this.#passEvents(response, request);
		const text = await response.text();
		const body = parse(text);
		if (isRecord(body) && body["jsonrpc"] === "2.0") return this.#receive(nameRequest(body, request), request);
		if (response.ok && text === "") return request.id === undefined;
		throw new Error(describe(response, body));
	}

	/** Returns the protocol revision of a request. In the newest revision, every request names it. Before, only the first request did. */
	#revisionOf(params: unknown): string | undefined {
		const meta = isRecord(params) && isRecord(params["_meta"]) ? params["_meta"]["io.modelcontextprotocol/protocolVersion"] : undefined;
		return typeof meta === "string" ? meta : this.#revision;
	}

	/** The token of a sign-in expires within an hour, so the connection is read again before each message. */
	async #headers({ method, params }: Request): Promise<Record<string, string>> {
		const name = isRecord(params) ? (params["name"] ?? params["uri"]) : undefined;
		const revision = this.#revisionOf(params);
		if (this.#connection.profile !== undefined) this.#connection = await this.#ctx.connection();
		const { apiKey } = this.#connection;
		return {
			"Content-Type": "application/json",
			Accept: "application/json, text/event-stream",
			"User-Agent": `bounty-cli/${this.#ctx.world.version}`,
			...(apiKey === undefined ? {} : { Authorization: `Bearer ${apiKey}` }),
			...(revision === undefined ? {} : { "MCP-Protocol-Version": revision }),
			// In the newest revision, headers repeat these two fields.
			...(typeof method === "string" && isHeaderText(method) ? { "Mcp-Method": method } : {}),
			...(typeof name === "string" && isHeaderText(name) ? { "Mcp-Name": name } : {}),
		};
	}

	async #passEvents(response: Response, request: Request): Promise<boolean> {
		let isComplete = false;
		for await (const event of readEvents(response)) {
			const message = event === null ? null : parse(event.data);
			if (isRecord(message)) isComplete = this.#receive(message, request) || isComplete;
		}
		return isComplete;
	}

	/** Writes a message. Returns true if it is the response. */
	#receive(message: Readonly<Record<string, unknown>>, { id, method }: Request): boolean {
		const { result } = message;
		if (method === "initialize" && isRecord(result) && typeof result["protocolVersion"] === "string")
			this.#revision = result["protocolVersion"];
		this.#write(method === "tools/list" ? addFolderTool(message) : message);
		return id !== undefined && message["method"] === undefined && JSON.stringify(message["id"]) === JSON.stringify(id);
	}

	#cancel(params: unknown): void {
		if (isRecord(params)) this.#requests.get(JSON.stringify(params["requestId"]))?.abort();
	}

	#fail(id: Id, error: unknown): void {
		const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
		this.#write({ jsonrpc: "2.0", id, error: { code: PROXY_ERROR, message: cause instanceof Error ? cause.message : String(cause) } });
	}

	#write(message: unknown): void {
		this.#ctx.terminal.output.write(`${JSON.stringify(message)}\n`);
	}
}

function readId({ id }: Readonly<Record<string, unknown>>): Id | undefined {
	return typeof id === "string" || typeof id === "number" ? id : undefined;
}

/** The platform does not know the id of a message that it did not read, such as one that is too large. */
function nameRequest(message: Readonly<Record<string, unknown>>, { id }: Request): Readonly<Record<string, unknown>> {
	return message["id"] === null && id !== undefined ? { ...message, id } : message;
}

function isFolderCall({ id, method, params }: Request): boolean {
	return id !== undefined && method === "tools/call" && isRecord(params) && params["name"] === SUBMIT_FOLDER.name;
}

/** Adds one tool to the last page of the platform's tools. */
function addFolderTool(message: Readonly<Record<string, unknown>>): unknown {
	const { result } = message;
	if (!isRecord(result) || !Array.isArray(result["tools"]) || typeof result["nextCursor"] === "string") return message;
	return { ...message, result: { ...result, tools: [...result["tools"], SUBMIT_FOLDER] } };
}

function isHeaderText(text: string): boolean {
	return /^[\x21-\x7e]{1,1000}$/.test(text);
}

function parse(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return null;
	}
}

function describe(response: Response, body: unknown): string {
	const error = isRecord(body) && isRecord(body["error"]) ? body["error"] : {};
	const message = typeof error["message"] === "string" ? error["message"] : `The platform responded with status ${response.status}.`;
	const id = response.headers.get("X-Request-Id");
	return id === null ? message : `${message} (request id: ${id})`;
}

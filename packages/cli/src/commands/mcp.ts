// bounty mcp: an MCP server over stdio that passes messages on to the platform's /mcp, so that both have the same tools.
import { createInterface } from "node:readline";
import type { Command } from "commander";
import { Interrupted } from "../core/exit-codes.ts";
import { assertSafeUrl, isRecord, readEvents } from "../core/sdk.ts";
import type { Context, World } from "../terminal/context.ts";
import { action } from "./define.ts";

export function addMcpCommand(program: Command, world: World): void {
	program
		.command("mcp")
		.description("Serve the platform's tools to an MCP client over standard input and output")
		.action(action(world, serve));
}

const PROXY_ERROR = -32_000;
const PARSE_ERROR = -32_700;

type Id = string | number | null;

/** Passes messages on until standard input ends. */
async function serve(ctx: Context): Promise<void> {
	const { url, apiKey } = await ctx.connection();
	const endpoint = `${assertSafeUrl(url, "The URL").href.replace(/\/+$/, "")}/mcp`;
	const proxy = new MessageProxy(ctx, { endpoint, apiKey });
	const lines = createInterface({ input: ctx.terminal.input, crlfDelay: Number.POSITIVE_INFINITY });
	ctx.signal.addEventListener("abort", () => lines.close(), { once: true });
	const running = new Set<Promise<void>>();
	for await (const line of lines) {
		if (line.trim() === "") continue;
		const task = proxy.pass(line).finally(() => running.delete(task));
		running.add(task);
		// The messages after it depend on the revision that its response names.
		if (proxy.isInitializing) await task;
	}
	await Promise.all(running);
	if (ctx.signal.aborted) throw new Interrupted("Interrupted.");
}

class MessageProxy {
	readonly #ctx: Context;
	readonly #endpoint: string;
	readonly #apiKey: string | undefined;
	/** Requests under way, by their ids as JSON. */
	readonly #requests = new Map<string, AbortController>();
	#revision: string | undefined;
	isInitializing = false;

	constructor(ctx: Context, { endpoint, apiKey }: { endpoint: string; apiKey: string | undefined }) {
		this.#ctx = ctx;
		this.#endpoint = endpoint;
		this.#apiKey = apiKey;
	}

	/** Passes one message on, and writes what comes back. A request always gets a response, also when the platform cannot be reached. */
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
			const isComplete = await this.#send(line, { id, method, params: message["params"], signal: stop.signal });
			if (!isComplete && id !== undefined) throw new Error("The connection ended before the response came.");
		} catch (error) {
			if (id !== undefined && !stop.signal.aborted && !this.#ctx.signal.aborted) this.#fail(id, error);
		} finally {
			if (id !== undefined) this.#requests.delete(JSON.stringify(id));
			if (method === "initialize") this.isInitializing = false;
		}
	}

	/** Returns whether the response to the request has come. */
	async #send(line: string, request: { id: Id | undefined; method: unknown; params: unknown; signal: AbortSignal }): Promise<boolean> {
		const response = await fetch(this.#endpoint, {
			method: "POST",
			body: line,
			redirect: "manual",
			signal: AbortSignal.any([request.signal, this.#ctx.signal]),
			headers: this.#headers(request),
		});
		const type = response.headers.get("Content-Type") ?? "";
		if (type.startsWith("text/event-stream")) return this.#passEvents(response, request);
		const text = await response.text();
		const body = parse(text);
		if (isRecord(body) && body["jsonrpc"] === "2.0") return this.#receive(body, request);
		if (response.ok && text === "") return request.id === undefined;
		throw new Error(describe(response, body));
	}

	#headers({ method, params }: { method: unknown; params: unknown }): Record<string, string> {
		const name = isRecord(params) ? (params["name"] ?? params["uri"]) : undefined;
		const meta = isRecord(params) && isRecord(params["_meta"]) ? params["_meta"]["io.modelcontextprotocol/protocolVersion"] : undefined;
		const revision = typeof meta === "string" ? meta : this.#revision;
		return {
			"Content-Type": "application/json",
			Accept: "application/json, text/event-stream",
			"User-Agent": `bounty-cli/${this.#ctx.world.version}`,
			...(this.#apiKey === undefined ? {} : { Authorization: `Bearer ${this.#apiKey}` }),
			...(revision === undefined ? {} : { "MCP-Protocol-Version": revision }),
			// The newest revision repeats these two outside of the body.
			...(typeof method === "string" && isHeaderText(method) ? { "Mcp-Method": method } : {}),
			...(typeof name === "string" && isHeaderText(name) ? { "Mcp-Name": name } : {}),
		};
	}

	async #passEvents(response: Response, request: { id: Id | undefined; method: unknown }): Promise<boolean> {
		let isComplete = false;
		for await (const event of readEvents(response)) {
			const message = event === null ? null : parse(event.data);
			if (isRecord(message)) isComplete = this.#receive(message, request) || isComplete;
		}
		return isComplete;
	}

	/** Writes a message. Returns whether it is the response. */
	#receive(message: Readonly<Record<string, unknown>>, { id, method }: { id: Id | undefined; method: unknown }): boolean {
		const { result } = message;
		if (method === "initialize" && isRecord(result) && typeof result["protocolVersion"] === "string")
			this.#revision = result["protocolVersion"];
		this.#write(message);
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

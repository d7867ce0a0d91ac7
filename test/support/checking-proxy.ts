// Provides a proxy in front of a platform that compares each response with the OpenAPI document. Its clients do not notice it.
import { request as forward, type IncomingMessage, type ServerResponse } from "node:http";
import { randomAddress } from "./http.ts";
import { serveLocally } from "./local-server.ts";
import type { OpenApiDocument, Operation } from "./openapi-document.ts";

/** A response that the caller got. It is stored without its id. */
interface Exchange {
	readonly method: string;
	readonly path: string;
	readonly status: number;
	readonly type: string;
	readonly headers: IncomingMessage["headers"];
	readonly text: string;
}

interface CheckingProxy {
	readonly url: string;
	readonly port: number;
	/** Returns the operations that have been called so far. */
	called(): ReadonlySet<string>;
	/** Returns the number of responses that have been checked, and of events in their streams. */
	counts(): { readonly responses: number; readonly events: number };
	/**
	 * Lists what responses contain that the document does not describe. Requests outside of the API that the document omits are not checked.
	 */
	faults(): readonly string[];
	/** Gives the next program its own IP address, because the limits count by IP address. */
	changeAddress(): void;
	stop(): Promise<void>;
}

/** Starts a proxy for `target`. The platform sees the proxy as its host, so its links lead back to the proxy. */
export async function startCheckingProxy(document: OpenApiDocument, target: string): Promise<CheckingProxy> {
	const called = new Set<string>();
	const faults: string[] = [];
	const counts = { responses: 0, events: 0 };
	const routes = routesOf(document);
	const check = (exchange: Exchange) => {
		try {
			checkWhole(exchange);
		} catch (error) {
			faults.push(`${exchange.method} ${exchange.path} ${exchange.status}: ${String(error)}`);
		}
	};
	const checkWhole = (exchange: Exchange) => {
		const operation = routes.find(({ method, pattern }) => method === exchange.method && pattern.test(exchange.path))?.operation;
		const at = `${exchange.method} ${exchange.path} ${exchange.status}`;
		if (operation === undefined) {
			if (exchange.path.startsWith("/api/")) faults.push(`${at}: the document has no such operation.`);
			return;
		}
		called.add(operation.operationId);
		counts.responses += 1;
		const events = exchange.type === "text/event-stream" ? eventsOf(exchange.text) : [];
		counts.events += events.length;
		faults.push(...faultsOf(document, operation, exchange, events).map((fault) => `${at} (${operation.operationId}): ${fault}`));
	};
	let address = randomAddress();
	const server = await serveLocally((request, response) => {
		request.headers["cf-connecting-ip"] = address;
		return relay(new URL(target), { request, response }, check);
	});
	return {
		url: server.url,
		port: Number(new URL(server.url).port),
		called: () => called,
		counts: () => ({ ...counts }),
		faults: () => faults,
		changeAddress() {
			address = randomAddress();
		},
		stop: server.stop,
	};
}

function routesOf({ operations }: OpenApiDocument) {
	const literals = (path: string) => path.replace(/\{\w+\}/g, "").length;
	return operations
		.toSorted((one, other) => literals(other.path) - literals(one.path))
		.map((operation) => {
			const escaped = operation.path.replace(/[.*+?^$()|[\]\\]/g, "\\$&");
			// Only the last parameter of a path may contain slashes.
			const source = escaped.replace(/\{\w+\}$/, ".+").replace(/\{\w+\}/g, "[^/]+");
			return { method: operation.method.toUpperCase(), pattern: new RegExp(`^${source}$`), operation };
		});
}

function relay(
	target: URL,
	{ request, response }: { request: IncomingMessage; response: ServerResponse },
	check: (seen: Exchange) => void,
) {
	return new Promise<void>((done, failed) => {
		const { method = "GET", url = "/", headers } = request;
		const onward = forward(
			{ hostname: target.hostname, port: target.port, method, path: url, headers: { ...headers, "accept-encoding": "identity" } },
			(answer) => {
				const chunks: Buffer[] = [];
				response.writeHead(answer.statusCode ?? 502, answer.rawHeaders).flushHeaders();
				answer.on("data", (chunk: Buffer) => chunks.push(chunk));
				const type = answer.headers["content-type"]?.split(";")[0] ?? "";
				// A stream whose reader has left never ends, but what has arrived until then is checked too.
				answer.once("close", () => {
					const path = new URL(url, target).pathname;
					const text = Buffer.concat(chunks).toString();
					check({ method, path, status: answer.statusCode ?? 0, type, headers: answer.headers, text });
					done();
				});
				answer.pipe(response);
				// A caller may leave without reading the whole response, but the proxy reads all of it, except a stream.
				response.once("close", () => (type === "text/event-stream" ? answer.destroy() : answer.resume()));
			},
		);
		onward.once("error", failed);
		request.pipe(onward);
	});
}

/** Returns the complete events of a stream, without a last event that was cut off. */
function eventsOf(text: string): Record<string, string>[] {
	const blocks = text.split("\n\n").slice(0, -1);
	const fieldsOf = (block: string) =>
		block
			.split("\n")
			.filter((line) => /^\w+:/.test(line))
			.map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).replace(/^ /, "")]);
	return blocks.map((block): Record<string, string> => Object.fromEntries(fieldsOf(block))).filter(({ data }) => data !== undefined);
}

function faultsOf(
	document: OpenApiDocument,
	{ responses }: Operation,
	exchange: Exchange,
	events: readonly Record<string, string>[],
): string[] {
	const { status, type, headers, text, method } = exchange;
	const described = responses[String(status)];
	if (described === undefined) return ["the document does not have this status."];
	const missing = headers["x-request-id"] === undefined ? ["it has no X-Request-Id."] : [];
	const bad = Object.entries(described.headers ?? {}).flatMap(([name, { schema }]) =>
		faultsOfHeader(document, headers[name.toLowerCase()], schema).map((fault) => `${name} ${fault}`),
	);
	if (method === "HEAD" || (described.content === undefined && text === "")) return [...missing, ...bad];
	const media = described.content?.[type];
	if (media === undefined) return [`the document does not have ${type || "a body"} here.`];
	const content =
		type === "text/event-stream"
			? events.flatMap((event) => document.faultsOfEvent(media, event))
			: faultsOfText(document, exchange, media.schema);
	return [...missing, ...bad, ...content];
}

function faultsOfText(document: OpenApiDocument, { type, text }: Exchange, schema: Record<string, unknown>): string[] {
	if (type === "application/json" || type.endsWith("+json")) return document.faultsOf(schema, JSON.parse(text));
	return type.startsWith("text/") ? document.faultsOf(schema, text) : [];
}

/** A header is text, so a number in it is compared as a number. */
function faultsOfHeader(
	document: OpenApiDocument,
	value: string | readonly string[] | undefined,
	schema: Record<string, unknown>,
): string[] {
	if (value === undefined) return [];
	const isNumber = schema["type"] === "integer" || schema["type"] === "number";
	return document.faultsOf(schema, isNumber ? Number(value) : value);
}

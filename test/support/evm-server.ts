// Nodes of test chains over HTTP. Started once for all test files; a chain is made by POST /chains, and its node is at /chains/<id>.
// Besides the methods of a node, POST /chains/<id>/mine makes a block.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { TestProject } from "vitest/node";
import { z } from "zod";
import type { TestChain } from "./evm.ts";

declare module "vitest" {
	interface ProvidedContext {
		evmServer: string;
	}
}

const hex = z.templateLiteral(["0x", z.string()]);
const genesisBody = z.object({ chainId: z.number(), tokens: z.array(hex), batch: hex, rich: z.array(hex) });
const mineBody = z.object({ raw: hex.nullable(), timestamp: z.number() });
const callBody = z.object({ id: z.number(), method: z.string(), params: z.array(z.unknown()) });

const chains = new Map<string, TestChain>();

let stopServer: (() => Promise<void>) | null = null;

/** Called by vitest before the first test file. */
export async function setup(project: TestProject): Promise<void> {
	const server = createServer((request, response) => {
		route(request, response).catch((error: unknown) => send(response, 500, { error: String(error) }));
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const address = server.address();
	if (address === null || typeof address === "string") throw new Error("The server of test chains has no port.");
	project.provide("evmServer", `http://127.0.0.1:${address.port}`);
	stopServer = () =>
		new Promise<void>((resolve) => {
			server.close(() => resolve());
			server.closeAllConnections();
		});
}

/** Called by vitest after the last test file. */
export async function teardown(): Promise<void> {
	await stopServer?.();
}

async function route(request: IncomingMessage, response: ServerResponse): Promise<void> {
	const [, , id = "", verb] = (request.url ?? "").split("/");
	const body: unknown = JSON.parse(await readText(request));
	const chain = chains.get(id);
	if (id === "") await addChain(body, response);
	else if (chain === undefined) send(response, 404, { error: "No such chain." });
	else if (verb === "mine") {
		const { raw, timestamp } = mineBody.parse(body);
		send(response, 200, { hash: await chain.mine(raw, timestamp) });
	} else {
		const call = callBody.parse(body);
		const answer = await chain.respond(call.method, call.params);
		const outcome = answer ?? { error: { code: -32601, message: "the method does not exist" } };
		send(response, 200, { jsonrpc: "2.0", id: call.id, ...outcome });
	}
}

async function addChain(body: unknown, response: ServerResponse): Promise<void> {
	// The EVM takes a second to load, and most test files need none.
	const { TestChain } = await import("./evm.ts");
	const id = crypto.randomUUID();
	chains.set(id, await TestChain.create(genesisBody.parse(body)));
	send(response, 201, { id });
}

async function readText(request: IncomingMessage): Promise<string> {
	const chunks: Buffer[] = [];
	for await (const chunk of request) chunks.push(Buffer.from(chunk));
	return Buffer.concat(chunks).toString();
}

function send(response: ServerResponse, status: number, body: unknown): void {
	response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
}

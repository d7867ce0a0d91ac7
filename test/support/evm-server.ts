// Provides nodes of test chains over HTTP, once for all test files. POST /chains makes a chain, and its node is at /chains/<id>. In
// addition to the methods of a node, POST /chains/<id>/mine makes a block, and POST /chains/<id>/drop
// removes the newest ones.
import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { z } from "zod";
import type { TestChain } from "./evm.ts";
import { sendJson, serveAllFiles } from "./local-server.ts";

declare module "vitest" {
	interface ProvidedContext {
		evmServer: string;
	}
}

const hex = z.templateLiteral(["0x", z.string()]);
const genesisBody = z.object({
	chainId: z.number(),
	blocksUntilFinal: z.number(),
	tokens: z.array(hex),
	batches: z.array(hex),
	rich: z.array(hex),
});
const mineBody = z.object({ raw: hex.nullable(), timestamp: z.number() });
const dropBody = z.object({ blocks: z.number() });
const callBody = z.object({ id: z.number(), method: z.string(), params: z.array(z.unknown()) });

const chains = new Map<string, TestChain>();

export const { setup, teardown } = serveAllFiles("evmServer", route);

async function route(request: IncomingMessage, response: ServerResponse): Promise<void> {
	const [, , id = "", verb] = (request.url ?? "").split("/");
	const body: unknown = JSON.parse(await text(request));
	const chain = chains.get(id);
	if (id === "") await addChain(body, response);
	else if (chain === undefined) sendJson(response, 404, { error: "No such chain." });
	else if (verb === "mine") {
		const { raw, timestamp } = mineBody.parse(body);
		sendJson(response, 200, { hash: await chain.mine(raw, timestamp) });
	} else if (verb === "drop") sendJson(response, 200, { transactions: await chain.dropBlocks(dropBody.parse(body).blocks) });
	else {
		const call = callBody.parse(body);
		const answer = await chain.respond(call.method, call.params);
		const outcome = answer ?? { error: { code: -32601, message: "the method does not exist" } };
		sendJson(response, 200, { jsonrpc: "2.0", id: call.id, ...outcome });
	}
}

async function addChain(body: unknown, response: ServerResponse): Promise<void> {
	// The EVM takes a second to load, and most test files need none.
	const { TestChain } = await import("./evm.ts");
	const id = crypto.randomUUID();
	chains.set(id, await TestChain.create(genesisBody.parse(body)));
	sendJson(response, 201, { id });
}

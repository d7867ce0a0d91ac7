// Looks up contract wallets and payments over JSON-RPC on the configured nodes. Never writes to the chain.
import * as z from "zod";
import { SECOND_MS } from "../../../platform/clock.ts";
import { type OutboundDeps, sendOutbound } from "../../../platform/outbound.ts";

const TIMEOUT_MS = 10 * SECOND_MS;

export interface NodeCall<Result extends z.ZodType> {
	readonly rpcUrl: string;
	readonly method: "eth_call" | "eth_chainId" | "eth_getBlockByNumber" | "eth_getTransactionReceipt";
	readonly params: readonly unknown[];
	readonly result: Result;
	readonly maxResponseBytes: number;
}

/** `refused`: the node responded with an error. `unavailable`: it did not respond, or its response does not follow the protocol. */
export type NodeResponse<Value> = { readonly kind: "result"; readonly value: Value } | { readonly kind: "refused" | "unavailable" };

const envelope = z.union([z.object({ error: z.object({ code: z.number() }) }), z.object({ result: z.unknown() })]);

/**
 * Calls a node. Never throws, and never returns the node's messages or its URL: the URL can contain a secret, which nodes may repeat in
 * their messages.
 */
export async function callNode<Result extends z.ZodType>(
	deps: OutboundDeps,
	call: NodeCall<Result>,
): Promise<NodeResponse<z.output<Result>>> {
	const response = await sendOutbound(deps, {
		url: call.rpcUrl,
		headers: { "Content-Type": "application/json" },
		body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: call.method, params: call.params }),
		timeoutMs: TIMEOUT_MS,
		maxResponseBytes: call.maxResponseBytes,
	});
	const reply = response.kind === "responded" ? envelope.safeParse(parseReply(response.body)) : null;
	if (reply?.success !== true) return { kind: "unavailable" };
	if ("error" in reply.data) return { kind: "refused" };
	const value = call.result.safeParse(reply.data.result);
	return value.success ? { kind: "result", value: value.data } : { kind: "unavailable" };
}

function parseReply(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return null;
	}
}

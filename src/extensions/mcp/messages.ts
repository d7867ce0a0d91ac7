// Reads JSON-RPC messages.
import * as z from "zod";
import { type Fields, isFields, isNothing } from "../../domain/tool-arguments.ts";

const id = z.union([z.string(), z.int()]);
const message = z.object({
	jsonrpc: z.literal("2.0"),
	id: id.optional(),
	method: z.string().optional(),
	params: z.looseObject({}).optional(),
	result: z.unknown().optional(),
	error: z.unknown().optional(),
});

export type RpcMessage = z.output<typeof message>;

/** Reads a JSON-RPC message that MCP allows: a request, a notification or a response, never a batch. Returns null for anything else. */
export function parseMessage(json: unknown): RpcMessage | null {
	const parsed = message.safeParse(isFields(json) ? withoutNothing(json) : json).data;
	if (parsed === undefined) return null;
	const isResponse = parsed.result !== undefined || parsed.error !== undefined;
	return (parsed.method !== undefined) === isResponse ? null : parsed;
}

/** Removes parameters for which some clients send null or an empty value. Arguments of tools stay, because their schema normalizes them. */
function withoutNothing({ params, ...others }: Fields): Fields {
	if (isNothing(params)) return others;
	if (!isFields(params)) return { ...others, params };
	const { arguments: given, ...rest } = params;
	const named = isFields(given) && others["method"] === "prompts/get" ? pickSomething(given) : given;
	return {
		...others,
		params: { ...pickSomething(rest, (value) => value !== null && value !== ""), ...(isNothing(given) ? {} : { arguments: named }) },
	};
}

function pickSomething(fields: Fields, isSomething = (value: unknown) => !isNothing(value)): Fields {
	return Object.fromEntries(Object.entries(fields).filter(([, value]) => isSomething(value)));
}

/** Finds the id to repeat in the response to a body that is not a valid message. */
export function findId(json: unknown): string | number | null {
	return z.object({ id }).safeParse(json).data?.id ?? null;
}

const called = z.object({ name: z.string() });

/** Finds the name of the tool that a message calls, or null. */
export function findCalledTool({ method, params }: RpcMessage): string | null {
	return method === "tools/call" ? (called.safeParse(params).data?.name ?? null) : null;
}

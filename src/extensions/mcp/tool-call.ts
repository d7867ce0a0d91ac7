import type { Fields } from "../../domain/tool-arguments.ts";
import type { PublicCtx } from "../../ports/deps.ts";
import type { EndpointClient } from "./endpoint-client.ts";
import type { Call } from "./tool-row.ts";
import type { ToolName } from "./tools.ts";

/** A call of an existing tool, with normalized arguments. */
export interface NamedCall {
	readonly name: ToolName;
	readonly args: Fields;
}

export interface ToolCall {
	readonly ctx: PublicCtx;
	readonly api: EndpointClient;
	/** Aborted when the client has disconnected or has cancelled the call. */
	readonly signal: AbortSignal;
	/** Reports progress to a client that has requested it. Null for other clients. */
	readonly report: ((progress: Progress) => void) | null;
}

export interface Progress {
	readonly progress: number;
	readonly total: number;
	readonly message: string;
}

/** Builds the result of a tool that a row cannot describe. `chosen` is the call of the tool's row that fits the arguments, if any. */
export type OwnResult = (call: ToolCall, args: Fields, chosen: Call | null) => Promise<Fields>;

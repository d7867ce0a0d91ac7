// A supplier's wire format says how a request is written and how a reply is read.

export interface ReplyFormat {
	readonly name: string;
	/** The schema uses the part of JSON Schema that all endpoints enforce. */
	readonly schema: Readonly<Record<string, unknown>>;
}

/**
 * `cut_off`: the reply reached the limit of tokens. `late`: it did not end in time. `filtered`: the provider withheld it. `refused`: the
 * model declined. `unreadable`: the endpoint did not send a chat completion.
 */
export type ChatEnding = "complete" | "cut_off" | "late" | "filtered" | "refused" | "unreadable";

export interface ProtocolRequest {
	/** The supplier knows the model by this name. */
	readonly model: string;
	readonly system: string;
	readonly user: string;
	/** All calls of an evaluation share this beginning of `user`. */
	readonly sharedCharacters: number;
	readonly format: ReplyFormat;
	readonly maxTokens: number;
}

/** An assembler puts a reply together from the events of its stream. */
export interface ReplyAssembler {
	/** @throws Error if the supplier reports an error. */
	add(event: unknown): void;
	/** Returns the body that the supplier would have sent without a stream. Returns null if the reply has no end. */
	end(): unknown;
}

export interface Protocol {
	/** The path follows the base URL. */
	readonly path: string;
	headers(apiKey: string): Readonly<Record<string, string>>;
	body(request: ProtocolRequest): unknown;
	/** Starts to put a streamed reply together. */
	fold(): ReplyAssembler;
	/** Returns null if the body is not a reply of this protocol. */
	read(body: unknown): {
		/** The text is empty when the reply has none. */
		readonly text: string;
		readonly ending: ChatEnding;
		/** The number includes tokens from the cache. */
		readonly inputTokens: number;
		readonly outputTokens: number;
		/** It is undefined if the supplier does not say. */
		readonly cachedTokens: number | undefined;
		/** The supplier charges more for some tokens, so this many further ones are billed like input. */
		readonly surchargedTokens: number;
	} | null;
}

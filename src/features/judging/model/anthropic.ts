// Writes and reads the wire format of Anthropic's Messages API, with structured output and a cache breakpoint behind what all calls of an
// evaluation share.
import * as z from "zod";
import type { ChatEnding, Protocol, ProtocolRequest, ReplyAssembler } from "./protocol.ts";

const VERSION = "2023-06-01";
/** Tokens that are written into the cache cost this much more than others. */
const CACHE_WRITE_FACTOR = 1.25;

const count = z.number().int().min(0).nullish().catch(0);

const message = z.object({
	content: z.array(z.object({ type: z.string(), text: z.string().optional() })).catch([]),
	stop_reason: z.string().nullish().catch(null),
	usage: z
		.object({
			input_tokens: count,
			output_tokens: count,
			cache_creation_input_tokens: count,
			cache_read_input_tokens: count,
		})
		.catch({ input_tokens: 0, output_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 }),
});

const tokens = z.record(z.string(), z.unknown()).nullish();
const streamEvent = z.object({
	type: z.string(),
	message: z.object({ usage: tokens }).optional(),
	delta: z.object({ text: z.string().optional(), stop_reason: z.string().nullish() }).optional(),
	usage: tokens,
});

function foldMessage(): ReplyAssembler {
	let text = "";
	let usage: Readonly<Record<string, unknown>> = {};
	let stopReason: string | null = null;
	return {
		add(event) {
			const { type, message: begun, delta, usage: added } = streamEvent.parse(event);
			if (type === "error") throw new Error("The supplier reported an error in the stream.");
			text += type === "content_block_delta" ? (delta?.text ?? "") : "";
			stopReason = delta?.stop_reason ?? stopReason;
			usage = { ...usage, ...begun?.usage, ...added };
		},
		end: () => (stopReason === null ? null : { content: [{ type: "text", text }], stop_reason: stopReason, usage }),
	};
}

const ENDINGS: Readonly<Record<string, ChatEnding>> = {
	end_turn: "complete",
	stop_sequence: "complete",
	max_tokens: "cut_off",
	model_context_window_exceeded: "cut_off",
	refusal: "refused",
};

export const anthropicMessages: Protocol = {
	path: "/messages",
	headers: (apiKey) => ({ "x-api-key": apiKey, "anthropic-version": VERSION }),
	body: ({ model, system, user, sharedCharacters, format, maxTokens }: ProtocolRequest) => ({
		model,
		max_tokens: maxTokens,
		system: [{ type: "text", text: system }],
		messages: [{ role: "user", content: blocksOf(user, sharedCharacters) }],
		output_config: { format: { type: "json_schema", schema: format.schema } },
		stream: true,
	}),
	fold: foldMessage,
	read(body) {
		const parsed = message.safeParse(body);
		if (!parsed.success) return null;
		const { content, stop_reason, usage } = parsed.data;
		const cached = usage.cache_read_input_tokens ?? 0;
		const written = usage.cache_creation_input_tokens ?? 0;
		return {
			text: content.map(({ type, text }) => (type === "text" ? (text ?? "") : "")).join(""),
			ending: ENDINGS[stop_reason ?? ""] ?? "unreadable",
			inputTokens: (usage.input_tokens ?? 0) + cached + written,
			outputTokens: usage.output_tokens ?? 0,
			cachedTokens: cached,
			surchargedTokens: written * (CACHE_WRITE_FACTOR - 1),
		};
	},
};

/** Without the breakpoint, no call would find the files of another one in the cache. */
function blocksOf(user: string, sharedCharacters: number) {
	const [shared, own] = [user.slice(0, sharedCharacters), user.slice(sharedCharacters)];
	if (shared === "" || own === "") return [{ type: "text", text: user }];
	return [
		{ type: "text", text: shared, cache_control: { type: "ephemeral" } },
		{ type: "text", text: own },
	];
}

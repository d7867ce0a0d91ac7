// Lists exchanges with suppliers of models, as each supplier documents its wire format. `ANSWER` stands for the judge's response, as text.

export interface Exchange {
	/** The variables of the deployment. */
	readonly variables: Readonly<Record<`JUDGE_${string}`, string>>;
	readonly request: {
		readonly url: string;
		readonly headers: Readonly<Record<string, string>>;
		/** Fields that the body must have. */
		readonly body: Readonly<Record<string, unknown>>;
	};
	readonly reply: unknown;
	/** The usage that the platform counts. */
	readonly usage: {
		readonly inputTokens: number;
		readonly outputTokens: number;
		readonly cachedTokens?: number;
		readonly costMicroUsd: number;
	};
}

export const ANSWER = "ANSWER";

const chatCompletion = {
	id: "chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT",
	object: "chat.completion",
	created: 1_796_000_000,
	model: "the-model",
	choices: [
		{ index: 0, message: { role: "assistant", content: ANSWER, refusal: null, annotations: [] }, logprobs: null, finish_reason: "stop" },
	],
	usage: {
		prompt_tokens: 2_006,
		completion_tokens: 300,
		total_tokens: 2_306,
		prompt_tokens_details: { cached_tokens: 1_920, audio_tokens: 0 },
		completion_tokens_details: { reasoning_tokens: 192 },
	},
};

const anthropicMessage = {
	id: "msg_01XFDUDYJgAACzvnptvVoYEL",
	type: "message",
	role: "assistant",
	model: "the-model",
	content: [
		{ type: "thinking", thinking: "", signature: "EqQBCgIYAhIM" },
		{ type: "text", text: ANSWER },
	],
	stop_reason: "end_turn",
	stop_sequence: null,
	usage: {
		input_tokens: 90,
		cache_creation_input_tokens: 400,
		cache_read_input_tokens: 1_600,
		cache_creation: { ephemeral_5m_input_tokens: 400, ephemeral_1h_input_tokens: 0 },
		output_tokens: 300,
		service_tier: "standard",
	},
};

const JSON_SCHEMA = { response_format: { type: "json_schema", json_schema: { name: "answers", strict: true } } };
const COMPLETION_USAGE = { inputTokens: 2_006, outputTokens: 300, cachedTokens: 1_920 };
/** The cost is 86 tokens at 2 dollars for a million, 1,920 at 0.5 and 300 at 10. */
const COMPLETION_COST = 86 * 2 + 1_920 * 0.5 + 300 * 10;
const GATEWAY = "https://gateway.ai.cloudflare.com/v1/account/gateway";
const priced = (model: string) => ({ JUDGE_MODELS: model, JUDGE_PRICES: `${model}=2/10/0.5` });

export const EXCHANGES: Readonly<Record<string, Exchange>> = {
	openai: {
		variables: { ...priced("openai:gpt-5.1@low"), JUDGE_API_KEY: "key-o" },
		request: {
			url: "https://api.openai.com/v1/chat/completions",
			headers: { authorization: "Bearer key-o" },
			body: { model: "gpt-5.1", reasoning_effort: "low", max_completion_tokens: 2_048, ...JSON_SCHEMA },
		},
		reply: chatCompletion,
		usage: { ...COMPLETION_USAGE, costMicroUsd: COMPLETION_COST },
	},
	anthropic: {
		variables: { ...priced("anthropic:claude-sonnet-4-5"), JUDGE_API_KEY: "key-a" },
		request: {
			url: "https://api.anthropic.com/v1/messages",
			headers: { "x-api-key": "key-a", "anthropic-version": "2023-06-01" },
			body: { model: "claude-sonnet-4-5", max_tokens: 2_048, output_config: { format: { type: "json_schema" } } },
		},
		reply: anthropicMessage,
		usage: {
			inputTokens: 2_090,
			outputTokens: 300,
			cachedTokens: 1_600,
			// Tokens that are written into the cache cost a quarter more.
			costMicroUsd: (90 + 400 * 1.25) * 2 + 1_600 * 0.5 + 300 * 10,
		},
	},
	"workers ai": {
		variables: {
			...priced("workers-ai:@cf/openai/gpt-oss-120b"),
			JUDGE_API_KEY: "workers-ai=key-w",
			JUDGE_BASE_URL: "workers-ai=https://api.cloudflare.com/client/v4/accounts/account/ai/v1",
		},
		request: {
			url: "https://api.cloudflare.com/client/v4/accounts/account/ai/v1/chat/completions",
			headers: { authorization: "Bearer key-w" },
			body: { model: "@cf/openai/gpt-oss-120b", max_tokens: 2_048, ...JSON_SCHEMA },
		},
		reply: {
			...chatCompletion,
			choices: [{ index: 0, message: { role: "assistant", content: ANSWER }, finish_reason: "stop" }],
			usage: { prompt_tokens: 2_006, completion_tokens: 300, total_tokens: 2_306 },
		},
		usage: { inputTokens: 2_006, outputTokens: 300, costMicroUsd: 2_006 * 2 + 300 * 10 },
	},
	"a compatible server": {
		variables: {
			...priced("compatible:together/meta/model"),
			JUDGE_API_KEY: "together=key-t,anthropic=key-a",
			JUDGE_BASE_URL: "together=https://api.together.example/v1/",
			JUDGE_RESPONSE_FORMAT: "json_object",
			JUDGE_MAX_OUTPUT_TOKENS: "max_tokens:4096",
		},
		request: {
			url: "https://api.together.example/v1/chat/completions",
			headers: { authorization: "Bearer key-t" },
			body: { model: "meta/model", max_tokens: 4_096, response_format: { type: "json_object" } },
		},
		reply: chatCompletion,
		usage: { ...COMPLETION_USAGE, costMicroUsd: COMPLETION_COST },
	},
	"openai through AI Gateway": {
		variables: { ...priced("openai:gpt-5.1"), JUDGE_API_KEY: "openai=key-o,anthropic=key-a", JUDGE_BASE_URL: `gateway=${GATEWAY}` },
		request: {
			url: `${GATEWAY}/openai/chat/completions`,
			headers: { authorization: "Bearer key-o" },
			body: { model: "gpt-5.1", max_completion_tokens: 2_048, ...JSON_SCHEMA },
		},
		reply: chatCompletion,
		usage: { ...COMPLETION_USAGE, costMicroUsd: COMPLETION_COST },
	},
	"anthropic through AI Gateway": {
		variables: { ...priced("anthropic:claude-haiku-4-5"), JUDGE_API_KEY: "anthropic=key-a", JUDGE_BASE_URL: `gateway=${GATEWAY}` },
		request: { url: `${GATEWAY}/anthropic/v1/messages`, headers: { "x-api-key": "key-a" }, body: { model: "claude-haiku-4-5" } },
		reply: anthropicMessage,
		usage: { inputTokens: 2_090, outputTokens: 300, cachedTokens: 1_600, costMicroUsd: (90 + 400 * 1.25) * 2 + 1_600 * 0.5 + 300 * 10 },
	},
	"workers ai through AI Gateway": {
		variables: { ...priced("workers-ai:@cf/openai/gpt-oss-20b"), JUDGE_API_KEY: "key-w", JUDGE_BASE_URL: `gateway=${GATEWAY}` },
		request: {
			url: `${GATEWAY}/workers-ai/v1/chat/completions`,
			headers: { authorization: "Bearer key-w" },
			body: { model: "@cf/openai/gpt-oss-20b", max_tokens: 2_048, ...JSON_SCHEMA },
		},
		reply: chatCompletion,
		usage: { ...COMPLETION_USAGE, costMicroUsd: COMPLETION_COST },
	},
};

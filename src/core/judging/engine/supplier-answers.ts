// A table of what suppliers' errors mean. The first row that matches decides. Each row says where the error has been seen.

/** An error from a supplier: in the status of the response, inside a response with status 200, or as an event of a stream. */
export interface SupplierError {
	readonly status: number;
	/** The message and the codes of the supplier. They never contain a field that repeats the prompt or the reply. */
	readonly words: string;
}

/**
 * `account`: an error that no submission can cause, so the job waits. `reply_limit` and `input_limit`: the call is too long. `form`: the
 * server does not support what the request asks for. `failed`: every other error, which counts as one ask.
 */
export type Meaning = "account" | "reply_limit" | "input_limit" | "form" | "failed";

export interface Row {
	readonly meaning: Meaning;
	readonly statuses?: readonly number[];
	readonly words?: RegExp;
	readonly source: string;
}

const ROWS: readonly Row[] = [
	{ meaning: "failed", statuses: [400], words: /json_validate_failed/, source: "Groq, langchain issue 31459: the model wrote bad JSON" },
	{ meaning: "failed", statuses: [403], words: /moderation|flagged/i, source: "OpenRouter, errors: the input was flagged" },
	{
		meaning: "failed",
		statuses: [400],
		words: /content.?filter|content.?management|content.?policy|jailbreak|responsible.?ai|usage polic/i,
		source: "Azure OpenAI prompt shield, browser-use issue 4783",
	},
	{
		meaning: "reply_limit",
		statuses: [400, 422],
		words:
			/max_(?:completion_|output_|new_)?tokens\W{0,3}(?: or \W?max_\w+\W)?(?:is|are|must|should|cannot|exceeds?|:)?[^.]{0,40}(?:too (?:large|high)|at most|less than|greater than|maximum)/i,
		source: "vLLM issue 42474, Groq, DeepSeek, Mistral: the limit of the reply is too large",
	},
	{
		meaning: "reply_limit",
		statuses: [400],
		words: /input length and .?max_tokens.? exceed context limit/i,
		source: "Anthropic, errors",
	},
	{
		meaning: "input_limit",
		statuses: [400, 413, 429, 500],
		words:
			/exceed_context_size|context.?(?:length|window|size|limit)|maximum context|prompt is too long|too many (?:input )?tokens|input token count|exceeds the (?:maximum number of tokens|available context)|maximum prompt length|request too large|reduce the length|range of input length|payload too large/i,
		source: "OpenAI, Anthropic, Gemini (gemini-cli 4692), xAI, Together, DashScope, Groq's 429, llama.cpp's 400 and 500",
	},
	{ meaning: "input_limit", statuses: [413], source: "HTTP; Anthropic's request_too_large" },
	{
		meaning: "form",
		statuses: [400, 404, 415, 422, 500, 501],
		words:
			/response_format|json_schema|json_object|structured.?output|output_config|output_format|grammar|stream_options|\bstream(?:ing)?\b|max_completion_tokens|unknown (?:field|name|parameter).{0,30}max_tokens|max_tokens.{0,40}not supported/i,
		source: "llama-cpp-python's 500, LM Studio issue 189, DeepSeek (llm-exe 662), Mistral's 422 (litellm 9583)",
	},
	{
		meaning: "account",
		statuses: [401, 402, 403, 404, 408, 425, 429, 498],
		source: "HTTP; Groq's 498 means that Groq has no capacity left",
	},
	{ meaning: "failed", source: "all other answers" },
];

export function meaningOf({ status, words }: SupplierError): Row {
	const row = ROWS.find(({ statuses, words: pattern }) => (statuses?.includes(status) ?? true) && (pattern?.test(words) ?? true));
	if (row === undefined) throw new Error("No row matched the answer, although the last row matches everything.");
	return row;
}

const MAX_WORDS = 2_000;
const JSON_FIELD = /"\s*:/;

/** Returns the supplier's message and codes from the body of a response. */
export function wordsOf(body: unknown): string {
	// Drops JSON that could not be parsed, for example because it was truncated: one of its fields may contain the reply.
	if (typeof body === "string") return JSON_FIELD.test(body) ? "" : stripTags(body).slice(0, MAX_WORDS);
	if (!isRecord(body)) return "";
	const error = isRecord(body["error"]) ? body["error"] : body;
	const plain = typeof body["error"] === "string" ? [body["error"]] : [];
	const parts = [...plain, ...["message", "msg", "code", "type", "param", "status"].map((name) => error[name]), ...detailsOf(error)];
	return parts
		.filter((part) => typeof part === "string" || typeof part === "number")
		.join(" ")
		.slice(0, MAX_WORDS);
}

/** Reads FastAPI's list of faults in a request, and the provider's message that OpenRouter adds. Leaves out what repeats the request. */
function detailsOf(error: Readonly<Record<string, unknown>>): unknown[] {
	const { detail, metadata } = error;
	if (typeof detail === "string") return [detail];
	const listed = Array.isArray(detail) ? detail : [];
	const named = listed.filter(isRecord).flatMap(({ loc, msg }) => [Array.isArray(loc) ? loc.join(".") : "", msg]);
	if (!isRecord(metadata)) return named;
	const { raw, reasons } = metadata;
	return [...named, wordsOf(typeof raw === "string" ? parseBody(raw) : raw), Array.isArray(reasons) ? "moderation" : ""];
}

/** Parses the body of a response. Returns the text itself if it is not JSON. */
export function parseBody(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return text;
	}
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

function stripTags(text: string): string {
	return text
		.slice(0, 4 * MAX_WORDS)
		.replace(/<[^<>]{0,200}>/g, " ")
		.replace(/\s+/g, " ")
		.trim();
}

const STATUS_OF_TYPE: ReadonlyMap<string, number> = new Map([
	["invalid_request_error", 400],
	["authentication_error", 401],
	["billing_error", 402],
	["permission_error", 403],
	["not_found_error", 404],
	["request_too_large", 413],
	["rate_limit_error", 429],
	["rate_limit_exceeded", 429],
	["insufficient_quota", 429],
	["api_error", 500],
	["timeout_error", 504],
	["overloaded_error", 529],
]);
const BAD_GATEWAY = 502;

/** Finds an error in a body with status 200, or in an event. Returns null if there is none. */
export function errorInside(body: unknown): SupplierError | null {
	if (!isRecord(body) || body["error"] === undefined || body["error"] === null || body["error"] === "") return null;
	const error = isRecord(body["error"]) ? body["error"] : {};
	const codes = [error["code"], error["status"], body["code"]].map(Number).filter((code) => code >= 400 && code < 600);
	const named = [error["type"], error["code"]].flatMap((name) => STATUS_OF_TYPE.get(String(name)) ?? []);
	return { status: codes[0] ?? named[0] ?? BAD_GATEWAY, words: wordsOf(body) };
}

const SHOWN_WORDS = 300;

/** Returns at most 300 characters of the supplier's words for operators, without anything that looks like a key. */
export function showWords(words: string): string {
	return words
		.replace(/\b(?:sk|gsk|pk|key|xai|hf|AIza)[-_A-Za-z0-9]{8,}|\bBearer\s+\S+|\b[A-Za-z0-9_-]{32,}\b/g, "[key]")
		.slice(0, SHOWN_WORDS);
}

/** The model's context and the request's input, in tokens. Null if the supplier does not mention them. */
export interface SaidSizes {
	readonly context: number | null;
	readonly input: number | null;
}

const NUMBER = "(\\d[\\d,]{2,11})";
const CONTEXT = [
	`(?:maximum context length|context length|context window|context size|context limit|n_ctx|maximum number of tokens allowed|maximum prompt length)[^\\d]{0,30}${NUMBER}`,
	`> ?${NUMBER}(?: maximum)?`,
	`Limit ${NUMBER}`,
	`\\[1, ?${NUMBER}\\]`,
].map((pattern) => new RegExp(pattern, "i"));
const INPUT = [
	`${NUMBER} (?:input )?tokens? ?(?:>|\\(|in the messages|from the input)`,
	`(?:has|resulted in|contains|requested|n_prompt_tokens\\W{0,3}|input token count[^\\d]{0,8}|prompt contains|Requested tokens \\(|Requested|too long:) ?\\(?${NUMBER}`,
	`${NUMBER} \\+ \\d+ > \\d+`,
].map((pattern) => new RegExp(pattern, "i"));

export function sizesIn(words: string): SaidSizes {
	const first = (patterns: readonly RegExp[]) => patterns.map((pattern) => pattern.exec(words)?.[1]).find((digits) => digits !== undefined);
	const [context, input] = [first(CONTEXT), first(INPUT)].map((digits) =>
		digits === undefined ? null : Number(digits.replaceAll(",", "")),
	);
	return { context: context ?? null, input: input ?? null };
}

// The variables that configure a judge. A separate file, because the command line reads them without the rest.
import * as z from "zod";

const DEFAULT_BASE_URL = "https://api.openai.com/v1";
/** A Worker has at most six connections open at once. */
const DEFAULT_PARALLEL_CALLS = 6;

export type JudgeSettings = { readonly kind: "offline" } | ModelJudgeSettings;

/** How to reach models over the chat-completions protocol, and how much to spend on a reply. */
export interface ModelJudgeSettings {
	readonly kind: "openai";
	readonly baseUrl: string;
	readonly apiKey: string;
	/** The samples of a criterion are spread over these, in this order. At least one. */
	readonly models: readonly string[];
	/** The requested format. Every reply is checked against the schema. */
	readonly responseFormat: "json_schema" | "json_object" | "text";
	/** The endpoint's parameter for the maximum length of a reply. */
	readonly tokenLimitField: "max_completion_tokens" | "max_tokens";
	readonly maxOutputTokens: number;
	/** Characters of task, manifest and files together in one call. */
	readonly maxInputCharacters: number;
	/** Of one call, from its start to the last byte of the reply. */
	readonly timeoutMs: number;
	readonly parallelCalls: number;
	/** Null leaves it to the endpoint; some models accept only their default. */
	readonly temperature: number | null;
	/** Samples per criterion, by rising task budget. */
	readonly sampleSteps: readonly SampleStep[];
	/** US dollars per million tokens, which equals millionths of a dollar per token. */
	readonly prices: ReadonlyMap<string, Price>;
}

export interface SampleStep {
	readonly fromBudgetCents: number;
	readonly samples: number;
}

export interface Price {
	readonly input: number;
	/** Of input that the provider had in its cache. */
	readonly cached: number;
	readonly output: number;
}

const integer = (min: number, max: number) => z.coerce.number<string>().int().min(min).max(max);

const listOf = (text: string) =>
	text
		.split(",")
		.map((item) => item.trim())
		.filter((item) => item !== "");

const models = z
	.string()
	.transform(listOf)
	.refine((list) => list.length > 0 && list.length <= 10, "must name 1 to 10 models, separated by commas");

const sampleSteps = z
	.string()
	.regex(/^\s*0:\d+(\s*,\s*\d+:\d+)*\s*$/, "must be like 0:1,100000:3,1000000:5: budget in cents, then samples, starting at 0")
	.transform((text) =>
		listOf(text)
			.map((step) => step.split(":").map(Number))
			.map(([fromBudgetCents = 0, samples = 1]) => ({ fromBudgetCents, samples }))
			.toSorted((a, b) => a.fromBudgetCents - b.fromBudgetCents),
	)
	.refine((steps) => steps.every(({ samples }) => samples >= 1 && samples <= 15), "must ask for 1 to 15 samples at each budget");

const PRICE = /^(.+)=(\d+(?:\.\d+)?)\/(\d+(?:\.\d+)?)(?:\/(\d+(?:\.\d+)?))?$/;

const prices = z
	.string()
	.refine(
		(text) => listOf(text).every((item) => PRICE.test(item)),
		"must be like model=0.25/2 or model=0.25/2/0.03: dollars for a million tokens in, out, and in from the cache",
	)
	.transform((text) => new Map(listOf(text).map(readPrice)));

function readPrice(item: string): [string, Price] {
	const [, model = "", input = "0", output = "0", cached = input] = PRICE.exec(item) ?? [];
	return [model.trim(), { input: Number(input), cached: Number(cached), output: Number(output) }];
}

/** docs/pages/operating/configuration.mdx describes each. */
export const judgeVariables = z.object({
	JUDGE: z.enum(["offline", "openai"]).optional(),
	JUDGE_BASE_URL: z.url({ protocol: /^https?$/ }).default(DEFAULT_BASE_URL),
	JUDGE_API_KEY: z.string().min(1).optional(),
	JUDGE_MODELS: models.optional(),
	JUDGE_RESPONSE_FORMAT: z.enum(["json_schema", "json_object", "text"]).default("json_schema"),
	JUDGE_TOKEN_LIMIT_FIELD: z.enum(["max_completion_tokens", "max_tokens"]).default("max_completion_tokens"),
	JUDGE_MAX_OUTPUT_TOKENS: integer(256, 100_000).default(8192),
	JUDGE_MAX_INPUT_CHARACTERS: integer(10_000, 4_000_000).default(400_000),
	JUDGE_TIMEOUT_SECONDS: integer(1, 600).default(120),
	JUDGE_PARALLEL_CALLS: integer(1, 50).default(DEFAULT_PARALLEL_CALLS),
	JUDGE_TEMPERATURE: z.coerce.number<string>().min(0).max(2).optional(),
	JUDGE_SAMPLES: sampleSteps.prefault("0:1,100000:3,1000000:5"),
	JUDGE_PRICES: prices.prefault(""),
});

type JudgeVariables = z.output<typeof judgeVariables>;

/** What is missing for the judge that was chosen, as the variable and what is wrong with it. */
export function findJudgeFaults(variables: JudgeVariables): { readonly variable: string; readonly message: string }[] {
	if (variables.JUDGE !== "openai") return [];
	const required = ["JUDGE_API_KEY", "JUDGE_MODELS"] as const;
	return required
		.filter((variable) => variables[variable] === undefined)
		.map((variable) => ({ variable, message: "is required when JUDGE is openai" }));
}

/** The judge that the variables describe, or null when they choose none. Call it only without {@link findJudgeFaults}. */
export function readJudgeSettings(variables: JudgeVariables): JudgeSettings | null {
	if (variables.JUDGE === undefined) return null;
	if (variables.JUDGE === "offline") return { kind: "offline" };
	return {
		kind: "openai",
		baseUrl: variables.JUDGE_BASE_URL.replace(/\/+$/, ""),
		apiKey: variables.JUDGE_API_KEY ?? "",
		models: variables.JUDGE_MODELS ?? [],
		responseFormat: variables.JUDGE_RESPONSE_FORMAT,
		tokenLimitField: variables.JUDGE_TOKEN_LIMIT_FIELD,
		maxOutputTokens: variables.JUDGE_MAX_OUTPUT_TOKENS,
		maxInputCharacters: variables.JUDGE_MAX_INPUT_CHARACTERS,
		timeoutMs: variables.JUDGE_TIMEOUT_SECONDS * 1000,
		parallelCalls: variables.JUDGE_PARALLEL_CALLS,
		temperature: variables.JUDGE_TEMPERATURE ?? null,
		sampleSteps: variables.JUDGE_SAMPLES,
		prices: variables.JUDGE_PRICES,
	};
}

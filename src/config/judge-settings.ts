// The settings that say which models judge, how they judge, and what they may cost.
import * as z from "zod";
import { CHECKS_BOUNDS } from "../domain/checks.ts";
import { MICRO_USD, type SpendSettings } from "../domain/spend.ts";
import { findSupplierEndpoint, listBaseUrls, readModel } from "./judge-suppliers.ts";
import { flag, httpUrl, optional, requiredText, settingsOf, splitList, wholeNumber } from "./setting.ts";

/** The names of models. In `cheap > strong,...`, the model before `>` judges first, and the others judge the second stage. */
const models = z
	.string()
	.transform((list) => {
		const [first = "", ...rest] = list.split(">");
		const isStaged = rest.length > 0;
		return { screening: isStaged ? first.trim() : null, judging: splitList(isStaged ? rest.join(">") : first) };
	})
	.refine(({ judging }) => judging.length > 0 && judging.length <= 10, "must name 1 to 10 models, separated by commas")
	.refine(
		({ screening, judging }) => screening === null || (screening !== "" && !/[,>]/.test(screening + judging.join(""))),
		"must name one model before >, and 1 to 10 models after it",
	);

const baseUrls = z
	.string()
	.refine((list) => listBaseUrls(list).length > 0 && listBaseUrls(list).every((url) => httpUrl.safeParse(url).success), {
		message: "must be a URL, or a URL for each supplier, like openai=https://...,together=https://...",
	})
	.transform((list) =>
		splitList(list)
			.map((url) => url.replace(/\/+$/, ""))
			.join(","),
	);

/** The prices of a model, in US dollars per million tokens. This is the same as millionths of a dollar per token. */
export interface Price {
	readonly input: number;
	/** The price of input that the supplier serves from its cache. */
	readonly cached: number;
	readonly output: number;
}

/** The price that counts for a model without a configured price, so that ceilings limit its use too. */
export const UNKNOWN_PRICE: Price = { input: 3, cached: 3, output: 15 };

const PRICE = /^(.+)=(\d+(?:\.\d+)?)\/(\d+(?:\.\d+)?)(?:\/(\d+(?:\.\d+)?))?$/;

const prices = z
	.string()
	.refine(
		(list) => splitList(list).every((item) => PRICE.test(item)),
		"must be like model=0.25/2 or model=0.25/2/0.03: dollars per million input, output and cached input tokens",
	)
	.transform((list): ReadonlyMap<string, Price> => new Map(splitList(list).map(readPrice)));

function readPrice(item: string): [string, Price] {
	const [, model = "", input = "0", output = "0", cached = input] = PRICE.exec(item) ?? [];
	return [model.trim(), { input: Number(input), cached: Number(cached), output: Number(output) }];
}

/** A number of tokens. The prefix `max_tokens:` selects the older name of the field in requests, for servers that reject the newer one. */
const outputLimit = z
	.string()
	.regex(/^(max_tokens:)?\d{1,6}$/, "must be a number of tokens, such as 2048 or max_tokens:2048")
	.transform((value) => ({
		field: value.startsWith("max_tokens:") ? ("max_tokens" as const) : ("max_completion_tokens" as const),
		tokens: Number(value.replace("max_tokens:", "")),
	}))
	.refine(({ tokens }) => tokens >= 256 && tokens <= 100_000, "must be from 256 to 100000 tokens");

const decimal = (max: number) =>
	z
		.string()
		.refine((text) => /^\d{1,3}(\.\d{1,6})?$/.test(text) && Number(text) <= max, { message: `must be a number from 0 to ${max}` })
		.transform(Number);

const MAX_TEMPERATURE = 2;
/** The largest possible standard deviation of a value between 0 and 1, such as the value of a check. */
const MAX_NOISE = 0.5;
const MAX_CALLS_AT_ONCE = 12;

const judge = settingsOf("Judge", "In `llm` and `hybrid` mode, language models with a chat-completions API judge the submissions.");

export const judgeSettings = z
	.object({
		kind: judge("JUDGE", optional(z.enum(["offline", "openai"])), {
			ifInvalid: { closes: "judging" },
			meaning: "`openai` uses models; `offline` is for development and tests",
		}),
		apiKey: judge("JUDGE_API_KEY", optional(requiredText), {
			isSecret: true,
			need: "required",
			ifInvalid: { closes: "judging" },
			meaning: "the API key of the supplier, or `supplier=key,...` for models from several suppliers",
		}),
		models: judge("JUDGE_MODELS", optional(models), {
			need: "required",
			ifInvalid: { closes: "judging" },
			meaning:
				"1 to 10 names, separated by commas: `openai:<model>`, `anthropic:<model>`, `workers-ai:<model>`, `compatible:<name>/<model>`, or a name that the server at `JUDGE_BASE_URL` knows. Samples are spread over them in this order. `cheap > strong` judges in [two stages](/docs/operating/model-suppliers#two-stages)",
		}),
		baseUrl: judge("JUDGE_BASE_URL", baseUrls.prefault("https://api.openai.com/v1"), {
			ifInvalid: { closes: "judging" },
			meaning:
				"API base URL, without `/chat/completions`. For models from several suppliers, `supplier=URL,...`; `gateway=URL` is a Cloudflare AI Gateway. See [model suppliers](/docs/operating/model-suppliers)",
		}),
		responseFormat: judge("JUDGE_RESPONSE_FORMAT", z.enum(["json_schema", "json_object", "text"]).prefault("json_schema"), {
			ifInvalid: { closes: "judging" },
			meaning:
				"the response format to request first: `json_schema`, `json_object`, or `text` for none. If a server rejects it, the next one is tried",
		}),
		outputLimit: judge("JUDGE_MAX_OUTPUT_TOKENS", outputLimit.prefault("2048"), {
			ifInvalid: { closes: "judging" },
			meaning:
				"the maximum number of tokens in a reply, including reasoning tokens. `max_tokens:2048` sends the limit only as `max_tokens`, for servers that reject the newer field `max_completion_tokens`",
		}),
		maxInputCharacters: judge("JUDGE_MAX_INPUT_CHARACTERS", wholeNumber(10_000, 4_000_000).prefault("400000"), {
			ifInvalid: { closes: "judging" },
			meaning:
				"the maximum number of characters of task, manifest and files in one request; the criterion and the reply format come on top. Two to three characters of code are about one token",
		}),
		checksPerCall: judge("JUDGE_CHECKS_PER_CALL", wholeNumber(1, CHECKS_BOUNDS.perCriterion).prefault("2"), {
			ifInvalid: { closes: "judging" },
			meaning: "the maximum number of one criterion's checks in a request. Models judge better when one request asks for less",
		}),
		isConfirming: judge("JUDGE_CONFIRM", flag.prefault("true"), {
			ifInvalid: { closes: "judging" },
			meaning:
				"`false` skips the second request, which shows a model only the quoted lines. [Without it](/docs/judging/llm#confirm-the-quotes), it is easier for a submission to talk a model into saying yes",
		}),
		confirmModel: judge("JUDGE_CONFIRM_MODEL", optional(requiredText), {
			ifInvalid: { closes: "judging" },
			meaning: "one name as in `JUDGE_MODELS`: the model that confirms the quotes of all others. By default each model confirms its own",
		}),
		callsAtOnce: judge("JUDGE_CALLS_AT_ONCE", optional(wholeNumber(1, MAX_CALLS_AT_ONCE)), {
			ifInvalid: { closes: "judging" },
			meaning:
				"how many requests to one model run in parallel at first. The number grows while replies begin quickly and shrinks while they begin late. By default 1 for models with the prefix `compatible:` or without a prefix, and 12 for the others",
		}),
		temperature: judge("JUDGE_TEMPERATURE", optional(decimal(MAX_TEMPERATURE)), {
			ifInvalid: { closes: "judging" },
			meaning: "the temperature to request from `compatible:` servers, 0 to 2. By default the server decides. Receipts record it",
		}),
		prices: judge("JUDGE_PRICES", prices.prefault(""), {
			ifInvalid: { closes: "judging" },
			meaning:
				"`model=in/out,...` or `model=in/out/cached,...` in US dollars per million tokens; `cached` is the price of cached input. A model without a price is counted as costing 3 dollars for input and 15 dollars for output",
		}),
	})
	.transform(({ kind, apiKey, models, confirmModel, ...rest }, context) => {
		if (kind !== "openai") return kind === null ? null : { kind };
		for (const [name, value] of Object.entries({ apiKey, models })) {
			if (value === null) context.addIssue({ code: "custom", path: [name], message: "is required when JUDGE is openai" });
		}
		const { screening = null, judging = [] } = models ?? {};
		const named = [screening, ...judging, confirmModel].filter((name) => name !== null);
		for (const name of named) {
			if (apiKey === null || findSupplierEndpoint(readModel(name), { baseUrl: rest.baseUrl, apiKey }) !== null) continue;
			const path = name === confirmModel ? "confirmModel" : "models";
			context.addIssue({ code: "custom", path: [path], message: "names a model that has no base URL or key" });
		}
		return {
			kind,
			apiKey: apiKey ?? "",
			models: judging,
			...(screening === null ? {} : { screeningModel: screening }),
			confirmModel,
			...rest,
		};
	});

/** The settings of a judge that asks language models. */
export type ModelJudgeSettings = Readonly<Extract<z.output<typeof judgeSettings>, { kind: "openai" }>>;

const MAX_USD = 1_000_000_000;
/** The percentage of a task's budget that judging may cost. An operator can change it while the platform runs. */
const TASK_BUDGET_PERCENT = 10;

const usdCeiling = optional(
	z
		.string()
		.refine((usd) => Number(usd) >= 0.01 && Number(usd) <= MAX_USD, `must be US dollars from 0.01 to ${MAX_USD}`)
		.transform((usd) => Math.round(Number(usd) * MICRO_USD)),
);

const spending = settingsOf("Spending ceilings", "Limits on the cost of judging.");

const spendSettings = z
	.object({
		task: spending("JUDGE_MAX_USD_PER_TASK", usdCeiling, {
			ifInvalid: { closes: "judging" },
			meaning: "US dollars for everything that judging one task uses: submissions, re-evaluations, final round, judge check, dry runs",
		}),
		posterDay: spending("JUDGE_MAX_USD_PER_POSTER_DAY", usdCeiling, {
			ifInvalid: { closes: "judging" },
			meaning: "US dollars for all tasks of a poster in a UTC day",
		}),
		deploymentDay: spending("JUDGE_MAX_USD_PER_DAY", usdCeiling, {
			ifInvalid: { closes: "judging" },
			meaning: "US dollars for the whole deployment in a UTC day",
		}),
		payerSharePercent: spending("JUDGE_PAYER_SHARE", wholeNumber(1, 100).prefault("10"), {
			ifInvalid: { closes: "judging" },
			meaning:
				"the percentage of `JUDGE_MAX_USD_PER_DAY` that one person or network can use in a UTC day, but always enough for three typical evaluations",
		}),
	})
	.transform(
		({ task, posterDay, deploymentDay, payerSharePercent }): SpendSettings => ({
			ceilings: {
				task_micro_usd: task,
				task_budget_percent: TASK_BUDGET_PERCENT,
				poster_day_micro_usd: posterDay,
				deployment_day_micro_usd: deploymentDay,
			},
			payerSharePercent,
		}),
	);

export const judgingSettings = {
	judge: judgeSettings,
	spend: spendSettings,
	/** If true, tasks that a model judges get a final round unless the poster says otherwise. */
	finalRoundDefault: judge("FINAL_ROUND_DEFAULT", flag.prefault("false"), {
		owner: "final-round",
		ifInvalid: "default",
		meaning: "`true` gives new tasks in `llm` and `hybrid` mode a [final round](/docs/judging/overview#the-final-round) by default",
	}),
	/**
	 * The standard deviation of one check's value in one sample, from 0 to 1. Rank ranges and the selection for a final round depend on it.
	 */
	judgeNoise: judge("JUDGE_NOISE", decimal(MAX_NOISE).prefault("0.3"), {
		ifInvalid: "default",
		meaning:
			"how much your model's answer to one check varies, as the standard deviation of its value from 0 to 1. Rank intervals and the selection for a final round are computed from it. `npm run judge -- --calibrate` [measures it](/docs/operating/model-suppliers#measure-the-noise)",
	}),
	/** If true, a published task gets a judge check, with submissions that should earn nothing. */
	judgeCheck: judge("JUDGE_CHECK", flag.prefault("true"), {
		owner: "judge-check",
		ifInvalid: "default",
		meaning:
			"`false` turns off the [judge check](/docs/judging/overview#the-judge-check), which needs 4 evaluations per published task (10 in mode `container`, 13 in mode `hybrid`), and one more for each dry run that the poster has marked as a reference",
	}),
};

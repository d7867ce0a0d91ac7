import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { parseConfig } from "../../src/config/env.ts";
import { createJudge } from "../../src/core/judging/engine/choose.ts";
import { systemClock } from "../../src/platform/clock.ts";

const own = { PUBLIC_URL: "https://api.example", SECRETS_KEY: btoa("x".repeat(32)) };
const production = { ENVIRONMENT: "production", JUDGE: undefined, ...own };
const openai = { JUDGE: "openai", JUDGE_API_KEY: "key", JUDGE_MODELS: "m" };

/** Returns the test environment with some variables replaced. */
function configOf(variables: Readonly<Record<string, string | undefined>>) {
	const known = Object.fromEntries(Object.entries({ ...env, ...variables }).filter(([, value]) => value !== undefined));
	return parseConfig(known);
}

describe("two stages", () => {
	it("are named by one model before the others", () => {
		const { judge } = configOf({ ...production, ...openai, JUDGE_MODELS: "openai:small > openai:large, anthropic:large" });
		expect(judge).toMatchObject({ screeningModel: "openai:small", models: ["openai:large", "anthropic:large"] });
		const created = createJudge({ clock: systemClock, fetch }, { judge }, null);
		expect(created).toMatchObject({ models: ["openai:large", "anthropic:large"], screening: { models: ["openai:small"] } });
	});
});

describe("a deployment", () => {
	it("has no judge by default, and never the offline one", () => {
		expect(createJudge({ clock: systemClock, fetch }, configOf(production), null)).toBeNull();
		expect(() => configOf({ ...production, JUDGE: "offline" })).toThrow(/JUDGE: the offline judge/);
	});

	it("calls models by its settings", () => {
		const variables = {
			JUDGE_BASE_URL: "https://api.anthropic.com/v1/",
			JUDGE_MODELS: " m1 , @cf/openai/m2 ",
			JUDGE_CHECKS_PER_CALL: "1",
			JUDGE_CONFIRM_MODEL: "m3",
			JUDGE_TEMPERATURE: "0.2",
			JUDGE_CALLS_AT_ONCE: "3",
			JUDGE_PRICES: "m1=0.25/2, @cf/openai/m2=1/1.5/0.1",
			JUDGE_MAX_OUTPUT_TOKENS: "1000",
		};
		const { judge } = configOf({ ...production, ...openai, ...variables });
		expect(judge).toMatchObject({
			kind: "openai",
			baseUrl: "https://api.anthropic.com/v1",
			models: ["m1", "@cf/openai/m2"],
			outputLimit: { field: "max_completion_tokens", tokens: 1000 },
			...{ checksPerCall: 1, isConfirming: true, confirmModel: "m3", temperature: 0.2, callsAtOnce: 3 },
		});
		expect(judge?.kind === "openai" && [...judge.prices]).toEqual([
			["m1", { input: 0.25, cached: 0.25, output: 2 }],
			["@cf/openai/m2", { input: 1, cached: 0.1, output: 1.5 }],
		]);
	});

	it("has defaults for everything except the key and the models", () => {
		expect(configOf({ ...production, ...openai }).judge).toMatchObject({
			baseUrl: "https://api.openai.com/v1",
			responseFormat: "json_schema",
			outputLimit: { tokens: 2048 },
			...{ checksPerCall: 2, isConfirming: true, confirmModel: null, temperature: null, callsAtOnce: null },
		});
		expect(configOf({ ...production, ...openai }).judgeNoise).toBe(0.3);
		expect(configOf({ ...openai, JUDGE: "offline" }).judgeNoise).toBe(0);
	});

	it.each([
		["JUDGE_API_KEY", undefined],
		["JUDGE_MODELS", undefined],
		["JUDGE_MODELS", " , "],
		["JUDGE_MODELS", "cheap >"],
		["JUDGE_MODELS", "> strong"],
		["JUDGE_MODELS", "a, b > strong"],
		["JUDGE_MODELS", "a > b > c"],
		["JUDGE_BASE_URL", "http://models.example.com/v1"],
		["JUDGE_CHECKS_PER_CALL", "0"],
		["JUDGE_CHECKS_PER_CALL", "9"],
		["JUDGE_CONFIRM_MODEL", "compatible:other/m"],
		["JUDGE_TEMPERATURE", "3"],
		["JUDGE_CALLS_AT_ONCE", "0"],
		["JUDGE_NOISE", "0.7"],
		["JUDGE_PRICES", "m=1/2/3/4"],
		["JUDGE_MAX_OUTPUT_TOKENS", "0"],
	])("does not start with %s=%s, and names the variable", (variable, value) => {
		expect(() => configOf({ ...production, ...openai, [variable]: value })).toThrow(`${variable}:`);
	});
});

// Provides a model judge that calls the scripted server.
import { type ModelJudgeSettings, judgeSettings as schema } from "../../src/config/judge-settings.ts";
import { readVariables } from "../../src/config/setting.ts";
import type { CallDeps } from "../../src/core/judging/engine/calling.ts";
import { createModelJudge } from "../../src/core/judging/engine/model-judge.ts";
import { systemClock } from "../../src/platform/clock.ts";
import type { Judge } from "../../src/ports/judge.ts";
import type { ScriptedJudge } from "./judge-script.ts";
import { forgetLearned } from "./scripted-model.ts";

/** Variables of a deployment. */
export type JudgeChoices = Readonly<Record<`JUDGE_${string}`, string>>;

/** Returns the settings of a model judge. By default, nothing is confirmed, so a script needs only one call for two checks. */
export function judgeSettings(variables: JudgeChoices): ModelJudgeSettings {
	const env = {
		...{ JUDGE: "openai", JUDGE_API_KEY: "test-key", JUDGE_MODELS: "model-a", JUDGE_CONFIRM: "false", JUDGE_CALLS_AT_ONCE: "4" },
		...variables,
	};
	const settings = schema.parse(readVariables(schema, env));
	if (settings?.kind !== "openai") throw new Error("Not a model judge.");
	return settings;
}

const REAL: CallDeps = { clock: systemClock, fetch: (url, init) => fetch(url, init) };

/** Makes a judge whose models need no probe, and forgets what the isolate has learned about models. */
export function judgeOf(script: Pick<ScriptedJudge, "baseUrl">, choices: JudgeChoices = {}, deps: CallDeps = REAL): Judge {
	forgetLearned();
	return createModelJudge(deps, judgeSettings({ JUDGE_BASE_URL: script.baseUrl, ...choices }), null);
}

/** Makes a judge that takes this many samples of each criterion, instead of the number that it is asked for. */
export function sampling(judge: Judge, samples: number): Judge {
	return { ...judge, evaluate: (request, attempt) => judge.evaluate({ ...request, samples }, attempt) };
}

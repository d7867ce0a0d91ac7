// Judges directly through the port, with a model judge that calls the scripted server.
import { type ModelJudgeSettings, judgeSettings as schema } from "../../src/config/judge-settings.ts";
import { readVariables } from "../../src/config/setting.ts";
import type { ChatDeps } from "../../src/features/judging/model/chat.ts";
import { createModelJudge } from "../../src/features/judging/engine/model-judge.ts";
import { systemClock } from "../../src/platform/clock.ts";
import type { Judge, JudgeRequest, WorkFile } from "../../src/ports/judge.ts";
import type { ScriptedJudge } from "./judge-script.ts";

/** These are variables of a deployment, and settings that no deployment has. */
export type JudgeChoices = Readonly<Record<`JUDGE_${string}`, string>> & Partial<Pick<ModelJudgeSettings, "timeoutMs" | "parallelCalls">>;

export function judgeSettings({ timeoutMs, parallelCalls, ...variables }: JudgeChoices): ModelJudgeSettings {
	const env = { JUDGE: "openai", JUDGE_API_KEY: "test-key", JUDGE_MODELS: "model-a", ...variables };
	const settings = schema.parse(readVariables(schema, env));
	if (settings?.kind !== "openai") throw new Error("Not a model judge.");
	return { ...settings, timeoutMs: timeoutMs ?? settings.timeoutMs, parallelCalls: parallelCalls ?? settings.parallelCalls };
}

export function judgeOf(script: ScriptedJudge, choices: JudgeChoices = {}): Judge {
	const deps: ChatDeps = { clock: systemClock, fetch: (url, init) => fetch(url, init) };
	return createModelJudge(deps, judgeSettings({ JUDGE_BASE_URL: script.baseUrl, ...choices }));
}

export const WORK: WorkFile = {
	path: "src/parser.js",
	text: "export function parse(text) {\n\treturn text.split(',').map((cell) => cell.trim());\n}\n",
	isClaim: false,
};

export const CLAIM: WorkFile = { path: "SUBMISSION.md", text: "# What I Built\nA parser of comma-separated values\n", isClaim: true };

export function judgeRequest(change: Partial<JudgeRequest> = {}): JudgeRequest {
	return {
		task: {
			title: "Parse CSV",
			description: "A parser of CSV files.",
			inputSpec: null,
			outputSpec: null,
			budgetCents: 50_000,
			isPosterVerified: true,
		},
		criterion: { name: "Correctness", description: "Splits cells", evidence: "work", checks: ["Cells are split"], anchors: null },
		files: [CLAIM, WORK],
		unreadPaths: [],
		missingSections: [],
		...change,
	};
}

// Creates the judge that the configuration asks for.
import type { Config } from "../../../config/env.ts";
import type { ModelJudgeSettings } from "../../../config/judge-settings.ts";
import type { Judge, JudgeRequest } from "../../../ports/judge.ts";
import { type Coverage, coverageByPath } from "../artifacts/reading.ts";
import type { ChatDeps } from "./chat.ts";
import { createModelJudge } from "./model-judge.ts";
import { offlineJudge } from "./offline.ts";
import { createLimiter } from "./parallel.ts";
import { planReading } from "./prompt.ts";

/** A Worker waits for the headers of this many responses at a time. The runtime would make others wait within their time limit. */
const CONNECTIONS = 6;

/** Returns the configured judge. Returns null without one, and then tasks that need a judge are rejected. */
export function createJudge(deps: ChatDeps, { judge }: Pick<Config, "judge">): Judge | null {
	switch (judge?.kind) {
		case "offline":
			return offlineJudge;
		case "openai":
			return createStagedJudge({ ...deps, connect: createLimiter(CONNECTIONS) }, judge);
		case undefined:
			return null;
	}
}

function createStagedJudge(deps: ChatDeps, { screeningModel, ...settings }: ModelJudgeSettings): Judge {
	const judge = createModelJudge(deps, settings);
	if (screeningModel === undefined) return judge;
	return { ...judge, screening: createModelJudge(deps, { ...settings, models: [screeningModel] }) };
}

/**
 * Predicts how much of each file the configured judge would read, by path. Only a call to a model can have less room than the platform
 * reads for it.
 */
export function planReadingOf({ judge }: Pick<Config, "judge">, request: Omit<JudgeRequest, "criterion">): Map<string, Coverage> {
	return judge?.kind === "openai" ? planReading(request, judge.maxInputCharacters) : coverageByPath(request);
}

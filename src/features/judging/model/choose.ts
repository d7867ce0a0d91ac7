// Creates the judge that the configuration asks for.
import type { Config } from "../../../config/env.ts";
import type { Judge, JudgeRequest } from "../../../ports/judge.ts";
import { describeReading, type Reading } from "../artifacts/reading.ts";
import type { ChatDeps } from "./chat.ts";
import { offlineJudge } from "./offline.ts";
import { createModelJudge } from "./openai.ts";
import { planReading } from "./prompt.ts";

/** The configured judge. Null without one: then tasks that need a judge are rejected. */
export function createJudge(deps: ChatDeps, { judge }: Pick<Config, "judge">): Judge | null {
	switch (judge?.kind) {
		case "offline":
			return offlineJudge;
		case "openai":
			return createModelJudge(deps, judge);
		case undefined:
			return null;
	}
}

/** Predicts how much of each file the configured judge would read, by path. Only a model's call has less room than the platform read for it. */
export function planReadingOf({ judge }: Pick<Config, "judge">, request: Omit<JudgeRequest, "criterion">): Map<string, Reading> {
	return judge?.kind === "openai" ? planReading(request, judge.maxInputCharacters) : describeReading(request);
}

// Which judge a deployment has: apart from the judges, so that none of them knows the configuration or each other.
import type { Config } from "../../config/env.ts";
import type { Judge } from "../../ports/judge.ts";
import type { ChatDeps } from "./chat.ts";
import { offlineJudge } from "./offline.ts";
import { createModelJudge } from "./openai.ts";

/** The configured judge, or null: then tasks that need one are refused, and never judged by another one. */
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

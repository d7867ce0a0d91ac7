// Which judge a deployment has: apart from the judges, so that none of them knows the configuration or each other.
import type { Config } from "../../../env.ts";
import { offlineJudge } from "./offline.ts";
import type { Judge } from "./port.ts";

/** The configured judge, or null: then evaluations that need one fail with a message that says what to configure. */
export function createJudge(config: Config): Judge | null {
	return config.judge === "offline" ? offlineJudge : null;
}

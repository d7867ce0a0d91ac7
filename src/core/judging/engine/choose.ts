// Creates the configured judge.
import type { Config } from "../../../config/env.ts";
import type { ModelJudgeSettings } from "../../../config/judge-settings.ts";
import type { EvaluationRequest, Judge } from "../../../ports/judge.ts";
import { type Coverage, coverageByPath } from "../artifacts/reading.ts";
import type { CallDeps } from "./calling.ts";
import { createLimiter } from "./limiter.ts";
import { createModelJudge } from "./model-judge.ts";
import { offlineJudge } from "./offline.ts";
import type { Prober } from "./probe.ts";
import { writeShared } from "./prompts.ts";

/**
 * A Worker can wait for the headers of this number of responses at a time. The runtime queues further requests, although their time limits
 * are already running.
 */
const CONNECTIONS = 6;

/**
 * Returns the configured judge. Null if there is none: tasks that need a judge are then rejected.
 *
 * @param prober Probes models before they may judge. Null skips the probe.
 */
export function createJudge(deps: CallDeps, { judge }: Pick<Config, "judge">, prober: Prober | null): Judge | null {
	switch (judge?.kind) {
		case "offline":
			return offlineJudge;
		case "openai":
			return createStagedJudge({ ...deps, connect: createLimiter(CONNECTIONS) }, judge, prober);
		case undefined:
			return null;
	}
}

function createStagedJudge(deps: CallDeps, { screeningModel, ...settings }: ModelJudgeSettings, prober: Prober | null): Judge {
	const judge = createModelJudge(deps, settings, prober);
	if (screeningModel === undefined) return judge;
	return { ...judge, screening: createModelJudge(deps, { ...settings, models: [screeningModel] }, prober) };
}

const SAMPLE_MARK = "aaaa";

/**
 * Predicts how much of each file the configured judge would read, by path. Unlike other judges, a model may have less room than the
 * platform reads.
 */
export function planReadingOf(
	{ judge }: Pick<Config, "judge">,
	request: Pick<EvaluationRequest, "task" | "files" | "unreadPaths" | "missingSections" | "facts">,
): Map<string, Coverage> {
	if (judge?.kind !== "openai") return coverageByPath(request);
	const { cutFiles } = writeShared(request, { mark: SAMPLE_MARK, room: judge.maxInputCharacters }).material;
	return coverageByPath(request, cutFiles);
}

// Makes the judges that a calibration compares: each configured model with and without confirmation, and with 1, 2 and all checks per call.

import type { CallDeps } from "../../src/core/judging/engine/calling.ts";
import type { EngineSettings } from "../../src/core/judging/engine/context.ts";
import { createModelJudge } from "../../src/core/judging/engine/model-judge.ts";
import { offlineJudge } from "../../src/core/judging/engine/offline.ts";
import { CHECKS_BOUNDS } from "../../src/domain/checks.ts";
import type { MeasuredJudge } from "./measuring.ts";

/** How many checks are asked per call. 2 is measured first, because the platform asks 2 by default. Null asks all of them. */
const CHECKS_PER_CALL = [2, 1, null] as const;

/** Returns the judges to measure. They need no probe, because the measurement itself decides whether a verdict counts. */
export function measuredJudges(deps: CallDeps, settings: EngineSettings): MeasuredJudge[] {
	const engine = { ...settings, confirmModel: null };
	return settings.models.flatMap((model) =>
		CHECKS_PER_CALL.flatMap((checksPerCall) =>
			[true, false].map((isConfirming): MeasuredJudge => {
				const asked = { checksPerCall: checksPerCall ?? CHECKS_BOUNDS.perCriterion, isConfirming };
				return { model, isConfirming, checksPerCall, judge: createModelJudge(deps, { ...engine, ...asked, models: [model] }) };
			}),
		),
	);
}

/** The offline judge does not ask a model, so there is nothing to compare. */
export const measuredOffline: MeasuredJudge = { model: "offline", isConfirming: false, checksPerCall: null, judge: offlineJudge };

// Stores what an attempt's calls to models cost, once the attempt is over.

import { describeError } from "../../platform/log.ts";
import type { Deps } from "../../ports/deps.ts";
import type { UsageMeter } from "../judging/usage-meter.ts";
import * as store from "./store.ts";
import type { EvaluationWork } from "./work.ts";

/** Stores what an attempt cost, also when it failed. A failed write must not repeat the attempt, which would cost again. */
export async function recordUsage(deps: Deps, { task, submission, isTrial = false }: EvaluationWork, meter: UsageMeter): Promise<void> {
	const createdAt = deps.clock.now();
	const subject = isTrial ? { trialId: submission.id } : { submissionId: submission.id };
	const of = { taskId: task.id, ...subject, iteration: submission.iteration };
	const rows = meter.byModel().map((usage) => ({ id: deps.ids.next(), ...of, ...usage, createdAt }));
	if (rows.length === 0) return;
	try {
		await store.saveUsage(deps, rows);
	} catch (error) {
		deps.log.error("usage_not_recorded", { submission_id: submission.id, ...describeError(error) });
	}
}

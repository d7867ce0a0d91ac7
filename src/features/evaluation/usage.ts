// Stores what an attempt's calls to models cost, once the attempt is over.

import { commit } from "../../db/commit.ts";
import { describeError } from "../../platform/log.ts";
import type { Deps } from "../../ports/deps.ts";
import type { UsageMeter } from "../judging/usage-meter.ts";
import { type Reservation, releaseReservation } from "../spend/service.ts";
import * as statements from "./statements.ts";
import type { EvaluationWork } from "./work.ts";

interface Spent {
	readonly meter: UsageMeter;
	/** Ends in the same batch, so that nothing is ever counted twice or not at all. */
	readonly reservation: Reservation | null;
}

/** Stores what an attempt cost, also when it failed. A failed write must not repeat the attempt, which would cost again. */
export async function recordUsage(
	deps: Deps,
	{ task, submission, isTrial = false }: EvaluationWork,
	{ meter, reservation }: Spent,
): Promise<void> {
	const createdAt = deps.clock.now();
	const subject = isTrial ? { trialId: submission.id } : { submissionId: submission.id };
	const of = { taskId: task.id, ...subject, iteration: submission.iteration };
	const rows = meter.byModel().map((usage) => ({ id: deps.ids.next(), ...of, ...usage, createdAt }));
	try {
		await commit(deps.db, [
			...(rows.length === 0 ? [] : [statements.insertUsage(deps, rows)]),
			...(reservation === null ? [] : releaseReservation(deps, reservation)),
		]);
	} catch (error) {
		deps.log.error("usage_not_recorded", { submission_id: submission.id, ...describeError(error) });
	}
}

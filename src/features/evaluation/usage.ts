// Stores what the calls to models of an attempt cost, when the attempt has ended.

import { commit, StaleReadError } from "../../db/commit.ts";
import { sumUsage } from "../../domain/usage.ts";
import { describeError } from "../../platform/log.ts";
import type { Deps } from "../../ports/deps.ts";
import type { UsageMeter } from "../judging/usage-meter.ts";
import { countForDay, type Reservation, releaseReservation } from "../spend/service.ts";
import * as statements from "./statements.ts";
import type { EvaluationWork } from "./work.ts";

interface Spent {
	readonly meter: UsageMeter;
	/** Released in the same batch, so that usage is counted exactly once. */
	readonly reservation: Reservation | null;
}

/** Stores what an attempt cost, even if it failed. Never throws: repeating the attempt would cost again. */
export async function recordUsage(deps: Deps, work: EvaluationWork, spent: Spent): Promise<void> {
	try {
		await storeUsage(deps, work, spent);
	} catch (error) {
		deps.log.error("usage_not_recorded", { submission_id: work.submission.id, ...describeError(error) });
	}
}

async function storeUsage(deps: Deps, { task, submission, isTrial = false }: EvaluationWork, { meter, reservation }: Spent): Promise<void> {
	const createdAt = deps.clock.now();
	const subject = isTrial ? { trialId: submission.id } : { submissionId: submission.id };
	const of = { taskId: task.id, ...subject, iteration: submission.iteration };
	const used = meter.byModel();
	const rows = used.map((usage) => ({ id: deps.ids.next(), ...of, ...usage, createdAt }));
	for (const { model, calls, inputTokens, outputTokens, costMicroUsd } of used) {
		const spent = { calls, input_tokens: inputTokens, output_tokens: outputTokens, cost_micro_usd: costMicroUsd ?? 0 };
		deps.metrics.write("judge", { model, ...spent });
	}
	const release = reservation === null ? [] : releaseReservation(deps, reservation);
	if (rows.length === 0) return commit(deps.db, release);
	const inserted = [statements.insertUsage(deps, rows), ...release];
	if (!isTrial) return commit(deps.db, inserted);
	try {
		await commit(deps.db, [statements.guardTaskExists(deps, task.id, true), ...inserted]);
	} catch (error) {
		if (!(error instanceof StaleReadError)) throw error;
		await commit(deps.db, [
			statements.guardTaskExists(deps, task.id, false),
			countForDay(deps, task.companyId, sumUsage(used)),
			...release,
		]);
	}
}

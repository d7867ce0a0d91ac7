// What evaluations of the tables keep in D1 and R2 while they are under way.

import { commit, StaleReadError } from "../../db/commit.ts";
import { sumUsage } from "../../domain/usage.ts";
import { describeError } from "../../platform/log.ts";
import type { Deps } from "../../ports/deps.ts";
import type { ModelUsage } from "../judging/model/usage-meter.ts";
import type { EvaluationWork, JudgingRecord } from "../judging/work.ts";
import { countForDay, type Reservation, releaseReservation, reserveSpend } from "../spend/service.ts";
import { recordRun, stopRuns } from "./image-runs.ts";
import * as statements from "./statements.ts";
import * as store from "./store.ts";

type Work = Pick<EvaluationWork, "task" | "submission" | "job" | "isTrial">;

export function tableRecord(deps: Deps, work: Work): JudgingRecord {
	const { task, submission, job } = work;
	let reservation: Reservation | null = null;
	return {
		recordRun: (run) => recordRun(deps, { jobId: job.id, run }),
		stopRuns: (upTo) => stopRuns(deps, { jobId: job.id, run: upTo }),
		pinImage: (digest) => store.pinImage(deps, task.id, digest),
		keyOf: (object) => `reports/${submission.id}/${object}-${job.id}.json`,
		async allowCalls(plan) {
			reservation = await reserveSpend(deps, { task, ...plan });
			return reservation;
		},
		async recordUsage(used) {
			try {
				await storeUsage(deps, work, { used, reservation });
			} catch (error) {
				deps.log.error("usage_not_recorded", { submission_id: submission.id, ...describeError(error) });
			}
		},
	};
}

interface Spent {
	readonly used: readonly ModelUsage[];
	/** Released in the same batch, so that usage is counted exactly once. */
	readonly reservation: Reservation | null;
}

async function storeUsage(deps: Deps, { task, submission, isTrial = false }: Work, { used, reservation }: Spent): Promise<void> {
	const createdAt = deps.clock.now();
	const subject = isTrial ? { trialId: submission.id } : { submissionId: submission.id };
	const of = { taskId: task.id, ...subject, iteration: submission.iteration };
	const rows = used.map((usage) => ({ id: deps.ids.next(), ...of, ...usage, createdAt }));
	countCalls(deps, used);
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

/** Writes a data point for each model. */
export function countCalls({ metrics }: Deps, used: readonly ModelUsage[]): void {
	for (const { model, calls, inputTokens, outputTokens, costMicroUsd } of used) {
		metrics.write("judge", { model, calls, input_tokens: inputTokens, output_tokens: outputTokens, cost_micro_usd: costMicroUsd ?? 0 });
	}
}

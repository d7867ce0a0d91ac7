import { ADDED_SWEEPS, CRON_DUTIES } from "#platform";
import { resumeJudging } from "../core/competition/evaluation/pause.ts";
import { wakeOverdue } from "../core/competition/lifecycle/wake-overdue.ts";
import { forgetOldJudgeDays, releaseExpired } from "../core/competition/spend/service.ts";
import { settleUnits } from "../core/competition/submissions/reservations.ts";
import { deleteUntouchedDrafts } from "../core/competition/tasks/delete-task.ts";
import { reencryptTokens } from "../core/competition/tasks/reencrypt-tokens.ts";
import { forgetCredentialEnds } from "../core/identity/credential-ends/store.ts";
import { forgetNetworkDays } from "../core/identity/network-caps/service.ts";
import { reencryptSecrets } from "../db/encrypted-columns.ts";
import { deleteExpiredRows } from "../db/expired-rows.ts";
import { forgetDirectoryReplies } from "../db/replies.ts";
import { dispatchRecorded, sweepOutbox } from "../events/dispatch.ts";
import { describeError } from "../platform/log.ts";
import type { Deps } from "../ports/deps.ts";
import type { SweepParts } from "../ports/joints.ts";
import { SWEEP_NAMES, type SweepName } from "../ports/queues.ts";

/** The parts of each sweep that belong to the core. Those of extensions run after them. */
const SWEEPS: Readonly<Record<SweepName, SweepParts>> = {
	outbox: { events: sweepOutbox },
	forget: {
		sessions: ({ db, clock }) => deleteExpiredRows(db, "sessions", clock.now()),
		credential_ends: forgetCredentialEnds,
		used_challenges: ({ db, clock }) => deleteExpiredRows(db, "used_challenges", clock.now()),
		replies: forgetDirectoryReplies,
		judge_days: forgetOldJudgeDays,
		network_days: forgetNetworkDays,
		drafts: deleteUntouchedDrafts,
	},
	settle: { reservations: releaseExpired, paused_tasks: resumeJudging, operator_units: settleUnits, overdue: wakeOverdue },
	payments: {},
	reencrypt: { secrets: reencryptSecrets, tokens: reencryptTokens },
	report: {},
};

/**
 * Sends a message for each sweep. A cron trigger that runs every minute has 30 s of CPU time and 1,000 calls to D1 in total, but each
 * message has its own limits.
 */
export async function sendSweeps({ queues, log }: Deps): Promise<void> {
	const send = async (sweep: SweepName): Promise<void> => {
		try {
			await queues.sweeps.send({ sweep });
		} catch (error) {
			log.error("sweep_not_sent", { sweep, ...describeError(error) });
		}
	};
	await Promise.all(SWEEP_NAMES.map(send));
}

export async function runCron(deps: Deps): Promise<void> {
	await Promise.all([sendSweeps(deps), ...CRON_DUTIES.map((run) => run(deps))]);
}

/** Runs the parts of a sweep. A part that fails is logged and does not stop the others. All parts run again a minute later. */
export async function runSweep(deps: Deps, sweep: SweepName): Promise<void> {
	const startedAt = deps.clock.now();
	let failed = 0;
	// In maintenance, only the sweep with the alerts runs, so that no other sweep changes rows before an operator has looked at them.
	const parts = deps.config.isInMaintenance && sweep !== "report" ? {} : { ...SWEEPS[sweep], ...ADDED_SWEEPS[sweep] };
	for (const [part, run] of Object.entries(parts)) {
		try {
			await run(deps);
			await dispatchRecorded(deps);
		} catch (error) {
			failed += 1;
			deps.log.error("sweep_failed", { sweep, part, ...describeError(error) });
		}
	}
	deps.metrics.write("sweeps", { sweep, failed, ms: deps.clock.now() - startedAt });
}

import { deleteExpiredRows } from "./db/expired-rows.ts";
import { forgetReplies } from "./db/replies.ts";
import { resealSecrets } from "./db/sealed-columns.ts";
import { dispatchRecorded, sweepOutbox } from "./events/dispatch.ts";
import { sweepPayments } from "./features/competition/deals/payment.ts";
import { resealTokens } from "./features/competition/operating/reseal-tokens.ts";
import { forgetOldUsageDays } from "./features/competition/spend/service.ts";
import { settleUnits } from "./features/competition/submissions/reservations.ts";
import { forgetNetworkDays } from "./features/identity/network-caps/service.ts";
import { sweepStandings } from "./features/operating/admin/suspension.ts";
import { sendAlerts } from "./features/operating/alerts/send-alerts.ts";
import { writeState } from "./features/operating/operations/metrics.ts";
import { systemClock } from "./platform/clock.ts";
import { describeError } from "./platform/log.ts";
import type { Deps } from "./ports/deps.ts";

const SWEEPS: Readonly<Record<string, (deps: Deps) => Promise<void>>> = {
	outbox: sweepOutbox,
	sealed_secrets: resealSecrets,
	sealed_tokens: resealTokens,
	sessions: ({ db, clock }) => deleteExpiredRows(db, "sessions", clock.now()),
	usage_days: forgetOldUsageDays,
	network_days: forgetNetworkDays,
	operator_units: settleUnits,
	used_challenges: ({ db, clock }) => deleteExpiredRows(db, "used_challenges", clock.now()),
	replies: forgetReplies,
	standings: sweepStandings,
	// After the quick ones, because a node that does not respond delays it.
	payments: sweepPayments,
	// After the other sweeps, because it counts what they have left.
	metrics: writeState,
	alerts: sendAlerts,
};

/** Runs every minute and finishes what an alarm, a message or a crash left behind. A failing sweep does not stop the others. */
export async function runScheduled(openDeps: () => Deps): Promise<void> {
	const startedAt = systemClock.now();
	let failed = 0;
	for (const [sweep, run] of Object.entries(SWEEPS)) {
		const deps = openDeps();
		try {
			await run(deps);
			await dispatchRecorded(deps);
		} catch (error) {
			failed += 1;
			deps.log.error("sweep_failed", { sweep, ...describeError(error) });
		}
	}
	openDeps().metrics.write("sweeps", { failed, ms: systemClock.now() - startedAt });
}

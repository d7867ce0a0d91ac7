// Work that extensions do by themselves when it is due.
import { keepCopied } from "../../extensions/copies/task-copies.ts";
import { advanceWhenDue } from "../../extensions/final-round/advance-round.ts";
import { tellOfFailingWebhooks } from "../../extensions/inbox/failing-webhooks.ts";
import { forgetExpired } from "../../extensions/oauth/store.ts";
import { sendHeartbeat } from "../../extensions/operating/alerts/heartbeat.ts";
import { reportState } from "../../extensions/operating/alerts/send-alerts.ts";
import { sweepStandings } from "../../extensions/operating/privacy/sweep-standings.ts";
import { sweepPayments } from "../../extensions/settlement/payment.ts";
import { deleteOldTest } from "../../extensions/test-tasks/delete-old.ts";
import type { AddedSweeps, CronDuty, WorkingDuty } from "../../ports/joints.ts";

/** Duties of a Task object, after those of the core. */
export const TASK_DUTIES: readonly WorkingDuty[] = [advanceWhenDue, keepCopied, deleteOldTest];

/** Parts of sweeps, which run every minute. */
export const ADDED_SWEEPS: AddedSweeps = {
	forget: { grants: forgetExpired },
	settle: { standings: sweepStandings, failing_webhooks: tellOfFailingWebhooks },
	payments: { payments: sweepPayments },
	report: { state: reportState },
};

/** What the cron trigger itself does every minute, in addition to sending messages for the sweeps. */
export const CRON_DUTIES: readonly CronDuty[] = [sendHeartbeat];

// Extensions do this work by themselves when it is due.
import { advanceWhenDue } from "../../extensions/final-round/advance-round.ts";
import { sweepStandings } from "../../extensions/operating/admin/suspension.ts";
import { reportState } from "../../extensions/operating/alerts/send-alerts.ts";
import { sweepPayments } from "../../extensions/settlement/payment.ts";
import type { AddedSweeps } from "../../ports/joints.ts";
import type { TaskDuty } from "../../ports/task.ts";

/** Duties of a Task object, after those of the core. */
export const TASK_DUTIES: readonly TaskDuty[] = [advanceWhenDue];

/** Parts of sweeps, which run every minute. */
export const ADDED_SWEEPS: AddedSweeps = {
	settle: { standings: sweepStandings },
	payments: { payments: sweepPayments },
	report: { state: reportState },
};

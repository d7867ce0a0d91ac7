// Extensions do this work by themselves when it is due, every minute.
import { sweepStandings } from "../../extensions/operating/admin/suspension.ts";
import { reportState } from "../../extensions/operating/alerts/send-alerts.ts";
import { sweepPayments } from "../../extensions/settlement/payment.ts";
import type { AddedSweeps } from "../../ports/joints.ts";

export const ADDED_SWEEPS: AddedSweeps = {
	settle: { standings: sweepStandings },
	payments: { payments: sweepPayments },
	report: { state: reportState },
};

import { HOUR_MS, SECOND_MS } from "../../../platform/clock.ts";
import { describeError } from "../../../platform/log.ts";
import type { Deps } from "../../../ports/deps.ts";
import { findDeploymentSpend, readCeilings } from "../../competition/spend/service.ts";
import { readFailures, readState } from "../operations/metrics.ts";
import { type AlertMessage, formatAlert } from "./message.ts";
import { type AlertFacts, type Cause, findCauses } from "./rules.ts";
import { claimAlert, endAlerts, forgetServerErrors, keepAlert, releaseAlert, sumServerErrors } from "./store.ts";

const SEND_TIMEOUT_MS = 10 * SECOND_MS;

/** Tells `ALERT_WEBHOOK` each cause once an hour, and once more when it is over. Runs every minute. */
export async function sendAlerts(deps: Deps): Promise<void> {
	if (deps.config.alertReceiver === null) return;
	const causes = findCauses(await readFacts(deps));
	for (const cause of causes) await raise(deps, cause);
	await endOthers(deps, causes);
	await forgetServerErrors(deps);
}

async function readFacts(deps: Deps): Promise<AlertFacts> {
	const now = deps.clock.now();
	const [state, failures, serverErrors, spentToday, ceilings] = await Promise.all([
		readState(deps),
		readFailures(deps, now - HOUR_MS),
		sumServerErrors(deps),
		findDeploymentSpend(deps),
		readCeilings(deps),
	]);
	return {
		queueAgeSeconds: state.queue_age_seconds,
		stuckJobs: state.stuck,
		deliveryAgeSeconds: state.delivery_age_seconds,
		failures,
		serverErrors,
		spentToday,
		dayCeiling: ceilings.deploymentDay,
		d1Bytes: state.d1_size_bytes,
	};
}

/** Claims the message first, so that two runs at once send it once. A message that was not received is sent again in a minute. */
async function raise(deps: Deps, cause: Cause): Promise<void> {
	if (!(await claimAlert(deps, cause))) return;
	if (!(await send(deps, { cause: cause.name, text: cause.text, isRaised: true }))) await releaseAlert(deps, cause.name);
}

async function endOthers(deps: Deps, causes: readonly Cause[]): Promise<void> {
	const lasting = causes.map(({ name }) => name);
	for (const alert of await endAlerts(deps, lasting)) {
		if (!(await send(deps, { cause: alert.cause, text: alert.text, isRaised: false }))) await keepAlert(deps, alert);
	}
}

async function send(deps: Deps, message: Pick<AlertMessage, "cause" | "text" | "isRaised">): Promise<boolean> {
	const { alertReceiver, publicUrl } = deps.config;
	if (alertReceiver === null) return true;
	const body = formatAlert({ ...message, id: deps.ids.next(), at: deps.clock.now(), platform: publicUrl }, alertReceiver.form);
	try {
		const response = await deps.fetch(alertReceiver.url, {
			method: "POST",
			headers: { "Content-Type": "application/json" },
			body: JSON.stringify(body),
			redirect: "manual",
			signal: AbortSignal.timeout(SEND_TIMEOUT_MS),
		});
		await response.body?.cancel();
		if (response.ok) return true;
		deps.log.error("alert_not_sent", { cause: message.cause, status: response.status });
	} catch (error) {
		deps.log.error("alert_not_sent", { cause: message.cause, ...describeError(error) });
	}
	return false;
}

import type { AlertReceiver } from "../../../config/alert-receiver.ts";
import { findDeploymentSpend, readLimits } from "../../../core/competition/spend/service.ts";
import { isDatabaseFull } from "../../../db/transient.ts";
import { HOUR_MS, SECOND_MS, toIso } from "../../../platform/clock.ts";
import { describeError } from "../../../platform/log.ts";
import type { Deps } from "../../../ports/deps.ts";
import { type PlatformState, type PlatformWaits, readFailures, readPlatformState, writePlatformState } from "../operations/metrics.ts";
import { type AlertFacts, type Cause, findCauses, isExceeded, REPEAT_MS } from "./rules.ts";
import { claimAlert, endAlerts, forgetServerErrors, keepAlert, releaseAlert, sumServerErrors } from "./store.ts";

const SEND_TIMEOUT_MS = 10 * SECOND_MS;

/** Writes the state of the platform, and tells operators what they must know. A sweep runs it every minute. */
export async function reportState(deps: Deps): Promise<void> {
	const { state, ...waits } = await readPlatformState(deps);
	let isFull = false;
	try {
		await writePlatformState(deps, state);
	} catch (error) {
		if (!isDatabaseFull(error)) throw error;
		isFull = true;
	}
	if (deps.config.alertReceiver === null) return;
	await alertOfFullDatabase(deps, isFull);
	if (!isFull) await sendAlerts(deps, state, waits);
}

/** Tells `ALERT_WEBHOOK` each cause once an hour, and once more when it is over. */
async function sendAlerts(deps: Deps, state: PlatformState, { isAtCeiling, wait }: PlatformWaits): Promise<void> {
	const causes = findCauses({
		...(await readAlertFacts(deps, state)),
		isAtCeiling,
		wait: wait === null ? null : { seconds: (deps.clock.now() - wait.since) / SECOND_MS, message: wait.message },
	});
	for (const cause of causes) await raise(deps, cause);
	await endOthers(deps, causes);
	await forgetServerErrors(deps);
}

const FULL_DATABASE: Cause = {
	name: "database_full",
	text: "The database is full and refuses writes with DATABASE_FULL. The page /docs/operating/full-database says what to do.",
};
/** The bucket remembers when operators were told, because a full database cannot. */
const FULL_DATABASE_KEY = "alerts/database-full";

async function alertOfFullDatabase(deps: Deps, isFull: boolean): Promise<void> {
	const now = deps.clock.now();
	const { name: cause, text } = FULL_DATABASE;
	const told = await deps.bucket.head(FULL_DATABASE_KEY);
	const isDue = told === null || Number(told.customMetadata?.["sentAt"] ?? 0) <= now - REPEAT_MS;
	if (isFull && isDue && (await sendAlert(deps, { cause, text, isRaised: true }))) {
		await deps.bucket.put(FULL_DATABASE_KEY, text, { customMetadata: { sentAt: String(now) } });
	}
	if (!isFull && told !== null && (await sendAlert(deps, { cause, text, isRaised: false }))) await deps.bucket.delete(FULL_DATABASE_KEY);
}

async function readAlertFacts(deps: Deps, state: PlatformState): Promise<Omit<AlertFacts, "isAtCeiling" | "wait">> {
	const now = deps.clock.now();
	const [failures, serverErrors, spentMicroUsd, { ceilings }] = await Promise.all([
		readFailures(deps, now - HOUR_MS),
		sumServerErrors(deps),
		findDeploymentSpend(deps),
		readLimits(deps),
	]);
	return {
		queueAgeSeconds: state.queue_age_seconds,
		stuckJobs: state.stuck,
		deliveryAgeSeconds: state.delivery_age_seconds,
		failures,
		serverErrors,
		spentMicroUsd,
		dayCeilingMicroUsd: ceilings.deployment_day_micro_usd,
		d1Bytes: state.d1_size_bytes,
	};
}

/** Claims the message first, so that two runs at once send it once. A message that was not received is sent again in a minute. */
async function raise(deps: Deps, cause: Cause): Promise<void> {
	if (!(await claimAlert(deps, cause))) return;
	if (!(await sendAlert(deps, { cause: cause.name, text: cause.text, isRaised: true }))) await releaseAlert(deps, cause.name);
}

async function endOthers(deps: Deps, causes: readonly Cause[]): Promise<void> {
	const lasting = causes.map(({ name }) => name);
	for (const alert of await endAlerts(deps, lasting)) {
		if (isExceeded(alert.cause, lasting)) continue;
		if (!(await sendAlert(deps, { cause: alert.cause, text: alert.text, isRaised: false }))) await keepAlert(deps, alert);
	}
}

async function sendAlert(deps: Deps, message: Pick<AlertMessage, "cause" | "text" | "isRaised">): Promise<boolean> {
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

export interface AlertMessage {
	readonly id: string;
	readonly cause: string;
	readonly text: string;
	/** It is false if the cause is over. */
	readonly isRaised: boolean;
	/** The time is in milliseconds since the epoch. */
	readonly at: number;
	/** The platform has this origin. It is null in development. */
	readonly platform: string | null;
}

/** Formats a message as its receiver reads it. Slack and Discord get no text that mentions everyone. */
export function formatAlert({ id, cause, text, isRaised, at, platform }: AlertMessage, form: AlertReceiver["form"]): object {
	const sentence = `${isRaised ? "" : "Over: "}${text}${platform === null ? "" : ` (${platform})`}`;
	if (form === "slack") return { text: sentence };
	if (form === "discord") return { content: sentence, allowed_mentions: { parse: [] } };
	return { event: isRaised ? "alert.raised" : "alert.ended", id, timestamp: toIso(at), cause, text, platform };
}

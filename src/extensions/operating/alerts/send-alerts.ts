import type { AlertReceiver } from "../../../config/alert-receiver.ts";
import { findDeploymentSpend, readLimits } from "../../../core/competition/spend/service.ts";
import { suppliersOf } from "../../../core/judging/breaker/reports.ts";
import { isDatabaseFull } from "../../../db/transient.ts";
import { HOUR_MS, MINUTE_MS, SECOND_MS, toIso } from "../../../platform/clock.ts";
import { describeError } from "../../../platform/log.ts";
import type { Deps } from "../../../ports/deps.ts";
import type { AlertCause, TakenAlerts, ToldAlert } from "../../../ports/watch.ts";
import { type PlatformState, readFailures, readPlatformState, writePlatformState } from "../operations/metrics.ts";
import { type AlertFacts, findCauses, findWatchCauses, SERVER_ERROR_MINUTES, WATCH_CAUSES, type WatchFacts } from "./rules.ts";

const SEND_TIMEOUT_MS = 10 * SECOND_MS;
/** If the sweep's queries take longer than this, the database counts as down. */
const DATABASE_TIMEOUT_MS = 20 * SECOND_MS;

/** Writes the state of the platform, and sends alerts to operators. A sweep runs it every minute. */
export async function reportState(deps: Deps): Promise<void> {
	const now = deps.clock.now();
	const reading = await lookAtDatabase(deps);
	await deps.hubs.callWatch((watch) => watch.noteSweep(now));
	if (deps.config.alertReceiver === null) return;
	const ownCauses = findWatchCauses({ ...(await readWatchFacts(deps)), database: reading.database });
	const causes =
		reading.facts === null
			? { causes: ownCauses, among: WATCH_CAUSES, now }
			: { causes: [...findCauses(reading.facts), ...ownCauses], among: null, now };
	await sendAlerts(deps, await deps.hubs.callWatch((watch) => watch.takeAlerts(causes)));
}

interface SeenDatabase {
	readonly database: WatchFacts["database"];
	/** Null if the database failed, or if no alerts are configured. */
	readonly facts: AlertFacts | null;
}

/** Writes the state, and reads the facts for alerts if alerts are configured. Returns a failure of the database instead of throwing it. */
async function lookAtDatabase(deps: Deps): Promise<SeenDatabase> {
	const late = Promise.withResolvers<never>();
	const stop = deps.clock.after(DATABASE_TIMEOUT_MS, () => late.reject(new Error("The database did not respond in time.")));
	try {
		return await Promise.race([readDatabase(deps), late.promise]);
	} catch (error) {
		if (isDatabaseFull(error)) return { database: "full", facts: null };
		deps.log.error("database_not_answering", describeError(error));
		return { database: "down", facts: null };
	} finally {
		stop();
	}
}

async function readDatabase(deps: Deps): Promise<SeenDatabase> {
	const { state, isAtCeiling, wait } = await readPlatformState(deps);
	await writePlatformState(deps, state);
	if (deps.config.alertReceiver === null) return { database: "works", facts: null };
	const waitFacts = wait === null ? null : { seconds: (deps.clock.now() - wait.since) / SECOND_MS, message: wait.message };
	return { database: "works", facts: { ...(await readAlertFacts(deps, state)), isAtCeiling, wait: waitFacts } };
}

async function readWatchFacts({ hubs, clock, judge }: Deps): Promise<Omit<WatchFacts, "database">> {
	const now = clock.now();
	const [serverErrors, states] = await hubs.callWatch((watch) =>
		Promise.all([watch.sumServerErrors(Math.floor(now / MINUTE_MS) - SERVER_ERROR_MINUTES), watch.readSuppliers(now)]),
	);
	const ownSuppliers = judge === null ? [] : suppliersOf(judge);
	const openSuppliers = states.flatMap(({ supplier, openSince }) =>
		openSince !== null && ownSuppliers.includes(supplier) ? [{ name: supplier || "the server of JUDGE_BASE_URL", since: openSince }] : [],
	);
	return { serverErrors, openSuppliers };
}

async function readAlertFacts(deps: Deps, state: PlatformState): Promise<Omit<AlertFacts, "isAtCeiling" | "wait">> {
	const now = deps.clock.now();
	const [failures, spentMicroUsd, { ceilings }] = await Promise.all([
		readFailures(deps, now - HOUR_MS),
		findDeploymentSpend(deps),
		readLimits(deps),
	]);
	return {
		queueAgeSeconds: state.queue_age_seconds,
		stuckJobs: state.stuck,
		deliveryAgeSeconds: state.delivery_age_seconds,
		failures,
		spentMicroUsd,
		dayCeilingMicroUsd: ceilings.deployment_day_micro_usd,
		d1Bytes: state.d1_size_bytes,
	};
}

/** Sends each cause to `ALERT_WEBHOOK` once an hour, and once more when it is over. If sending fails, tries again a minute later. */
async function sendAlerts(deps: Deps, { raised, ended }: TakenAlerts): Promise<void> {
	const unsent: { raised: AlertCause[]; ended: ToldAlert[] } = { raised: [], ended: [] };
	for (const cause of raised) if (!(await sendAlert(deps, cause, { isRaised: true }))) unsent.raised.push(cause);
	for (const cause of ended) if (!(await sendAlert(deps, cause, { isRaised: false }))) unsent.ended.push(cause);
	if (unsent.raised.length + unsent.ended.length > 0) await deps.hubs.callWatch((watch) => watch.returnAlerts(unsent));
}

async function sendAlert(deps: Deps, { name: cause, text }: AlertCause, { isRaised }: Pick<AlertMessage, "isRaised">): Promise<boolean> {
	const { alertReceiver, publicUrl } = deps.config;
	if (alertReceiver === null) return true;
	const message = { id: deps.ids.next(), cause, text, isRaised, at: deps.clock.now(), platform: publicUrl };
	const body = formatAlert(message, alertReceiver.form);
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
		deps.log.error("alert_not_sent", { cause, status: response.status });
	} catch (error) {
		deps.log.error("alert_not_sent", { cause, ...describeError(error) });
	}
	return false;
}

export interface AlertMessage {
	readonly id: string;
	readonly cause: string;
	readonly text: string;
	/** False if the cause is over. */
	readonly isRaised: boolean;
	/** Milliseconds since the epoch. */
	readonly at: number;
	/** The platform's origin. Null in development. */
	readonly platform: string | null;
}

/** Formats a message for its receiver. In Discord, it cannot mention anyone. */
export function formatAlert({ id, cause, text, isRaised, at, platform }: AlertMessage, form: AlertReceiver["form"]): object {
	const sentence = `${isRaised ? "" : "Over: "}${text}${platform === null ? "" : ` (${platform})`}`;
	if (form === "slack") return { text: sentence };
	if (form === "discord") return { content: sentence, allowed_mentions: { parse: [] } };
	return { event: isRaised ? "alert.raised" : "alert.ended", id, timestamp: toIso(at), cause, text, platform };
}

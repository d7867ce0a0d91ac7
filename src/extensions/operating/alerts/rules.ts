// The causes of alerts. docs/pages/operating/metrics.mdx lists them with their limits.
import { HOUR_MS, toIso } from "../../../platform/clock.ts";
import type { AlertCause, AlertPort, TakenAlerts, ToldAlert } from "../../../ports/watch.ts";

/** D1 rejects writes at this size. */
export const D1_MAX_BYTES = 10 * 1024 ** 3;

/** The values from which a cause is reported. */
export const ALERT_LIMITS = {
	queueAgeSeconds: 600,
	/** Evaluations that failed in the last hour because of the platform. */
	platformFailures: 5,
	/** How long an evaluation has waited for a model supplier, a rate limit or a grader. */
	waitSeconds: 600,
	deliveryAgeSeconds: 3_600,
	stuckJobs: 1,
	/** Responses with 5xx within {@link SERVER_ERROR_MINUTES}. */
	serverErrors: 20,
	spendPercents: [80, 100],
	d1Percents: [50, 75, 90],
} as const;

export const SERVER_ERROR_MINUTES = 5;
/** Counts of 5xx responses are deleted after this time. */
export const KEPT_MINUTES = 60;

export interface AlertFacts {
	readonly queueAgeSeconds: number;
	readonly stuckJobs: number;
	readonly deliveryAgeSeconds: number;
	/** Failed evaluations of the last hour by class. */
	readonly failures: Readonly<Record<string, number>>;
	readonly spentMicroUsd: number;
	/** Null if there is no ceiling. */
	readonly dayCeilingMicroUsd: number | null;
	/** True if evaluations wait because their cost does not fit under the deployment's ceiling. */
	readonly isAtCeiling: boolean;
	/** The longest wait of an evaluation for a model or grader. Null if none is waiting. */
	readonly wait: { readonly seconds: number; readonly message: string } | null;
	readonly d1Bytes: number;
}

/** Facts that do not depend on the database. */
export interface WatchFacts {
	/** `full`: it rejects writes. `down`: it does not respond. */
	readonly database: "works" | "full" | "down";
	readonly serverErrors: number;
	/** Suppliers of the judge's models that are currently not called. */
	readonly openSuppliers: readonly { readonly name: string; readonly since: number }[];
}

/** These causes are found without the database. */
export const WATCH_CAUSES = ["database_down", "database_full", "server_errors", "supplier_open"] as const;

/** Lists what operators must know now, even if the database does not respond. */
export function findWatchCauses({ database, serverErrors, openSuppliers }: WatchFacts): AlertCause[] {
	const named = openSuppliers.map(({ name, since }) => `${name} since ${toIso(since)}`).join(", ");
	const causes: ((AlertCause & { readonly name: (typeof WATCH_CAUSES)[number] }) | false)[] = [
		database === "down" && {
			name: "database_down",
			text: "The database does not respond. Most requests return 503, and submissions wait for their evaluation. The page /docs/operating/operations says what to do. Other alerts wait until the database responds.",
		},
		database === "full" && {
			name: "database_full",
			text: "The database is full and rejects writes with DATABASE_FULL. The page /docs/operating/full-database says what to do.",
		},
		serverErrors >= ALERT_LIMITS.serverErrors && {
			name: "server_errors",
			text: `In the last ${SERVER_ERROR_MINUTES} minutes, at least ${serverErrors} responses had a 5xx status. Look for request_failed in the log.`,
		},
		openSuppliers.length > 0 && {
			name: "supplier_open",
			text: `The platform has stopped calling suppliers of the judge that keep failing: ${named}. Evaluations wait, or another model judges. Each supplier is tried once a minute. See GET /ready and GET /api/admin/jobs for the supplier's messages.`,
		},
	];
	return causes.filter((cause) => cause !== false);
}

/** Lists what operators must know now, from the database and the tasks. */
export function findCauses(facts: AlertFacts): AlertCause[] {
	const { queueAgeSeconds, stuckJobs, deliveryAgeSeconds, failures, wait } = facts;
	const platformFailures = failures["platform"] ?? 0;
	const causes = [
		queueAgeSeconds >= ALERT_LIMITS.queueAgeSeconds && {
			name: "queue_age",
			text: `Submissions are waiting for their evaluation: the oldest one for ${Math.round(queueAgeSeconds / 60)} minutes. See GET /api/admin/jobs.`,
		},
		wait !== null &&
			wait.seconds >= ALERT_LIMITS.waitSeconds && {
				name: "judging_waits",
				text: `Evaluations are waiting for a model or a grader, the first for ${Math.round(wait.seconds / 60)} minutes: ${wait.message} See GET /ready and GET /api/admin/jobs for the supplier's messages.`,
			},
		stuckJobs >= ALERT_LIMITS.stuckJobs && {
			name: "stuck_jobs",
			text: `Stuck evaluations: ${stuckJobs}. Their message or worker was lost, and no alarm has repeated the job. See GET /api/admin/jobs?state=stuck.`,
		},
		deliveryAgeSeconds >= ALERT_LIMITS.deliveryAgeSeconds && {
			name: "delivery_age",
			text: `Webhook deliveries have been waiting for ${Math.round(deliveryAgeSeconds / 60)} minutes. See GET /api/admin/jobs.`,
		},
		platformFailures >= ALERT_LIMITS.platformFailures && {
			name: "failures",
			text: `${platformFailures} evaluations failed in the last hour because of the platform, its judge or its grader. All failures by class: ${describeFailures(failures)}.`,
		},
		highest("spend", { levels: ALERT_LIMITS.spendPercents, percent: facts.isAtCeiling ? 100 : spentPercent(facts) }, (percent) =>
			percent >= 100
				? `Judging has used ${Math.floor(spentPercent(facts))} % of the deployment's ceiling for today, and the next evaluation does not fit under it. It waits until you raise the ceiling with PUT /api/admin/spend/ceilings, or until midnight UTC if a full day's ceiling is enough.`
				: `Judging has used ${percent} % of the deployment's ceiling for today. See GET /api/admin/spend.`,
		),
		highest(
			"d1_size",
			{ levels: ALERT_LIMITS.d1Percents, percent: (100 * facts.d1Bytes) / D1_MAX_BYTES },
			(percent) =>
				`The database has reached ${percent} % of its 10 GB. See "When the database fills up" on the page /docs/operating/scale.`,
		),
	];
	return causes.filter((cause) => cause !== false);
}

/** Returns the cause for the highest level reached, or false. Each level has its own name, so that a higher level is reported at once. */
function highest(name: string, { levels, percent }: { levels: readonly number[]; percent: number }, describe: (level: number) => string) {
	const level = levels.findLast((candidate) => percent >= candidate);
	return level !== undefined && { name: `${name}_${level}`, text: describe(level) };
}

/** Returns true if a level is over only because the same cause has reached a higher level, which is reported instead. */
export function isExceeded(level: string, lasting: readonly string[]): boolean {
	const [, cause, percent] = LEVEL.exec(level) ?? [];
	return lasting.some((name) => {
		const [, other, reached] = LEVEL.exec(name) ?? [];
		return cause !== undefined && other === cause && Number(reached) > Number(percent);
	});
}

const LEVEL = /^(\w+)_(\d+)$/;

function spentPercent({ spentMicroUsd, dayCeilingMicroUsd }: AlertFacts): number {
	return dayCeilingMicroUsd === null ? 0 : (100 * spentMicroUsd) / dayCeilingMicroUsd;
}

function describeFailures(failures: AlertFacts["failures"]): string {
	return Object.entries(failures)
		.map(([name, count]) => `${name} ${count}`)
		.join(", ");
}

/** A cause that lasts is reported again after this time. */
export const REPEAT_MS = HOUR_MS;

/**
 * Decides which messages are due.
 *
 * @returns `over` names the causes to forget, including those that were never reported.
 */
export function planAlerts(
	told: readonly ToldAlert[],
	{ causes, among, now }: Parameters<AlertPort["takeAlerts"]>[0],
): TakenAlerts & { readonly over: readonly string[] } {
	const toldAt = (name: string) => told.find((alert) => alert.name === name)?.toldAt ?? 0;
	const names = causes.map(({ name }) => name);
	const over = told.filter(({ name }) => !names.includes(name) && (among === null || among.includes(name)));
	return {
		raised: causes.filter(({ name }) => toldAt(name) <= now - REPEAT_MS),
		ended: over.filter((alert) => alert.toldAt > 0 && !isExceeded(alert.name, names)),
		over: over.map(({ name }) => name),
	};
}

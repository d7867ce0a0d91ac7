// How busy the platform is: as JSON, and in the text format of Prometheus.
import { commit } from "../../../db/commit.ts";
import { preferredType } from "../../../http/negotiation.ts";
import { DAY_MS, SECOND_MS } from "../../../platform/clock.ts";
import { idFloorAt } from "../../../platform/ids.ts";
import type { AdminCtx, Deps } from "../../../ports/deps.ts";
import * as statements from "./statements.ts";
import * as store from "./store.ts";
import { countTaskJobs } from "./task-jobs.ts";

/** The metrics in the form that the request accepts. */
export async function showMetrics(ctx: AdminCtx, request: Request) {
	const metrics = await readMetrics(ctx);
	if (preferredType(request.headers.get("Accept"), ["application/json", "text/plain"]) === "application/json") return metrics;
	return new Response(formatPrometheus(metrics), {
		headers: { "Content-Type": "text/plain; version=0.0.4; charset=utf-8", Vary: "Accept" },
	});
}

type Metrics = Awaited<ReturnType<typeof readMetrics>>;

/** Writes how busy the platform is as a data point. Every minute, because nothing else would say that nothing moves. */
export async function writeState(deps: Deps): Promise<void> {
	const state = await readState(deps);
	deps.metrics.write("state", state);
	await commit(deps.db, [statements.putQueueAge(deps, Math.round(state.queue_age_seconds * SECOND_MS))]);
}

async function readMetrics(ctx: AdminCtx) {
	const [failures, state] = await Promise.all([store.countFailures(ctx, idFloorAt(ctx.clock.now() - DAY_MS)), readState(ctx)]);
	return { ...state, failed: Object.fromEntries(failures.map(({ failure, jobs }) => [failure, jobs])) };
}

async function readState(deps: Deps) {
	const now = deps.clock.now();
	const [backlog, ofTasks, watchers] = await Promise.all([store.readBacklog(deps), countTaskJobs(deps), deps.hubs.countWatchers()]);
	const queueAgeMs = ofTasks.untouchedSince === null ? 0 : Math.max(0, now - ofTasks.untouchedSince);
	return {
		queue_age_seconds: queueAgeMs / SECOND_MS,
		waiting: ofTasks.waiting,
		running: ofTasks.running,
		delivery_backlog: backlog.deliveries,
		delivery_age_seconds: backlog.oldestDelivery === null ? 0 : Math.max(0, now - backlog.oldestDelivery) / SECOND_MS,
		outbox_backlog: backlog.outbox + ofTasks.outbox,
		d1_size_bytes: deps.db.use.sizeBytes,
		watchers,
	};
}

const PREFIX = "bounty_platform_";
const HELP: Readonly<Record<Exclude<keyof Metrics, "failed">, string>> = {
	queue_age_seconds: "How long the oldest untouched evaluation has waited.",
	waiting: "Evaluations that are not being worked on.",
	running: "Evaluations that are being worked on.",
	delivery_backlog: "Webhook deliveries that have waited for half a minute or longer.",
	delivery_age_seconds: "How long the oldest delivery has waited.",
	outbox_backlog: "Events that were not sent on yet.",
	d1_size_bytes: "Size of the database.",
	watchers: "Open streams.",
};

function formatPrometheus({ failed, ...gauges }: Metrics): string {
	const lines = Object.entries(gauges).flatMap(([name, value]) => describeGauge(name, helpOf(name), [`${PREFIX}${name} ${value}`]));
	const classes = Object.entries(failed).map(([name, jobs]) => `${PREFIX}failed{class="${name}"} ${jobs}`);
	return `${[...lines, ...describeGauge("failed", "Evaluations that failed within the last 24 hours.", classes)].join("\n")}\n`;
}

function helpOf(name: string): string {
	return Object.entries(HELP).find(([known]) => known === name)?.[1] ?? "";
}

function describeGauge(name: string, help: string, samples: readonly string[]): string[] {
	return [`# HELP ${PREFIX}${name} ${help}`, `# TYPE ${PREFIX}${name} gauge`, ...samples];
}

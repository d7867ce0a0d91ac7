// How busy the platform is: as JSON, and in the text format of Prometheus.
import { preferredType } from "../../http/negotiation.ts";
import { DAY_MS, SECOND_MS } from "../../platform/clock.ts";
import { idFloorAt } from "../../platform/ids.ts";
import type { AdminCtx, Deps } from "../../ports/deps.ts";
import * as store from "./store.ts";

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
	deps.metrics.write("state", await readState(deps));
}

async function readMetrics(ctx: AdminCtx) {
	const [failures, state] = await Promise.all([store.countFailures(ctx, idFloorAt(ctx.clock.now() - DAY_MS)), readState(ctx)]);
	return { ...state, failed: Object.fromEntries(failures.map(({ failure, jobs }) => [failure, jobs])) };
}

async function readState(deps: Deps) {
	const now = deps.clock.now();
	const [{ queueAgeMs }, backlog, watchers] = await Promise.all([
		deps.switchboard.read(deps),
		store.readBacklog(deps, now),
		deps.hubs.countWatchers(),
	]);
	return {
		queue_age_seconds: queueAgeMs / SECOND_MS,
		waiting: backlog.waiting,
		running: backlog.running,
		delivery_backlog: backlog.deliveries,
		delivery_age_seconds: backlog.oldestDelivery === null ? 0 : Math.max(0, now - backlog.oldestDelivery) / SECOND_MS,
		outbox_backlog: backlog.outbox,
		d1_size_bytes: deps.db.use.sizeBytes,
		watchers,
	};
}

const PREFIX = "bounty_platform_";
const HELP: Readonly<Record<Exclude<keyof Metrics, "failed">, string>> = {
	queue_age_seconds: "How long the oldest untouched evaluation has waited.",
	waiting: "Evaluations that are not being worked on.",
	running: "Evaluations that are being worked on.",
	delivery_backlog: "Webhook deliveries that have not ended.",
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

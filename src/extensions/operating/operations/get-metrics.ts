import * as z from "zod";
import { endpoint } from "../../../http/endpoint.ts";
import { count } from "../../../http/fields.ts";
import { preferredType } from "../../../http/negotiation.ts";
import { countStreams } from "../../../http/stream-places.ts";
import { DAY_MS } from "../../../platform/clock.ts";
import type { AdminCtx } from "../../../ports/deps.ts";
import { countOpenReports } from "../admin/store.ts";
import { readFailures, readPlatformState } from "./metrics.ts";

const metricsView = z
	.object({
		queue_age_seconds: z.number().min(0).describe("The waiting time of the oldest evaluation that no consumer has started."),
		waiting: count.describe("Evaluations that are not being worked on now."),
		running: count.describe("Evaluations that are being worked on now."),
		stuck: count.describe("Evaluations whose message or worker was lost."),
		failed: z
			.record(z.string(), count)
			.describe("Number of evaluations that failed within the last 24 hours, by who or what was at fault."),
		delivery_backlog: count.describe("Webhook deliveries that have waited for half a minute or longer."),
		delivery_age_seconds: z.number().min(0).describe("How long the oldest pending webhook delivery has been waiting."),
		outbox_backlog: count.describe("Events that have not been forwarded yet."),
		d1_size_bytes: count.describe("Size of the database."),
		open_reports: count.describe("Reports that no operator has resolved yet."),
		watchers: count.describe(
			"Open event streams on the isolate that handles this request. Locally, these are all streams. In a deployment, other isolates have streams too: only the data points in Analytics Engine count them all.",
		),
	})
	.meta({ id: "Metrics", description: "The current load of the platform." });

export const getMetrics = endpoint({
	method: "get",
	path: "/api/admin/metrics",
	operationId: "getMetrics",
	owner: "operating",
	summary: "Read the metrics",
	description: "JSON, or the text format of Prometheus with `Accept: text/plain`.",
	tags: ["Administration"],
	auth: "admin",
	rate: "general",
	response: {
		status: 200,
		description: "The metrics.",
		schema: metricsView,
		others: [{ status: 200, description: "The metrics in the text format of Prometheus.", contentType: "text/plain" }],
	},
	errors: [],
	page: "operating/administration",
	examples: {
		texts: { "text/plain": "# TYPE bounty_platform_queue_age_seconds gauge\nbounty_platform_queue_age_seconds 1.2\n" },
		responses: {
			metrics: {
				value: {
					queue_age_seconds: 1.2,
					waiting: 3,
					running: 2,
					stuck: 0,
					failed: { platform: 1 },
					delivery_backlog: 4,
					delivery_age_seconds: 12.5,
					outbox_backlog: 0,
					d1_size_bytes: 41_943_040,
					open_reports: 2,
					watchers: 37,
				},
			},
		},
	},

	async handle(ctx, { request }) {
		const metrics = await readMetrics(ctx);
		if (preferredType(request.headers.get("Accept"), ["application/json", "text/plain"]) === "application/json") return metrics;
		return new Response(formatPrometheus(metrics), {
			headers: { "Content-Type": "text/plain; version=0.0.4; charset=utf-8", Vary: "Accept" },
		});
	},
});

async function readMetrics(ctx: AdminCtx) {
	const [failed, { state }, open] = await Promise.all([
		readFailures(ctx, ctx.clock.now() - DAY_MS),
		readPlatformState(ctx),
		countOpenReports(ctx),
	]);
	return { ...state, open_reports: open, watchers: countStreams(ctx.clock.now()), failed };
}

type PlatformMetrics = Awaited<ReturnType<typeof readMetrics>>;

const PREFIX = "bounty_platform_";
const HELP: Readonly<Record<Exclude<keyof PlatformMetrics, "failed">, string>> = {
	queue_age_seconds: "Waiting time of the oldest evaluation that no consumer has started.",
	waiting: "Evaluations that are not being worked on.",
	running: "Evaluations that are being worked on.",
	stuck: "Evaluations whose message or worker was lost.",
	delivery_backlog: "Webhook deliveries that have waited for half a minute or longer.",
	delivery_age_seconds: "How long the oldest delivery has waited.",
	outbox_backlog: "Events that have not been forwarded yet.",
	d1_size_bytes: "Size of the database.",
	open_reports: "Reports that no operator has resolved yet.",
	watchers: "Open event streams on the isolate that handles this request.",
};

function formatPrometheus({ failed, ...gauges }: PlatformMetrics): string {
	const lines = Object.entries(gauges).flatMap(([name, value]) => describeGauge(name, helpOf(name), [`${PREFIX}${name} ${value}`]));
	const classes = Object.entries(failed).map(([name, jobs]) => `${PREFIX}failed{class="${name}"} ${jobs}`);
	return `${[...lines, ...describeGauge("failed", "Evaluations that failed within the last 24 hours.", classes)].join("\n")}\n`;
}

function helpOf(name: string): string {
	return Object.entries(HELP).find(([one]) => one === name)?.[1] ?? "";
}

function describeGauge(name: string, help: string, samples: readonly string[]): string[] {
	return [`# HELP ${PREFIX}${name} ${help}`, `# TYPE ${PREFIX}${name} gauge`, ...samples];
}

// The dashboard and the alert rules in docs/grafana/ read columns by number. Each names its metric, and the column has that metric.
import { describe, expect, it } from "vitest";
import { parse as parseYaml } from "yaml";
import { z } from "zod";
import { readProjectFile, readSources } from "../../scripts/support/sources.ts";
import { DATA_POINTS } from "../../src/domain/data-points.ts";
import { openDataset } from "./dataset.ts";

interface Query {
	readonly title: string;
	readonly sql: string;
	/** The description names the columns that the query reads. */
	readonly description: string;
}

const target = z.object({ query: z.string() });
const dashboard = z.object({
	panels: z.array(z.object({ id: z.number(), title: z.string(), description: z.string(), targets: z.tuple([target]) })),
});
const condition = z.object({ evaluator: z.object({ type: z.enum(["gt", "lt"]), params: z.tuple([z.number()]) }) });
const alerts = z.object({
	groups: z.tuple([
		z.object({
			rules: z.array(
				z.object({
					uid: z.string(),
					title: z.string(),
					noDataState: z.enum(["OK", "Alerting"]),
					annotations: z.object({ summary: z.string(), description: z.string() }),
					data: z.tuple([z.object({ model: target }), z.object({ model: z.object({ conditions: z.tuple([condition]) }) })]),
				}),
			),
		}),
	]),
});

const { panels } = dashboard.parse(JSON.parse(readProjectFile("docs/grafana/dashboard.json")));
const [{ rules }] = alerts.parse(parseYaml(readProjectFile("docs/grafana/alerts.yaml"))).groups;
const queries: readonly Query[] = [
	...panels.map(({ title, description, targets: [{ query: sql }] }) => ({ title, description, sql })),
	...rules.map(({ title, annotations: { description }, data: [{ model }] }) => ({ title, description, sql: model.query })),
];
const kinds = z.enum(["request", "evaluation", "judge", "delivery", "state", "sweeps"]);

/** Maps metrics to columns, such as `request.ms` to double2. */
const columns: ReadonlyMap<string, string> = new Map(
	Object.entries(DATA_POINTS).flatMap(([kind, { texts, numbers }]) => [
		...texts.map((name, index) => [`${kind}.${name}`, `blob${index + 2}`] as const),
		...numbers.map((name, index) => [`${kind}.${name}`, `double${index + 1}`] as const),
	]),
);

describe("the dashboard and the alert rules", () => {
	it.each(queries)("$title: names the metric of each column that it reads", ({ sql, description }) => {
		const kind = kinds.parse(/blob1 = '(\w+)'/.exec(sql)?.[1]);
		const read = new Set([...sql.matchAll(/\b(?:blob|double)\d+\b/g)].map(([column]) => column).filter((column) => column !== "blob1"));
		const named = [...description.matchAll(/([\w.]+) \((\w+)\)/g)];
		expect(new Set(named.map(([, , column]) => column))).toEqual(read);
		for (const [, metric = "", column] of named) {
			expect(metric.startsWith(`${kind}.`)).toBe(true);
			expect({ metric, column: columns.get(metric) }).toEqual({ metric, column });
		}
	});

	it("multiply by what sampling has left out", () => {
		for (const { sql } of queries) expect(sql).toMatch(/_sample_interval|max\(|min\(/);
	});

	it("read the dataset of the deployment", () => {
		for (const { query } of panels.flatMap(({ targets }) => targets)) expect(query).toContain(" FROM $dataset WHERE blob1 = ");
		for (const { data } of rules) expect(data[0].model.query).toContain(" FROM bounty_platform WHERE blob1 = ");
	});

	it("have unique ids", () => {
		expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
		expect(new Set(rules.map(({ uid }) => uid)).size).toBe(rules.length);
	});

	it("cover every kind of data point, and the code writes each kind", () => {
		const shown = new Set(queries.map(({ sql }) => /blob1 = '(\w+)'/.exec(sql)?.[1]));
		expect([...shown].toSorted()).toEqual(Object.keys(DATA_POINTS).toSorted());
		const code = readSources("src")
			.map((file) => file.code)
			.join("\n");
		for (const kind of Object.keys(DATA_POINTS)) expect(code).toContain(`metrics.write("${kind}"`);
	});

	it("fit into the limits of Analytics Engine", () => {
		for (const { texts, numbers } of Object.values(DATA_POINTS)) {
			expect(texts.length).toBeLessThanOrEqual(19);
			expect(numbers.length).toBeLessThanOrEqual(20);
		}
	});

	it("are explained by the page on metrics, column by column", () => {
		const page = readProjectFile("docs/pages/operating/metrics.mdx");
		for (const [kind, { texts, numbers }] of Object.entries(DATA_POINTS)) {
			expect(page).toContain(`| \`${kind}\` | ${texts.length === 0 ? "" : `${texts.join(", ")} `}| ${numbers.join(", ")} |`);
		}
		for (const { title } of rules) expect(page.toLowerCase()).toContain(title.toLowerCase());
	});
});

/** Writes what a quiet minute has, with one request that succeeded. */
function writeQuiet({ metrics }: ReturnType<typeof openDataset>): void {
	metrics.write("request", { ...REQUEST, status_class: "2xx", status: 200, ms: 20 });
	metrics.write("evaluation", { outcome: "scored", failure: "", subject: "submission", ms: 900, job_ms: 1_500, attempts: 1 });
	metrics.write("judge", { model: "model-a", calls: 2, input_tokens: 1_000, output_tokens: 50, cost_micro_usd: 2_000_000 });
	metrics.write("delivery", { result: "delivered", ms: 30, attempt: 1, status: 200 });
	metrics.write("state", STATE);
	metrics.write("sweeps", { sweep: "outbox", failed: 0, ms: 400 });
}

const REQUEST = { method: "GET", route: "/api/v1/bounties/stream", d1_calls: 2, d1_rows_read: 40, d1_rows_written: 5, object_calls: 1 };
const STATE = {
	queue_age_seconds: 11,
	waiting: 12,
	running: 13,
	delivery_backlog: 14,
	delivery_age_seconds: 15,
	outbox_backlog: 16,
	d1_size_bytes: 17_000,
	stuck: 18,
};

/** Each panel shows these values for a quiet minute and, next to them, for one slow request that failed, one over a limit, and failed work. */
const PANELS: Readonly<Record<string, readonly unknown[]>> = {
	"How long the oldest evaluation waits": [{ queue_age: 700 }],
	"Evaluations that wait and run": [{ waiting: 12, running: 13 }],
	"Evaluations by outcome": [
		{ label: "failed", attempts: 1 },
		{ label: "scored", attempts: 1 },
	],
	"Failed evaluations by class": [{ label: "platform", failed: 1 }],
	"Time from submission to score": [{ median: 1_500, p95: 1_500 }],
	"Tokens by model": [{ label: "model-a", tokens: 1_050 }],
	"Cost of judging in US dollars": [{ label: "model-a", cost: 2 }],
	"Deliveries by result": [
		{ label: "delivered", attempts: 1 },
		{ label: "failed", attempts: 1 },
	],
	"Deliveries and events that wait": [{ deliveries: 14, events: 16 }],
	"Requests by status": [
		{ label: "2xx", requests: 1 },
		{ label: "4xx", requests: 1 },
		{ label: "5xx", requests: 1 },
	],
	"5xx by route": [{ label: "/api/v1/deals", errors: 1 }],
	"429 by route": [{ label: "/api/v1/search/tasks", refused: 1 }],
	"Response time": [{ median: 20, p99: 3_000 }],
	"D1 calls by route": [
		{ label: "/api/v1/bounties/stream", calls: 2 },
		{ label: "/api/v1/deals", calls: 2 },
		{ label: "/api/v1/search/tasks", calls: 2 },
	],
	"D1 rows read by route": [
		{ label: "/api/v1/bounties/stream", rows_read: 40 },
		{ label: "/api/v1/deals", rows_read: 40 },
		{ label: "/api/v1/search/tasks", rows_read: 40 },
	],
	"D1 rows written by route": [
		{ label: "/api/v1/bounties/stream", rows_written: 5 },
		{ label: "/api/v1/deals", rows_written: 5 },
		{ label: "/api/v1/search/tasks", rows_written: 5 },
	],
	"Size of the database": [{ bytes: 17_000 }],
	"Streams opened": [{ opened: 1 }],
	"Sweeps that failed": [{ failed: 2 }],
};

type Dataset = ReturnType<typeof openDataset>;
const times = (count: number, write: () => void): void => Array.from({ length: count }).forEach(write);

/** For each rule, this writes what must make it fire, besides a quiet minute. Null is for rules that fire if nothing is written. */
const INCIDENTS: Readonly<Record<string, ((dataset: Dataset) => void) | null>> = {
	"bounty-platform-queue-old": ({ metrics }) => metrics.write("state", { ...STATE, queue_age_seconds: 601 }),
	"bounty-platform-server-errors": ({ metrics }) => metrics.write("request", { ...REQUEST, status_class: "5xx", status: 500, ms: 3 }),
	"bounty-platform-rate-limited": ({ metrics }) => metrics.write("request", { ...REQUEST, status_class: "4xx", status: 429, ms: 3 }),
	"bounty-platform-evaluations-fail": ({ metrics }) =>
		times(6, () =>
			metrics.write("evaluation", { outcome: "failed", failure: "platform", subject: "submission", ms: 1, job_ms: 1, attempts: 5 }),
		),
	"bounty-platform-judge-cost": ({ metrics }) =>
		metrics.write("judge", { model: "model-b", calls: 9, input_tokens: 1, output_tokens: 1, cost_micro_usd: 19_000_000 }),
	"bounty-platform-deliveries-old": ({ metrics }) => metrics.write("state", { ...STATE, delivery_age_seconds: 3_601 }),
	"bounty-platform-outbox-grows": (dataset) => {
		dataset.clear();
		dataset.metrics.write("state", { ...STATE, outbox_backlog: 1_001 });
	},
	"bounty-platform-sweeps-fail": ({ metrics }) => metrics.write("sweeps", { sweep: "outbox", failed: 4, ms: 1 }),
	"bounty-platform-sweeps-stopped": null,
	"bounty-platform-database-large": ({ metrics }) => metrics.write("state", { ...STATE, d1_size_bytes: 7_000_000_001 }),
};

describe("the queries, run over data points as the platform writes them", () => {
	it.each(panels)("$title: shows what was written", ({ title, targets: [{ query }] }) => {
		const dataset = openDataset();
		writeQuiet(dataset);
		const { metrics } = dataset;
		metrics.write("request", { ...REQUEST, route: "/api/v1/deals", status_class: "5xx", status: 500, ms: 3_000 });
		metrics.write("request", { ...REQUEST, route: "/api/v1/search/tasks", status_class: "4xx", status: 429, ms: 1 });
		metrics.write("evaluation", { outcome: "failed", failure: "platform", subject: "submission", ms: 5, job_ms: 9, attempts: 5 });
		metrics.write("delivery", { result: "failed", ms: 9, attempt: 2, status: 500 });
		metrics.write("state", { ...STATE, queue_age_seconds: 700 });
		metrics.write("sweeps", { sweep: "outbox", failed: 2, ms: 1 });
		const shown = dataset.query(query).map(({ t, ...values }) => values);
		expect(shown.toSorted((one, other) => (String(one["label"]) < String(other["label"]) ? -1 : 1))).toEqual(PANELS[title]);
	});

	it.each(rules)("$title: fires only for its incident", ({ uid, noDataState, data: [{ model }, { model: threshold }] }) => {
		const { type, params } = threshold.conditions[0].evaluator;
		const fires = (dataset: Dataset): boolean => {
			const value = dataset.query(model.query)[0]?.["value"] ?? null;
			if (value === null) return noDataState === "Alerting";
			return type === "gt" ? Number(value) > params[0] : Number(value) < params[0];
		};
		const dataset = openDataset();
		writeQuiet(dataset);
		expect(fires(dataset)).toBe(false);
		const incident = INCIDENTS[uid];
		if (incident === null) dataset.clear();
		else incident?.(dataset);
		expect(fires(dataset)).toBe(true);
	});
});

// The dashboard and the alert rules in ops/ read columns by number. Each says which metric it means, and the metric exists there.
import { describe, expect, it } from "vitest";
import { parse as parseYaml } from "yaml";
import { z } from "zod";
import { DATA_POINTS } from "../../src/domain/data-points.ts";
import { readProjectFile, readSources } from "./sources.ts";

interface Query {
	readonly title: string;
	readonly sql: string;
	/** Names the columns that the query reads. */
	readonly description: string;
}

const target = z.object({ query: z.string() });
const dashboard = z.object({
	panels: z.array(z.object({ id: z.number(), title: z.string(), description: z.string(), targets: z.tuple([target]) })),
});
const alerts = z.object({
	groups: z.tuple([
		z.object({
			rules: z.array(
				z.object({
					uid: z.string(),
					title: z.string(),
					annotations: z.object({ summary: z.string(), description: z.string() }),
					data: z.tuple([
						z.object({ model: target }),
						z.object({ model: z.object({ conditions: z.tuple([z.object({ evaluator: z.object({ params: z.tuple([z.number()]) }) })]) }) }),
					]),
				}),
			),
		}),
	]),
});

const { panels } = dashboard.parse(JSON.parse(readProjectFile("ops/grafana-dashboard.json")));
const [{ rules }] = alerts.parse(parseYaml(readProjectFile("ops/alerts.yaml"))).groups;
const queries: readonly Query[] = [
	...panels.map(({ title, description, targets: [{ query: sql }] }) => ({ title, description, sql })),
	...rules.map(({ title, annotations: { description }, data: [{ model }] }) => ({ title, description, sql: model.query })),
];
const kinds = z.enum(["request", "evaluation", "judge", "delivery", "state", "sweeps", "backup"]);

/** Column by metric, such as `request.ms` in double2. */
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

	it("count what sampling has left out", () => {
		for (const { sql } of queries) expect(sql).toMatch(/_sample_interval|max\(|min\(/);
	});

	it("have ids of their own", () => {
		expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
		expect(new Set(rules.map(({ uid }) => uid)).size).toBe(rules.length);
	});

	it("leave out no kind of data point, and the code writes each kind", () => {
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

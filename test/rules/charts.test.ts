// Tests the chart kit: a chart follows from its data, stays inside the picture, and has a table with the same numbers.
import { describe, expect, it } from "vitest";
import { attemptsOf } from "../../console/src/rules/attempts.ts";
import { avatarOf } from "../../src/domain/avatar.ts";
import { distributionChart, distributionOf, samplesChart, waterfallChart } from "../../src/domain/charts/bars.ts";
import { type Chart, formatTick, niceSteps } from "../../src/domain/charts/chart.ts";
import { areaChart } from "../../src/domain/charts/lines.ts";
import { type ProgressPoint, progressChart } from "../../src/domain/charts/progress.ts";
import { sparkline } from "../../src/domain/charts/spark.ts";

const HOUR = 3_600_000;
const START = Date.parse("2026-11-20T10:00:00Z");

/** Expects that every number of a chart's geometry is finite, and no shape begins outside of the picture. */
function expectDrawable(chart: Chart | null): Chart {
	if (chart === null) throw new Error("There is no chart.");
	for (const { at } of chart.shapes) {
		for (const [name, value] of Object.entries(at)) {
			const numbers = typeof value === "number" ? [value] : [...value.matchAll(/-?\d+(?:\.\d+)?/g)].map(Number);
			for (const number of numbers) {
				expect({
					name,
					value,
					isInside: Number.isFinite(number) && number >= -1 && number <= Math.max(chart.width, chart.height),
				}).toMatchObject({
					isInside: true,
				});
			}
		}
	}
	expect(chart.label).toMatch(/\.$/);
	return chart;
}

describe("scores over time", () => {
	const point = (hours: number, score: number | null, round: ProgressPoint["round"] = "submission") => ({
		...{ at: START + hours * HOUR, score, round },
	});
	const series = [
		{ name: "Ada", points: [point(1, 40), point(3, 82.5)] },
		{ name: "Ben", points: [point(2, 61)] },
	];
	const mark = { at: START + 48 * HOUR, name: "deadline" };
	const ticksOf = (chart: Chart) => chart.shapes.filter(({ class: name }) => name.startsWith("chart-tick")).map(({ text }) => text);
	const classes = (chart: Chart, name: string) => chart.shapes.filter((shape) => shape.class === name);
	const xOf = (chart: Chart, index: number) => classes(chart, `chart-dot series-${index}`).map(({ at }) => Number(at["cx"]));

	it("are steps from the first score to the last one, with a later deadline as an arrow", () => {
		const chart = expectDrawable(progressChart({ series, mark }));
		expect(chart.label).toBe("Best score over time: Ada reaches 82.50; Ben reaches 61.00.");
		expect(chart.legend).toEqual(["Ada", "Ben"]);
		const path = String(classes(chart, "chart-line series-0")[0]?.at["d"]);
		expect(path).toMatch(/^M[\d.]+ [\d.]+H[\d.]+V[\d.]+H[\d.]+$/);
		expect(ticksOf(chart)).toEqual(["20 Nov 10:55", "12:00", "13:04 UTC", "deadline 22 Nov, 10:00 UTC →"]);
		// The scores fill the width: the first and the last one are a small padding away from its ends.
		const [first = 0, last = 0] = xOf(chart, 0);
		expect([first, last].map(Math.round)).toEqual([44, 398]);
		expect(chart.table.rows).toEqual([
			["Ada", "20 Nov 2026, 11:00 UTC", "40.00", "a submission was judged"],
			["Ada", "20 Nov 2026, 13:00 UTC", "82.50", "a submission was judged"],
			["Ben", "20 Nov 2026, 12:00 UTC", "61.00", "a submission was judged"],
		]);
	});

	it("have the deadline as a line among the scores, and as an arrow before them", () => {
		const among = expectDrawable(progressChart({ series, mark: { at: START + 2 * HOUR, name: "deadline" } }));
		expect(classes(among, "chart-mark")).toHaveLength(1);
		expect(ticksOf(among)).toContain("deadline");
		const before = expectDrawable(progressChart({ series, mark: { at: START, name: "closed" } }));
		expect(classes(before, "chart-mark")).toHaveLength(0);
		expect(ticksOf(before)).toContain("← closed 20 Nov, 10:00 UTC");
		expect(ticksOf(expectDrawable(progressChart({ series, mark: null })))).toHaveLength(3);
	});

	it("have a final round as a band, which leaves the earlier points at their times and scores", () => {
		const judged = [
			{ name: "Ben", points: [point(2, 61), point(60, 70, "final")] },
			{ name: "Ada", points: [point(1, 40), point(3, 82.5), point(60, 45, "final"), point(90, 80, "review")] },
			{ name: "Cleo", points: [point(3, 10)] },
		];
		const chart = expectDrawable(progressChart({ series: judged, mark }));
		const [band] = classes(chart, "chart-band");
		expect(ticksOf(chart)).toContain("final round");
		const [left = 0, width = 0] = [Number(band?.at["x"]), Number(band?.at["width"])];
		const [first = 0, second = 0, inRound = 0, after = 0] = xOf(chart, 1);
		expect([first < second, second < left, inRound, after > left + width]).toEqual([true, true, left + width / 2, true]);
		expect(xOf(chart, 0)[1]).toBe(inRound);
		expect(xOf(chart, 2)).toHaveLength(1);
		expect(chart.label).toBe(
			"Best score over time: Ben reaches 61.00, has 70.00 in the final round; Ada reaches 82.50, has 45.00 in the final round, has 80.00 now; Cleo reaches 10.00.",
		);
		expect(chart.table.rows.filter(([, , , because]) => because === "a submission was judged").toSorted()).toEqual(
			[
				...expectDrawable(progressChart({ series, mark })).table.rows,
				["Cleo", "20 Nov 2026, 13:00 UTC", "10.00", "a submission was judged"],
			].toSorted(),
		);
		expectDrawable(progressChart({ series: [{ name: "Ada", points: [point(60, 45, "final")] }], mark }));
	});

	it("have a gap while no submission counts", () => {
		const points = [point(1, 40), point(2, null, null), point(3, 50)];
		const chart = expectDrawable(progressChart({ series: [{ name: "Ada", points }], mark }));
		expect(String(classes(chart, "chart-line series-0")[0]?.at["d"]).match(/M/g)).toHaveLength(2);
		expect(chart.table.rows[1]).toEqual(["Ada", "20 Nov 2026, 12:00 UTC", "–", "another submission counts"]);
	});

	it("need a score", () => {
		expect(progressChart({ series: [{ name: "Cleo", points: [] }], mark })).toBe(null);
	});

	it.each([0, 1, 1_500, 30_000, 119_000, 120_000, 3 * 60_000, 2 * HOUR, 47 * HOUR, 48 * HOUR, 500 * HOUR])(
		"show no time twice below an axis of %d ms",
		(length) => {
			for (const from of [START, START + 59_999, START + 24 * HOUR - 1]) {
				const points = [from, from + length].map((at) => ({ at, score: 40, round: "submission" as const }));
				const ticks = ticksOf(expectDrawable(progressChart({ series: [{ name: "Ada", points }], mark })));
				expect(new Set(ticks).size).toBe(ticks.length);
			}
		},
	);
});

describe("charts of scores", () => {
	it("show a distribution as bars, each count also in the table", () => {
		const distribution = distributionOf([5, 55, 58, 100]);
		const chart = expectDrawable(distribution === null ? null : distributionChart(distribution));
		expect(chart.label).toBe("Number of competitors by score: 1 from 0 to 10, 2 from 50 to 60, 1 from 90 to 100.");
		expect(chart.table.rows).toHaveLength(10);
	});

	it("show what is still to gain, each bar from the end of the one before", () => {
		const chart = expectDrawable(
			waterfallChart(60, [
				{ name: "Tests", points: 25 },
				{ name: "Docs", points: 0 },
				{ name: "Style", points: 15 },
			]),
		);
		expect(chart.table.rows).toEqual([
			["Your score", "60.00", "60.00"],
			["Tests", "25.00", "85.00"],
			["Style", "15.00", "100.00"],
		]);
		const bars = chart.shapes.filter(({ class: name }) => name === "chart-gain");
		expect(bars[1]?.at["x"]).toBeCloseTo(Number(bars[0]?.at["x"]) + Number(bars[0]?.at["width"]), 1);
		expect(waterfallChart(100, [{ name: "Tests", points: 0 }])).toBe(null);
	});

	it("show each sample of the judge, and cut long names in the picture only", () => {
		const name = "x".repeat(200);
		const chart = expectDrawable(
			samplesChart([
				{ name, samples: [50, 75, 75], score: 75 },
				{ name: "None", samples: [], score: 1 },
			]),
		);
		expect(chart.shapes.filter(({ class: shape }) => shape === "chart-sample")).toHaveLength(3);
		expect(chart.shapes.find(({ class: shape }) => shape === "chart-name")?.text).toHaveLength(40);
		expect(chart.table.rows).toEqual([[name, "50.00, 75.00, 75.00", "75.00"]]);
		expect(samplesChart([])).toBe(null);
	});

	it("show days as an area and scores as a small line, both from two points on", () => {
		const points = [
			{ name: "2026-11-20", value: 0 },
			{ name: "2026-11-21", value: 12.4 },
		];
		const input = { title: "Cost by day", head: ["Day", "Cost"], format: (value: number) => `$${value}` } as const;
		expect(expectDrawable(areaChart({ ...input, points })).table.rows).toEqual([
			["2026-11-20", "$0"],
			["2026-11-21", "$12.4"],
		]);
		expectDrawable(areaChart({ ...input, points: points.map((point) => ({ ...point, value: 0 })) }));
		expect(areaChart({ ...input, points: points.slice(1) })).toBe(null);
		expectDrawable(sparkline([10, 90, 50], "Scores"));
		expectDrawable(sparkline([50, 50], "Scores"));
		expect(sparkline([1], "Scores")).toBe(null);
	});
});

describe("an axis", () => {
	it.each([
		[0, [0, 1]],
		[100, [0, 25, 50, 75, 100]],
		[130, [0, 50, 100, 150]],
		[0.03, [0, 0.01, 0.02, 0.03]],
		[7, [0, 2.5, 5, 7.5]],
	])("up to %d has the steps %j", (most, steps) => {
		expect(niceSteps(most).map((step) => Math.round(step * 1000) / 1000)).toEqual(steps);
	});

	it("shows seconds on a very short one, hours on a short one and days on a long one", () => {
		expect(formatTick(START, 60_000)).toBe("10:00:00");
		expect(formatTick(START, 5 * HOUR)).toBe("10:00");
		expect(formatTick(START, 200 * HOUR)).toBe("20 Nov");
	});
});

describe("the picture of a name", () => {
	it("is constant for a name, different for others, and symmetric", () => {
		expect(avatarOf("Ada")).toEqual(avatarOf("Ada"));
		const names = Array.from({ length: 200 }, (_, index) => `Agent ${index}`);
		expect(new Set(names.map((name) => `${avatarOf(name).hue}${avatarOf(name).path}`)).size).toBeGreaterThan(190);
		expect(new Set(names.map((name) => avatarOf(name).hue)).size).toBe(8);
		for (const name of [...names, "", "🦦", "x".repeat(1000)]) {
			const cells = [...avatarOf(name).path.matchAll(/M(\d) (\d)h1v1h-1z/g)].map(([, x, y]) => `${x} ${y}`);
			expect(cells.length).toBeGreaterThan(0);
			for (const cell of cells) {
				const [x, y] = cell.split(" ");
				expect(cells).toContain(`${4 - Number(x)} ${y}`);
			}
		}
	});
});

describe("attempts", () => {
	it("are the scored ones, oldest first", () => {
		const attempt = (created_at: string, final_score: number | null) => ({
			created_at,
			scores: final_score === null ? null : { final_score },
		});
		expect(
			attemptsOf([attempt("2026-11-20T12:00:00Z", 50), attempt("2026-11-20T11:00:00Z", null), attempt("2026-11-20T10:00:00Z", 70)]),
		).toEqual([
			{ at: START, value: 70 },
			{ at: START + 2 * HOUR, value: 50 },
		]);
	});
});

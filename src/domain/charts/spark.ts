// Small charts without axes. They are in a separate file, so that pages with lists do not load the code of the large charts.
import { formatScore } from "../formats.ts";
import { type Chart, round, scale } from "./chart.ts";

const SPARK_WIDTH = 80;
const SPARK_HEIGHT = 20;

/** Draws values as a small line without axes, for a row of a list. Returns null for fewer than two values. */
export function sparkline(scores: readonly number[], label: string, format: (value: number) => string = formatScore): Chart | null {
	if (scores.length < 2) return null;
	const x = scale([0, scores.length - 1], [2, SPARK_WIDTH - 2]);
	const y = scale([Math.min(...scores), Math.max(...scores)], [SPARK_HEIGHT - 3, 3]);
	const path = scores.map((value, index) => `${index === 0 ? "M" : "L"}${x(index)} ${y(value)}`).join("");
	const at = { cx: x(scores.length - 1), cy: round(y(scores.at(-1) ?? 0)), r: 2 };
	return {
		label: `${label}: ${scores.map(format).join(", ")}.`,
		width: SPARK_WIDTH,
		height: SPARK_HEIGHT,
		shapes: [
			{ tag: "path", class: "chart-line series-0", at: { d: path } },
			{ tag: "circle", class: "chart-dot series-0", at },
		],
		legend: [],
		table: { head: [], rows: [] },
	};
}

const STRIP_HEIGHT = 16;
const BAR_TOP = 5;
const BAR_HEIGHT = 6;

/** Draws a score from 0 to 100 as a bar, and the median of all scores as a line across it. */
export function medianStrip(score: number, median: number): Chart {
	const x = scale([0, 100], [0, SPARK_WIDTH]);
	return {
		label: `${formatScore(score)} of 100 points. The median is ${formatScore(median)}.`,
		width: SPARK_WIDTH,
		height: STRIP_HEIGHT,
		shapes: [
			{ tag: "rect", class: "chart-bar-empty", at: { x: 0, y: BAR_TOP, width: SPARK_WIDTH, height: BAR_HEIGHT } },
			{ tag: "rect", class: "chart-bar", at: { x: 0, y: BAR_TOP, width: x(score), height: BAR_HEIGHT } },
			{ tag: "line", class: "chart-median", at: { x1: x(median), y1: 1, x2: x(median), y2: STRIP_HEIGHT - 1 } },
		],
		legend: [],
		table: { head: [], rows: [] },
	};
}

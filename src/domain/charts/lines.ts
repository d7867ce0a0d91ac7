// A chart with one value for each day or hour.
import { CHART_WIDTH, type Chart, MARGIN_LEFT, MARGIN_RIGHT, niceSteps, PLOT_HEIGHT, scale, textShape, valueLines } from "./chart.ts";

const TOP = 10;
const HEIGHT = PLOT_HEIGHT + TOP + 24;
const RIGHT = CHART_WIDTH - MARGIN_RIGHT;

/** Draws one value for each day or hour as a line with an area below it. Returns null for fewer than two points. */
export function areaChart({
	title,
	head,
	points,
	format,
	isCount = false,
}: {
	/** What the values are, such as "Cost by day". */
	readonly title: string;
	/** The headings of the table's two columns: points and values. */
	readonly head: readonly [string, string];
	readonly points: readonly { readonly name: string; readonly value: number }[];
	readonly format: (value: number) => string;
	/** If true, the values are counts, so the axis has whole numbers only. */
	readonly isCount?: boolean;
}): Chart | null {
	if (points.length < 2) return null;
	const steps = niceSteps(Math.max(...points.map(({ value }) => value)));
	const x = scale([0, points.length - 1], [MARGIN_LEFT + 14, RIGHT]);
	const y = scale([0, steps.at(-1) ?? 1], [TOP + PLOT_HEIGHT, TOP]);
	const path = points.map(({ value }, index) => `${index === 0 ? "M" : "L"}${x(index)} ${y(value)}`).join("");
	const below = TOP + PLOT_HEIGHT + 16;
	return {
		label: `${title}, from ${points[0]?.name} to ${points.at(-1)?.name}: at most ${format(Math.max(...points.map(({ value }) => value)))}.`,
		width: CHART_WIDTH,
		height: HEIGHT,
		shapes: [
			...valueLines(isCount ? steps.filter(Number.isInteger) : steps, y, format),
			{ tag: "path", class: "chart-area", at: { d: `${path}V${y(0)}H${x(0)}Z` } },
			{ tag: "path", class: "chart-line series-0", at: { d: path } },
			textShape(x(0), below, { class: "chart-tick chart-tick-first", text: points[0]?.name ?? "" }),
			textShape(RIGHT, below, { class: "chart-tick chart-tick-last", text: points.at(-1)?.name ?? "" }),
		],
		legend: [],
		table: { head, rows: points.map(({ name, value }) => [name, format(value)]) },
	};
}

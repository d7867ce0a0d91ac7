// These charts show values over time: step lines, areas and sparklines.
import { formatInstant, formatScore } from "../formats.ts";
import {
	CHART_WIDTH,
	type Chart,
	formatTick,
	lineShape,
	MARGIN_LEFT,
	MARGIN_RIGHT,
	niceSteps,
	type Shape,
	scale,
	textShape,
	valueLines,
} from "./chart.ts";

const TOP = 10;
const PLOT_HEIGHT = 150;
const HEIGHT = PLOT_HEIGHT + TOP + 24;
const RIGHT = CHART_WIDTH - MARGIN_RIGHT;
const SCORES = [0, 25, 50, 75, 100];

/** Draws the best score of each competitor as steps. Returns null without a point. */
export function progressChart({
	series,
	from,
	to,
	now,
	end,
}: {
	readonly series: readonly { readonly name: string; readonly points: readonly { readonly at: number; readonly value: number }[] }[];
	/** The time is in milliseconds since the epoch, as all times of charts. */
	readonly from: number;
	/** The axis ends here, such as at the deadline. */
	readonly to: number;
	/** Lines continue until now. */
	readonly now: number;
	/** The axis ends with this word, such as `deadline`. */
	readonly end: string;
}): Chart | null {
	const withPoints = series.filter(({ points }) => points.length > 0);
	if (withPoints.length === 0) return null;
	const first = Math.min(from, ...withPoints.map(({ points }) => points[0]?.at ?? from));
	const last = Math.max(to, first + 1);
	const scaleTime = scale([first, last], [MARGIN_LEFT, RIGHT]);
	const x = (at: number) => scaleTime(Math.min(at, last));
	const y = scale([0, 100], [TOP + PLOT_HEIGHT, TOP]);
	const lines = withPoints.map(({ points }, index): Shape => {
		const steps = points.map(({ at, value }, place) => (place === 0 ? `M${x(at)} ${y(value)}` : `H${x(at)}V${y(value)}`));
		const tail = Math.max(now, points.at(-1)?.at ?? now);
		return { tag: "path", class: `chart-line series-${index}`, at: { d: `${steps.join("")}H${x(tail)}` } };
	});
	const dots = withPoints.flatMap(({ points }, index) =>
		points.map(({ at, value }): Shape => {
			return { tag: "circle", class: `chart-dot series-${index}`, at: { cx: x(at), cy: y(value), r: 2.5 } };
		}),
	);
	return {
		label: `Best score over time: ${withPoints.map(({ name, points }) => `${name} reaches ${formatScore(points.at(-1)?.value ?? 0)}`).join(", ")}.`,
		width: CHART_WIDTH,
		height: HEIGHT,
		shapes: [
			...valueLines(SCORES, y, String),
			...timeTicks({ first, last, x, end }),
			...(now < last ? [lineShape([x(now), TOP], [x(now), TOP + PLOT_HEIGHT], "chart-now")] : []),
			// The leader is drawn last, above the others.
			...[...lines, ...dots].toReversed(),
		],
		legend: withPoints.map(({ name }) => name),
		table: {
			head: ["Competitor", "Time", "Best score"],
			rows: withPoints.flatMap(({ name, points }) => points.map(({ at, value }) => [name, formatInstant(at), formatScore(value)])),
		},
	};
}

function timeTicks({
	first,
	last,
	x,
	end,
}: {
	readonly first: number;
	readonly last: number;
	readonly x: (value: number) => number;
	readonly end: string;
}): Shape[] {
	const length = last - first;
	const below = TOP + PLOT_HEIGHT + 16;
	const [beginning, middle] = [formatTick(first, length), formatTick(first + length / 2, length)];
	return [
		textShape(x(first), below, { class: "chart-tick chart-tick-first", text: beginning }),
		...(middle === beginning ? [] : [textShape(x(first + length / 2), below, { class: "chart-tick", text: middle })]),
		textShape(x(last), below, { class: "chart-tick chart-tick-last", text: end }),
		lineShape([x(last), TOP], [x(last), TOP + PLOT_HEIGHT], "chart-end"),
	];
}

/** Draws values of successive days as an area. Returns null for fewer than two points. */
export function areaChart({
	title,
	head,
	points,
	format,
	isCount = false,
}: {
	/** This title names the values, such as "Cost by day". */
	readonly title: string;
	/** The table names its two columns, points and values, like this. */
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

// Charts of scores: their distribution, what is left to gain, and the judge's samples.
import { formatChange, formatScore } from "../formats.ts";
import { CHART_WIDTH, type Chart, lineShape, round, type Shape, scale, textShape } from "./chart.ts";

const BINS = 10;
const BIN_WIDTH = 100 / BINS;

export interface Distribution {
	/** The number of scores from 0 up to but not including 10, from 10 up to 20, and so on. The last bin includes 100. */
	readonly bins: readonly { readonly from: number; readonly to: number; readonly count: number }[];
	readonly median: number;
	readonly best: number;
	readonly count: number;
}

/** Describes how scores spread over the scale from 0 to 100. Returns null without scores. */
export function distributionOf(scores: readonly number[]): Distribution | null {
	if (scores.length === 0) return null;
	const sorted = scores.toSorted((a, b) => a - b);
	const middle = sorted.length / 2;
	const median = ((sorted[Math.ceil(middle) - 1] ?? 0) + (sorted[Math.floor(middle)] ?? 0)) / 2;
	const bins = Array.from({ length: BINS }, (_, index) => ({ from: index * BIN_WIDTH, to: (index + 1) * BIN_WIDTH, count: 0 }));
	for (const score of sorted) {
		const bin = bins[Math.min(BINS - 1, Math.floor(score / BIN_WIDTH))];
		if (bin !== undefined) bin.count += 1;
	}
	return { bins, median, best: sorted.at(-1) ?? 0, count: sorted.length };
}

const BIN_HEIGHT = 96;
const GAP = 3;

/** Draws a distribution as bars, with its median as a line. */
export function distributionChart({ bins, median }: Distribution): Chart {
	const most = Math.max(...bins.map(({ count }) => count));
	const x = scale([0, 100], [0, CHART_WIDTH]);
	const width = CHART_WIDTH / bins.length;
	const bars = bins.flatMap(({ from, count }): Shape[] => {
		const height = Math.max((count / most) * (BIN_HEIGHT - 14), 1);
		const at = { x: round(x(from) + GAP / 2), y: round(BIN_HEIGHT - height), width: round(width - GAP), height: round(height) };
		const bar: Shape = { tag: "rect", class: count === 0 ? "chart-bar-empty" : "chart-bar", at };
		return count === 0
			? [bar]
			: [bar, textShape(x(from) + width / 2, BIN_HEIGHT - height - 4, { class: "chart-count", text: String(count) })];
	});
	const filled = bins.filter(({ count }) => count > 0);
	return {
		label: `Number of competitors by score: ${filled.map(({ from, to, count }) => `${count} from ${from} to ${to}`).join(", ")}.`,
		width: CHART_WIDTH,
		height: BIN_HEIGHT + 18,
		shapes: [
			...bars,
			lineShape([x(median), 0], [x(median), BIN_HEIGHT], "chart-median"),
			...[0, 25, 50, 75, 100].map((value) => textShape(x(value), BIN_HEIGHT + 15, { class: tickClass(value), text: String(value) })),
		],
		legend: [],
		table: { head: ["Score", "Competitors"], rows: bins.map(({ from, to, count }) => [`${from} to ${to}`, String(count)]) },
	};
}

const tickClass = (value: number) =>
	value === 0 ? "chart-tick chart-tick-first" : value === 100 ? "chart-tick chart-tick-last" : "chart-tick";

const ROW_HEIGHT = 30;
const NAME_CHARACTERS = 40;

/** Shortens a name that would not fit into the chart. The chart's table has the full name. */
function cutName(name: string): string {
	const characters = [...name];
	return characters.length <= NAME_CHARACTERS ? name : `${characters.slice(0, NAME_CHARACTERS - 1).join("")}…`;
}

/**
 * Draws a score as a bar, and for each criterion a bar of the points that it could still add. Each bar begins where the previous one ends.
 * Returns null if there are no points left to gain.
 */
export function waterfallChart(
	score: number,
	gains: readonly {
		readonly name: string;
		/** The points that the criterion could still add to the final score. */
		readonly points: number;
	}[],
): Chart | null {
	const left = gains.filter(({ points }) => points > 0);
	if (left.length === 0) return null;
	const total = score + left.reduce((sum, { points }) => sum + points, 0);
	const x = scale([0, Math.max(100, total)], [0, CHART_WIDTH]);
	let reached = score;
	const rows = [{ name: "Your score", from: 0, points: score, to: score }];
	for (const { name, points } of left) {
		rows.push({ name, from: reached, points, to: reached + points });
		reached += points;
	}
	const shapes = rows.flatMap(({ name, from, points, to }, index): Shape[] => {
		const top = index * ROW_HEIGHT;
		const at = { x: x(from), y: top + 16, width: round(Math.max(x(points), 1)), height: 9 };
		return [
			textShape(0, top + 12, { class: "chart-name", text: cutName(name) }),
			textShape(CHART_WIDTH, top + 12, { class: "chart-points", text: index === 0 ? formatScore(points) : formatChange(points) }),
			{ tag: "rect", class: "chart-bar-empty", at: { x: 0, y: top + 16, width: CHART_WIDTH, height: 9 } },
			{ tag: "rect", class: index === 0 ? "chart-bar" : "chart-gain", at },
			...(index + 1 < rows.length ? [lineShape([x(to), top + 25], [x(to), top + ROW_HEIGHT + 16], "chart-joint")] : []),
		];
	});
	return {
		label: `The score is ${formatScore(score)}, and ${formatScore(total - score)} more points are possible.`,
		width: CHART_WIDTH,
		height: rows.length * ROW_HEIGHT,
		shapes,
		legend: [],
		table: {
			head: ["Criterion", "Points", "Total so far"],
			rows: rows.map(({ name, points, to }) => [name, formatScore(points), formatScore(to)]),
		},
	};
}

/** Draws the judge's samples of each criterion as dots, and the criterion's score as a line. Returns null without samples. */
export function samplesChart(
	criteria: readonly { readonly name: string; readonly samples: readonly number[]; readonly score: number }[],
): Chart | null {
	const sampled = criteria.filter(({ samples }) => samples.length > 0);
	if (sampled.length === 0) return null;
	const x = scale([0, 100], [5, CHART_WIDTH - 5]);
	const shapes = sampled.flatMap(({ name, samples, score }, index): Shape[] => {
		const middle = index * ROW_HEIGHT + 20;
		return [
			textShape(0, middle - 8, { class: "chart-name", text: cutName(name) }),
			lineShape([x(0), middle], [x(100), middle], "chart-grid"),
			lineShape([x(Math.min(...samples)), middle], [x(Math.max(...samples)), middle], "chart-range"),
			...samples.map((sample): Shape => ({ tag: "circle", class: "chart-sample", at: { cx: x(sample), cy: middle, r: 4 } })),
			lineShape([x(score), middle - 7], [x(score), middle + 7], "chart-score"),
		];
	});
	const bottom = sampled.length * ROW_HEIGHT + 12;
	return {
		label: `Scores from the judge's samples: ${sampled.map(({ name, samples }) => `${name} ${rangeOf(samples)}`).join(", ")}.`,
		width: CHART_WIDTH,
		height: bottom + 6,
		shapes: [...shapes, ...[0, 50, 100].map((value) => textShape(x(value), bottom, { class: tickClass(value), text: String(value) }))],
		legend: [],
		table: {
			head: ["Criterion", "Samples", "Score"],
			rows: sampled.map(({ name, samples, score }) => [name, samples.map((sample) => formatScore(sample)).join(", "), formatScore(score)]),
		},
	};
}

function rangeOf(samples: readonly number[]): string {
	const [least, most] = [Math.min(...samples), Math.max(...samples)];
	return least === most ? formatScore(least) : `${formatScore(least)} to ${formatScore(most)}`;
}

// Draws the scores of competitors over time. A final round judges all candidates together, so it is drawn as a band and not at a time.
import { SECOND_MS } from "../durations.ts";
import type { EvaluationRound } from "../evaluation-rounds.ts";
import { formatDay, formatInstant, formatScore } from "../formats.ts";
import { ROUND_NAMES } from "../glossary.ts";
import {
	CHART_WIDTH,
	type Chart,
	DAYS_FROM_MS,
	formatTick,
	formatTime,
	lineShape,
	MARGIN_LEFT,
	MARGIN_RIGHT,
	MINUTES_FROM_MS,
	PLOT_HEIGHT,
	round as roundPixels,
	type Shape,
	scale,
	textShape,
	valueLines,
} from "./chart.ts";

/** The space above the plot, for marks and the name of the band. */
const TOP = 22;
const BOTTOM = TOP + PLOT_HEIGHT;
const HEIGHT = BOTTOM + 24;
const RIGHT = CHART_WIDTH - MARGIN_RIGHT;
const BAND_WIDTH = 88;
/** The width of the part for reviews after a final round. */
const AFTER_WIDTH = 64;
const SCORES = [0, 25, 50, 75, 100];
/** The fraction of the axis that stays empty on each side, before the first point and after the last one. */
const PADDING = 0.04;
const MIN_PADDING_MS = 30 * SECOND_MS;

/** A point of a competitor's line: the score that the competitor ranked with from a time on. */
export interface ProgressPoint {
	/** The time in milliseconds since the epoch, like all times in charts. */
	readonly at: number;
	/** The score. Null while none of the competitor's submissions counted. */
	readonly score: number | null;
	/** The round of the evaluation that changed the score. Null if no evaluation did. */
	readonly round: EvaluationRound | null;
}

interface Series {
	readonly name: string;
	/** The points, oldest first. */
	readonly points: readonly ProgressPoint[];
}

interface Mark {
	readonly at: number;
	/** The label of the mark, such as `deadline`. */
	readonly name: string;
}

/**
 * Draws, over time, the score that determined each competitor's rank. The time axis covers the scores before the final round.
 * If the mark is outside this range, its label has an arrow. Returns null if no competitor has a point.
 */
export function progressChart({ series, mark }: { readonly series: readonly Series[]; readonly mark: Mark | null }): Chart | null {
	const withPoints = series.filter(({ points }) => points.length > 0);
	if (withPoints.length === 0) return null;
	const parts = splitAtRound(withPoints);
	const plot = planPlot(parts);
	const drawn = parts.map((part, index) => drawSeries(part, index, plot));
	return {
		label: `Best score over time: ${parts.map(describeSeries).join("; ")}.`,
		width: CHART_WIDTH,
		height: HEIGHT,
		shapes: [
			...bandShapes(plot),
			...valueLines(SCORES, y, String),
			...timeTicks(plot),
			...(mark === null ? [] : markShapes(mark, plot)),
			// The leader is drawn last, above the others.
			...drawn.toReversed().map(({ line }) => line),
			...drawn.toReversed().flatMap(({ dots }) => dots),
		],
		legend: withPoints.map(({ name }) => name),
		table: {
			head: ["Competitor", "Time", "Score", "Because of"],
			rows: withPoints.flatMap(({ name, points }) =>
				points.map(({ at, score, round }) => [
					name,
					formatInstant(at),
					score === null ? "–" : formatScore(score),
					round === null ? "another submission counts" : ROUND_NAMES[round],
				]),
			),
		},
	};
}

const y = scale([0, 100], [BOTTOM, TOP]);

interface SeriesParts {
	readonly name: string;
	readonly before: readonly ProgressPoint[];
	/** The competitor's score from the final round. Null if the competitor was not in a final round. */
	readonly round: ProgressPoint | null;
	/** The points after the round. */
	readonly after: readonly ProgressPoint[];
}

/**
 * Splits each competitor's points into those before and after the final round. If the competitor was not judged in the round, its points
 * after the round's last judgement count as after the round.
 */
function splitAtRound(series: readonly Series[]): SeriesParts[] {
	const rounds = series.flatMap(({ points }) => points.find(({ round }) => round === "final") ?? []);
	const lastRound = rounds.length === 0 ? Number.POSITIVE_INFINITY : Math.max(...rounds.map(({ at }) => at));
	return series.map(({ name, points }) => {
		const place = points.findIndex(({ round }) => round === "final");
		if (place >= 0) return { name, before: points.slice(0, place), round: points[place] ?? null, after: points.slice(place + 1) };
		return { name, before: points.filter(({ at }) => at <= lastRound), round: null, after: points.filter(({ at }) => at > lastRound) };
	});
}

interface Zone {
	/** Times. */
	readonly first: number;
	readonly last: number;
	/** Pixels. */
	readonly left: number;
	readonly right: number;
	readonly x: (at: number) => number;
}

interface Plot {
	readonly times: Zone;
	/** The horizontal range of the final round in pixels, if there was one. */
	readonly band: { readonly left: number; readonly right: number } | null;
	/** The part of the axis after the final round. Null if nothing came after the round. */
	readonly after: Zone | null;
}

function planPlot(parts: readonly SeriesParts[]): Plot {
	const timesOf = (of: (part: SeriesParts) => readonly ProgressPoint[]) => parts.flatMap((part) => of(part).map(({ at }) => at));
	const before = timesOf((part) => part.before);
	const rounds = timesOf(({ round }) => (round === null ? [] : [round]));
	const after = timesOf((part) => part.after);
	const afterLeft = after.length === 0 ? RIGHT : RIGHT - AFTER_WIDTH;
	const bandLeft = rounds.length === 0 ? afterLeft : afterLeft - BAND_WIDTH;
	return {
		times: zoneOf(before.length === 0 ? rounds : before, { left: MARGIN_LEFT, right: bandLeft }),
		band: rounds.length === 0 ? null : { left: bandLeft, right: afterLeft },
		after: after.length === 0 ? null : zoneOf(after, { left: afterLeft, right: RIGHT }),
	};
}

/** Plans a part of the time axis. `times` has at least one element. */
function zoneOf(times: readonly number[], { left, right }: Pick<Zone, "left" | "right">): Zone {
	const [first, last] = [Math.min(...times), Math.max(...times)];
	const padding = Math.max(MIN_PADDING_MS, (last - first) * PADDING);
	return { first: first - padding, last: last + padding, left, right, x: scale([first - padding, last + padding], [left, right]) };
}

/**
 * Draws a competitor's line: steps before and after the final round, and a slope to the score from the round. Without such a score, the line
 * has a gap at the round.
 */
function drawSeries({ before, round, after }: SeriesParts, index: number, { times, band, after: later }: Plot) {
	const pen = penFor();
	const dots: Shape[] = [];
	const dot = (cx: number, score: number | null) => {
		if (score !== null) dots.push({ tag: "circle", class: `chart-dot series-${index}`, at: { cx, cy: y(score), r: 2.5 } });
	};
	const drawSteps = (points: readonly ProgressPoint[], { x, right }: Zone) => {
		for (const { at, score } of points) {
			pen.step(x(at), score);
			dot(x(at), score);
		}
		pen.forward(right);
	};
	drawSteps(before, times);
	if (band !== null) {
		const middle = roundPixels((band.left + band.right) / 2);
		if (round === null) pen.lift(band.right);
		else {
			pen.slope(middle, round.score);
			dot(middle, round.score);
			pen.forward(band.right);
		}
	}
	if (later !== null) drawSteps(after, later);
	const line: Shape = { tag: "path", class: `chart-line series-${index}`, at: { d: pen.path() } };
	return { line, dots };
}

/** Creates a pen that writes the SVG path of a line that may have gaps. */
function penFor() {
	const parts: string[] = [];
	let score: number | null = null;
	let isDown = false;
	const moveTo = (x: number, next: number | null) => {
		if (next !== null) parts.push(`M${x} ${y(next)}`);
		score = next;
		isDown = next !== null;
	};
	const forward = (x: number) => {
		if (isDown) parts.push(`H${x}`);
	};
	return {
		forward,
		step(x: number, next: number | null) {
			forward(x);
			if (!isDown || next === null) moveTo(x, next);
			else parts.push(`V${y(next)}`);
			score = next;
		},
		slope(x: number, next: number | null) {
			if (!isDown || next === null) moveTo(x, next);
			else parts.push(`L${x} ${y(next)}`);
			score = next;
		},
		/** Leaves a gap up to this point. */
		lift: (x: number) => moveTo(x, score),
		path: () => parts.join(""),
	};
}

function bandShapes({ band }: Plot): Shape[] {
	if (band === null) return [];
	const { left, right } = band;
	return [
		{ tag: "rect", class: "chart-band", at: { x: left, y: TOP, width: right - left, height: PLOT_HEIGHT } },
		lineShape([left, TOP], [left, BOTTOM], "chart-end"),
		textShape((left + right) / 2, TOP - 10, { class: "chart-tick", text: "final round" }),
	];
}

function timeTicks({ times, after }: Plot): Shape[] {
	const { first, last, left, right } = times;
	const length = last - first;
	const below = BOTTOM + 16;
	const middle = first + length / 2;
	const [beginning, between, end] = [formatTick(first, length), formatTick(middle, length), formatTick(last, length)];
	const isOfDays = length >= DAYS_FROM_MS;
	const day = isOfDays || length < MINUTES_FROM_MS ? "" : `${formatDay(first)} `;
	return [
		textShape(left, below, { class: "chart-tick chart-tick-first", text: day + beginning }),
		...(between === beginning || between === end ? [] : [textShape((left + right) / 2, below, { class: "chart-tick", text: between })]),
		textShape(right, below, { class: "chart-tick chart-tick-last", text: isOfDays ? end : `${end} UTC` }),
		...(after === null ? [] : [textShape(RIGHT, below, { class: "chart-tick chart-tick-last", text: formatDay(after.last) })]),
	];
}

/** Draws a mark within the axis as a line with a label, and a mark outside it as a label with an arrow. */
function markShapes({ at, name }: Mark, { times: { first, last, left, right, x } }: Plot): Shape[] {
	const above = TOP - 10;
	const outside = `${name} ${formatTime(at)}`;
	if (at > last) return [textShape(right - 4, above, { class: "chart-tick chart-tick-last", text: `${outside} →` })];
	if (at < first) return [textShape(left, above, { class: "chart-tick chart-tick-first", text: `← ${outside}` })];
	const isRight = x(at) > (left + right) / 2;
	return [
		lineShape([x(at), TOP - 8], [x(at), BOTTOM], "chart-mark"),
		textShape(x(at) + (isRight ? -4 : 4), above, { class: `chart-tick ${isRight ? "chart-tick-last" : "chart-tick-first"}`, text: name }),
	];
}

function describeSeries({ name, before, round, after }: SeriesParts): string {
	const bests = before.flatMap(({ score }) => score ?? []);
	const now = after.at(-1);
	const facts = [
		...(bests.length === 0 ? [] : [`reaches ${formatScore(Math.max(...bests))}`]),
		...(round?.score == null ? [] : [`has ${formatScore(round.score)} in the final round`]),
		...(now?.score == null ? [] : [`has ${formatScore(now.score)} now`]),
	];
	return `${name} ${facts.length === 0 ? "has no score" : facts.join(", ")}`;
}

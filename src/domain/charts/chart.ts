// A chart is data: shapes with a position and a class, and a table of the same facts. The Worker's pages and the console draw it in the
// same way. Style sheets give the classes colours, so that charts follow the theme and comply with the content security policy.
import { DAY_MS, MINUTE_MS } from "../durations.ts";
import { formatDay } from "../formats.ts";

export interface Shape {
	readonly tag: "rect" | "path" | "line" | "circle" | "text";
	readonly class: string;
	/** The attributes for position and size. Their names are the same in HTML and in React. */
	readonly at: Readonly<Record<string, number | string>>;
	readonly text?: string;
}

export interface ChartTable {
	readonly head: readonly string[];
	/** The rows of the table. The first cell of each is the row's name. */
	readonly rows: readonly (readonly string[])[];
}

export interface Chart {
	/** One sentence about what the picture shows. */
	readonly label: string;
	readonly width: number;
	readonly height: number;
	readonly shapes: readonly Shape[];
	/** The names of the series, in the order of the classes `series-0`, `series-1` and so on. Empty for a chart with one series. */
	readonly legend: readonly string[];
	readonly table: ChartTable;
}

/** The width of charts in pixels, chosen so that their text is legible on a phone. */
export const CHART_WIDTH = 420;
/** The margin for the numbers of the value axis. */
export const MARGIN_LEFT = 30;
export const MARGIN_RIGHT = 8;
/** The height of charts over time, without marks and ticks. */
export const PLOT_HEIGHT = 150;
const DIGITS = 100;

/** Rounds a coordinate to a hundredth of a pixel. More digits would only make pages larger. */
export const round = (value: number): number => Math.round(value * DIGITS) / DIGITS;

/**
 * Returns a function that maps a range of values to a range of pixels. If all values are the same, the function returns the first pixel.
 */
export function scale(from: readonly [number, number], to: readonly [number, number]): (value: number) => number {
	const [low, high] = from;
	const length = high - low;
	return (value) => (length === 0 ? to[0] : round(to[0] + ((value - low) / length) * (to[1] - to[0])));
}

export function textShape(x: number, y: number, { class: name, text: content }: { readonly class: string; readonly text: string }): Shape {
	return { tag: "text", class: name, at: { x: round(x), y: round(y) }, text: content };
}

export function lineShape(from: readonly [number, number], to: readonly [number, number], name: string): Shape {
	return { tag: "line", class: name, at: { x1: round(from[0]), y1: round(from[1]), x2: round(to[0]), y2: round(to[1]) } };
}

/** Draws a horizontal line with its number for each value. */
export function valueLines(values: readonly number[], y: (value: number) => number, format: (value: number) => string): Shape[] {
	return values.flatMap((value) => [
		lineShape([MARGIN_LEFT, y(value)], [CHART_WIDTH - MARGIN_RIGHT, y(value)], "chart-grid"),
		textShape(MARGIN_LEFT - 5, y(value) + 4, { class: "chart-value", text: format(value) }),
	]);
}

/** Chooses the labelled values of an axis that starts at 0. The largest one is at least `most`. */
export function niceSteps(most: number): number[] {
	if (most <= 0) return [0, 1];
	const magnitude = 10 ** Math.floor(Math.log10(most));
	const step = [0.25, 0.5, 1, 2.5].map((part) => part * magnitude).find((size) => size * 4 >= most) ?? 5 * magnitude;
	return [0, 1, 2, 3, 4].map((count) => count * step).filter((_, index, all) => index === 0 || (all[index - 1] ?? 0) < most);
}

const hours = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", timeZone: "UTC" });
const seconds = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit", timeZone: "UTC" });

/** An axis at least this long shows days instead of times. */
export const DAYS_FROM_MS = 2 * DAY_MS;
/** An axis shorter than this shows seconds. */
export const MINUTES_FROM_MS = 2 * MINUTE_MS;

/** Formats a time on an axis that is `lengthMs` long, as a day or as a time with or without seconds. */
export function formatTick(ms: number, lengthMs: number): string {
	if (lengthMs < MINUTES_FROM_MS) return seconds.format(ms);
	return lengthMs < DAYS_FROM_MS ? hours.format(ms) : formatDay(ms);
}

/** Formats a time with its day: `20 Nov, 10:00 UTC`. */
export const formatTime = (ms: number): string => `${formatDay(ms)}, ${hours.format(ms)} UTC`;

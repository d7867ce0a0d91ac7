// Formats text for people in columns and colours, without control characters that others could send.
import type { Environment } from "../core/profiles.ts";
import { formatTimeLeft } from "../core/sdk.ts";

const STYLES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const;
export type Style = keyof typeof STYLES;
export type Paint = (style: Style, text: string) => string;

/**
 * Returns a function that colours text. `NO_COLOR` and `TERM=dumb` switch it off, and so does a stream that is not a terminal, unless
 * `FORCE_COLOR` is set.
 */
export function makePaint(stream: { readonly isTTY?: boolean }, env: Environment): Paint {
	const isOff = (env["NO_COLOR"] ?? "") !== "" || env["TERM"] === "dumb";
	const isForced = !["", "0", undefined].includes(env["FORCE_COLOR"]);
	const isOn = !isOff && (stream.isTTY === true || isForced);
	return (style, text) => (isOn ? `\u001b[${STYLES[style]}m${text}\u001b[0m` : text);
}

/** Removes control sequences from others' texts, because they can move the cursor or rewrite lines. Line ends and tabs stay. */
export function clean(text: string): string {
	// biome-ignore lint/suspicious/noControlCharactersInRegex: these must be removed
	return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/g, "");
}

const OWN_COLOURS = new RegExp(`(\u001b\\[(?:0|${Object.values(STYLES).join("|")})m)`);

/** Removes all control sequences from the text of a command, except its own colours. */
export function cleanPainted(text: string): string {
	return text
		.split(OWN_COLOURS)
		.map((part, index) => (index % 2 === 1 ? part : clean(part)))
		.join("");
}

/**
 * Returns JSON whose control and bidirectional characters are escapes, so that a terminal obeys none of them.
 * `JSON.stringify` escapes only those below U+0020.
 */
export function toSafeJson(value: unknown, indent?: number): string {
	return JSON.stringify(value, null, indent).replace(/[\u007f-\u009f\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/g, (character) => {
		return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
	});
}

const RELATIVE_LIMIT_MS = 60 * 86_400_000;

/** Formats a time for people: `in 2 d 4 h`, `5 min ago`, or a date if the time is distant. */
export function formatWhen(iso: string | null | undefined, now = Date.now()): string | null {
	if (iso === null || iso === undefined) return null;
	const ms = Date.parse(iso) - now;
	if (!Number.isFinite(ms)) return iso;
	if (Math.abs(ms) > RELATIVE_LIMIT_MS) return iso.slice(0, 10);
	return ms < 0 ? `${formatTimeLeft(-ms, "minute")} ago` : `in ${formatTimeLeft(ms, "minute")}`;
}

export type Cell = string | number | boolean | null | undefined;

function cellText(value: Cell): string {
	return clean(value === null || value === undefined || value === "" ? "-" : String(value)).replace(/\s+/g, " ");
}

/** Formats columns with a heading. Nothing is cut, so that ids can be copied. */
export function table(paint: Paint, headings: readonly string[], rows: readonly (readonly Cell[])[]): string {
	const texts = [headings, ...rows.map((row) => row.map(cellText))];
	const widths = headings.map((_, column) => Math.max(...texts.map((row) => widthOf(row[column] ?? ""))));
	const lines = texts.map((row) =>
		row
			.map((text, column) => text + " ".repeat(column === row.length - 1 ? 0 : (widths[column] ?? 0) - widthOf(text)))
			.join("  ")
			.trimEnd(),
	);
	return [paint("bold", lines[0] ?? ""), ...(rows.length === 0 ? ["(none)"] : lines.slice(1))].join("\n");
}

/** Formats names and values below each other, without undefined values. */
export function fields(paint: Paint, values: Readonly<Record<string, Cell>>): string {
	const shown = Object.entries(values).filter(([, value]) => value !== undefined);
	const width = Math.max(0, ...shown.map(([name]) => name.length));
	return shown.map(([name, value]) => `${paint("dim", name.padEnd(width))}  ${cellText(value)}`).join("\n");
}

function widthOf(text: string): number {
	return [...text].length;
}

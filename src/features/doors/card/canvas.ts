// A canvas is a picture whose colours are numbered. Each ink has 16 numbers, from its ground to the full colour, so that edges are smooth.
import { type CardGlyphs, type Font, measureText } from "./glyphs.ts";

type Colour = readonly [red: number, green: number, blue: number];

export interface Ink {
	readonly ground: Colour;
	readonly colour: Colour;
}

const SHADES = 16;
const FULL = SHADES - 1;

export interface Canvas {
	readonly width: number;
	readonly height: number;
	readonly inks: readonly Ink[];
	/** Each pixel is a number, row by row. The numbers of ink `n` begin at 16 times `n`. */
	readonly pixels: Uint8Array;
}

/** Makes a picture of the first ink's ground. */
export function createCanvas(width: number, height: number, inks: readonly Ink[]): Canvas {
	return { width, height, inks, pixels: new Uint8Array(width * height) };
}

/** Returns the red, green and blue of every number. */
export function paletteOf({ inks }: Canvas): Uint8Array {
	const bytes = inks.flatMap(({ ground, colour }) =>
		Array.from({ length: SHADES }, (_, shade) =>
			ground.map((from, channel) => Math.round(from + (((colour[channel] ?? 0) - from) * shade) / FULL)),
		).flat(),
	);
	return Uint8Array.from(bytes);
}

export interface Box {
	readonly x: number;
	readonly y: number;
	readonly width: number;
	readonly height: number;
	/** Corners are round by this many pixels. */
	readonly radius?: number;
}

export function fillBox(canvas: Canvas, box: Box, ink: number): void {
	const { x: left, y: top, width, height, radius = 0 } = box;
	for (let y = 0; y < height; y += 1) {
		for (let x = 0; x < width; x += 1) {
			const shade = Math.round(FULL * pixelCoverageOf({ x, y }, { width, height, radius }));
			if (shade > 0) setPixel(canvas, { x: left + x, y: top + y }, ink * SHADES + shade);
		}
	}
}

/** Returns how much of a pixel a box with round corners covers, from 0 to 1. */
function pixelCoverageOf({ x, y }: Pick<Box, "x" | "y">, { width, height, radius = 0 }: Omit<Box, "x" | "y">): number {
	const dx = Math.max(radius - x - 0.5, x + 0.5 - (width - radius), 0);
	const dy = Math.max(radius - y - 0.5, y + 0.5 - (height - radius), 0);
	return dx === 0 || dy === 0 ? 1 : Math.min(1, Math.max(0, radius - Math.hypot(dx, dy) + 0.5));
}

function setPixel({ width, height, pixels }: Canvas, { x, y }: Pick<Box, "x" | "y">, value: number): void {
	if (x >= 0 && y >= 0 && x < width && y < height) pixels[y * width + x] = value;
}

/** Writes a line of text. Returns where it ends. */
export function writeText(
	canvas: Canvas,
	text: string,
	{
		x,
		y,
		font,
		pixels,
		ink,
	}: { readonly x: number; readonly y: number; readonly font: Font; readonly pixels: CardGlyphs["pixels"]; readonly ink: number },
): number {
	const baseline = y + font.ascent;
	let written = "";
	for (const character of text) {
		const glyph = font.glyphs[character];
		if (glyph === undefined) continue;
		written += character;
		const left = Math.round(x + measureText(written, font) - glyph.advance) + glyph.left;
		for (let row = 0; row < glyph.height; row += 1) {
			for (let column = 0; column < glyph.width; column += 1) {
				const shade = pixels[glyph.offset + row * glyph.width + column] ?? 0;
				if (shade > 0) setPixel(canvas, { x: left + column, y: baseline + glyph.top + row }, ink * SHADES + shade);
			}
		}
	}
	return x + measureText(written, font);
}

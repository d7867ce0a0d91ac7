// scripts/card-glyphs.ts draws the letters of cards beforehand, because a Worker has no fonts. This file reads them.
import { unzlibSync } from "fflate";
import * as z from "zod";
import { fromBase64 } from "../../../platform/crypto.ts";

const glyph = z
	.tuple([z.number(), z.int(), z.int(), z.int().min(0), z.int().min(0), z.int().min(0)])
	.transform(([advance, left, top, width, height, offset]) => ({ advance, left, top, width, height, offset }));

const font = z.object({
	/** All measures are in pixels. */
	lineHeight: z.number(),
	ascent: z.number(),
	glyphs: z.record(z.string(), glyph),
	/** After the first of two characters, the second one moves by this. */
	kerning: z.record(z.string(), z.number()),
});

export const cardGlyphs = z.object({
	fonts: z.object({ title: font, value: font, label: font }),
	/** Each byte is the coverage of one pixel of a glyph, from 0 to 15. */
	pixels: z.string().transform((text) => unzlibSync(fromBase64(text))),
});

export type CardGlyphs = z.output<typeof cardGlyphs>;
export type Font = z.output<typeof font>;

/** A text with fewer characters than this share of its own would not be recognised. */
const LEAST_SHOWN = 0.7;

/** Returns a text in characters that a font has, or null if too few of them remain. Accents that it does not have are left out. */
export function fitText(text: string, { glyphs }: Font): string | null {
	const characters = [...text.normalize("NFC").replace(/\s+/gu, " ").trim()];
	const shown = characters.map((character) => {
		if (Object.hasOwn(glyphs, character)) return character;
		const [base = ""] = character.normalize("NFD");
		return Object.hasOwn(glyphs, base) ? base : "";
	});
	const count = shown.filter((character) => character !== "").length;
	return count === 0 || count < characters.length * LEAST_SHOWN ? null : shown.join("").replace(/ +/g, " ").trim();
}

/** Measures a text in pixels. */
export function measureText(text: string, { glyphs, kerning }: Font): number {
	const characters = [...text];
	return characters.reduce((width, character, index) => {
		const pair = kerning[`${characters[index - 1] ?? ""}${character}`] ?? 0;
		return width + pair + (glyphs[character]?.advance ?? 0);
	}, 0);
}

/** Breaks a text into lines. The last line ends with an ellipsis if there is more. */
export function breakLines(text: string, font: Font, { width, lines: most }: { readonly width: number; readonly lines: number }): string[] {
	const fits = (line: string) => measureText(line, font) <= width;
	const pieces = text.split(" ").flatMap((word) => cutWord(word, fits));
	const lines: string[] = [];
	for (const piece of pieces) {
		const longer = `${lines.at(-1) ?? ""} ${piece}`.trimStart();
		if (lines.length > 0 && fits(longer)) lines[lines.length - 1] = longer;
		else lines.push(piece);
	}
	if (lines.length <= most) return lines;
	let last = lines[most - 1] ?? "";
	while (last !== "" && !fits(`${last}…`)) last = last.slice(0, -1);
	return [...lines.slice(0, most - 1), `${last.trimEnd()}…`];
}

/** Cuts a word that is wider than a line into pieces that fit. */
function cutWord(word: string, fits: (line: string) => boolean): string[] {
	const pieces = [""];
	for (const character of word) {
		const longer = `${pieces.at(-1) ?? ""}${character}`;
		if (fits(longer)) pieces[pieces.length - 1] = longer;
		else pieces.push(character);
	}
	return pieces;
}

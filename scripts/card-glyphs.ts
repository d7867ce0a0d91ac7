// node scripts/card-glyphs.ts draws the letters of the cards for social networks, because a Worker has no fonts. It writes
// site/card-glyphs.json, which is committed. Run it after a change of the typeface. It needs Chromium, which CHROMIUM_PATH may name.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { deflateSync } from "node:zlib";
import { chromium } from "playwright-core";
import * as z from "zod";
import { runCommand } from "./support/command.ts";
import { PROJECT_ROOT } from "./support/wrangler.ts";

const FONT = "@fontsource-variable/instrument-sans/files/instrument-sans-latin-wght-normal.woff2";
const SIZES = { title: { px: 64, weight: 660 }, value: { px: 40, weight: 640 }, label: { px: 28, weight: 430 } } as const;

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => String.fromCodePoint(from + index));
const CHARACTERS = [...range(0x20, 0x7e), ...range(0xa1, 0xac), ...range(0xae, 0xff), ..."ıŒœ–—‘’‚“”„•…€™"];

const drawnFont = z.object({
	lineHeight: z.number(),
	ascent: z.number(),
	/** Each character has its advance, left, top, width, height, then a hexadecimal digit for the coverage of each pixel. */
	glyphs: z.record(z.string(), z.tuple([z.number(), z.number(), z.number(), z.number(), z.number(), z.string()])),
	kerning: z.record(z.string(), z.number()),
});

/** This code runs in the page, whose canvas has the typeface. */
const DRAW = `async ({ px, weight, characters }) => {
	await document.fonts.load(weight + " " + px + "px Sans");
	const canvas = document.createElement("canvas");
	const size = px * 2;
	canvas.width = size; canvas.height = size;
	const context = canvas.getContext("2d", { willReadFrequently: true });
	context.font = weight + " " + px + "px Sans";
	context.textBaseline = "alphabetic";
	const [originX, originY] = [Math.round(px / 2), Math.round(px * 1.3)];
	const glyphs = {};
	for (const character of characters) {
		context.clearRect(0, 0, size, size);
		context.fillText(character, originX, originY);
		const { data } = context.getImageData(0, 0, size, size);
		const at = (x, y) => data[(y * size + x) * 4 + 3] >> 4;
		let [left, top, right, bottom] = [size, size, -1, -1];
		for (let y = 0; y < size; y += 1) for (let x = 0; x < size; x += 1) if (at(x, y) > 0) {
			left = Math.min(left, x); right = Math.max(right, x); top = Math.min(top, y); bottom = Math.max(bottom, y);
		}
		const advance = Math.round(context.measureText(character).width * 10) / 10;
		if (right < 0) { glyphs[character] = [advance, 0, 0, 0, 0, ""]; continue; }
		let pixels = "";
		for (let y = top; y <= bottom; y += 1) for (let x = left; x <= right; x += 1) pixels += at(x, y).toString(16);
		glyphs[character] = [advance, left - originX, top - originY, right - left + 1, bottom - top + 1, pixels];
	}
	const kerning = {};
	const letters = characters.filter((character) => /[A-Za-z0-9.,:'"-]/.test(character));
	for (const first of letters) for (const second of letters) {
		const by = context.measureText(first + second).width - context.measureText(first).width - context.measureText(second).width;
		if (Math.abs(by) >= 0.75) kerning[first + second] = Math.round(by * 10) / 10;
	}
	return { lineHeight: Math.round(px * 1.16), ascent: Math.round(px * 0.97), glyphs, kerning };
}`;

await runCommand(async () => {
	const font = (await readFile(fileURLToPath(import.meta.resolve(FONT)))).toString("base64");
	const executablePath = process.env["CHROMIUM_PATH"] || "/usr/bin/chromium";
	const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
	try {
		const page = await browser.newPage();
		await page.setContent(
			`<style>@font-face{font-family:Sans;font-weight:400 700;src:url(data:font/woff2;base64,${font})}</style><p style="font-family:Sans">A</p>`,
		);
		const fonts = [];
		let pixels = "";
		for (const [name, { px, weight }] of Object.entries(SIZES)) {
			const drawn = drawnFont.parse(await page.evaluate(`(${DRAW})(${JSON.stringify({ px, weight, characters: CHARACTERS })})`));
			const glyphs = Object.entries(drawn.glyphs).map(([character, [advance, left, top, width, height, digits]]) => {
				const offset = pixels.length;
				pixels += digits;
				return [character, [advance, left, top, width, height, offset]] as const;
			});
			fonts.push([name, { ...drawn, glyphs: Object.fromEntries(glyphs) }] as const);
		}
		const packed = deflateSync(
			Uint8Array.from(pixels, (digit) => Number.parseInt(digit, 16)),
			{ level: 9 },
		).toString("base64");
		const path = join(PROJECT_ROOT, "site", "card-glyphs.json");
		await writeFile(path, `${JSON.stringify({ fonts: Object.fromEntries(fonts), pixels: packed })}\n`);
		console.log(`Wrote ${path}, ${packed.length} bytes of pixels.`);
	} finally {
		await browser.close();
	}
});

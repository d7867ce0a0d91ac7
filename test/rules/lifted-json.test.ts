import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { decodeBase64InPlace, LongText } from "../../src/domain/long-text.ts";
import { parseLiftedJson } from "../../src/http/lifted-json.ts";

const bytesOf = (text: string) => new TextEncoder().encode(text);
const LONG = "x".repeat(5_000);

/** A value with its long texts as plain strings again. */
function restore(value: unknown): unknown {
	if (value instanceof LongText) return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(value.bytes);
	if (Array.isArray(value)) return value.map(restore);
	if (typeof value !== "object" || value === null) return value;
	return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, restore(part)]));
}

/** Text that is long enough to be lifted, full of what needs escapes. */
const longText = fc.string({ unit: "grapheme", maxLength: 60 }).map((text) => `${text}"\\\n\u0001é😀`.repeat(400));

describe("JSON with long strings", () => {
	it("has the values that JSON.parse gives", () => {
		const values = fc.object({ values: [fc.string(), fc.integer(), longText, fc.constant(null)], maxDepth: 2 });
		fc.assert(
			fc.property(values, fc.constantFrom(undefined, 2), (value, indent) => {
				const json = JSON.stringify(value, null, indent);
				expect(restore(parseLiftedJson(bytesOf(json)))).toEqual(JSON.parse(json));
			}),
			{ numRuns: 60 },
		);
	});

	it("reads every kind of escape", () => {
		const escaped = `"${LONG}\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00\\u0041"`;
		expect(restore(parseLiftedJson(bytesOf(escaped)))).toBe(`${LONG}"\\/\b\f\n\r\té😀A`);
	});

	it("lifts values and no keys, and keeps what looks like a placeholder", () => {
		const json = `{"${LONG}":"\\u0000lifted:0","a":["${LONG}"]}`;
		const parsed = parseLiftedJson(bytesOf(json));
		expect(parsed).toEqual({ [LONG]: "\0lifted:0", a: [expect.any(LongText)] });
	});

	it("marks lone surrogates", () => {
		expect(parseLiftedJson(bytesOf(`"${LONG}\\ud83d"`))).toMatchObject({ isWellFormed: false });
		expect(parseLiftedJson(bytesOf(`"${LONG}\\ud83d\\u0041"`))).toMatchObject({ isWellFormed: false });
		expect(parseLiftedJson(bytesOf(`"${LONG}\\ud83d\\ude00"`))).toMatchObject({ isWellFormed: true });
	});

	it.each([1_000, 1_279, 1_280, 3_000, 4_096])("reads 2,000 files of %i bytes with long paths", (size) => {
		const paths = Array.from({ length: 2_000 }, (_, index) => `${index}/`.padEnd(512, "p"));
		const json = JSON.stringify({ files: Object.fromEntries(paths.map((path) => [path, "x".repeat(size)])) });
		const { files } = z.object({ files: z.record(z.string(), z.unknown()) }).parse(parseLiftedJson(bytesOf(json)));
		expect(Object.keys(files)).toHaveLength(2_000);
		expect(Object.values(files).map((content) => String(restore(content)).length)).toEqual(Array(2_000).fill(size));
	});

	it("leaves a name of 100 characters as text, however it is escaped", () => {
		const json = `{"agent_display_name":"${"\\ud83d\\ude00".repeat(100)}"}`;
		expect(parseLiftedJson(bytesOf(json))).toEqual({ agent_display_name: "\u{1F600}".repeat(100) });
	});

	it.each([
		["an open string", `"${LONG}`],
		["a string that ends in a backslash", `"${LONG}\\"`],
		["a line break", `"${LONG}\n"`],
		["an unknown escape", `"${LONG}\\x41"`],
		["half of a Unicode escape", `"${LONG}\\u00"`],
		["a value too many", `"${LONG}" 1`],
		["a string without a comma", `["${LONG}" "${LONG}"]`],
		["too much besides strings", `[${"[],".repeat(1_500_000)}1]`],
	])("is refused with %s", (_, json) => {
		expect(() => parseLiftedJson(bytesOf(json))).toThrow(SyntaxError);
	});

	it("is refused when it is not UTF-8", () => {
		expect(() => parseLiftedJson(new Uint8Array([0x22, 0xff, 0x22]))).toThrow(TypeError);
		expect(() => parseLiftedJson(new Uint8Array([0x22, 0xc3]))).toThrow(TypeError);
	});
});

describe("long base64", () => {
	const decode = (text: string) => decodeBase64InPlace(new LongText(bytesOf(text), true));

	it("gives the bytes back, whatever white space it contains and with or without padding", () => {
		for (const size of [0, 1, 2, 3, 49_151, 49_152, 49_153, 200_000, 200_001]) {
			const bytes = new Uint8Array(size).map((_, index) => index * 7);
			const base64 = bytes.toBase64();
			expect(decode(base64)).toEqual(bytes);
			expect(decode(base64.replace(/=+$/, ""))).toEqual(bytes);
			expect(decode(base64.replace(/.{76}/g, "$&\r\n"))).toEqual(bytes);
			expect(decode(`${" ".repeat(70_000)}${base64}${"\n".repeat(70_000)}`)).toEqual(bytes);
		}
	});

	it.each(["!", `${"A".repeat(70_000)}!`, `QQ==${"A".repeat(70_000)}`, `${"A".repeat(65_534)}==${"A".repeat(70_000)}`, "A"])(
		"refuses what is not base64 (%#)",
		(text) => {
			expect(() => decode(text)).toThrow(SyntaxError);
		},
	);
});

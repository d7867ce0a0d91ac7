import { MultipartParser } from "@remix-run/multipart-parser";
import * as fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { FORM_OVERHEAD_BYTES, readMultipartFile, readParts } from "../../src/http/multipart.ts";

const BOUNDARY = "------------------------abcdef1234567890";
const CONTENT_TYPE = `multipart/form-data; boundary=${BOUNDARY}`;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

afterEach(() => {
	vi.restoreAllMocks();
});

async function* inChunks(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
	for (let at = 0; at < bytes.byteLength; at += size) yield bytes.subarray(at, at + size);
}

interface Part {
	/** The head has header lines. */
	readonly head: string;
	readonly content: Uint8Array | string;
}

const fieldHead = (name: string) => `Content-Disposition: form-data; name="${name}"`;
const fileHead = (filename: string) => `${fieldHead("file")}; filename="${filename}"\r\nContent-Type: application/zip`;

function encodeParts(parts: readonly Part[], { preamble = "", end = "--\r\n" } = {}): Uint8Array {
	const pieces = parts.flatMap(({ head, content }, index) => [
		encoder.encode(`${index === 0 ? preamble : "\r\n"}--${BOUNDARY}\r\n${head}\r\n\r\n`),
		typeof content === "string" ? encoder.encode(content) : content,
	]);
	return concat([...pieces, encoder.encode(`\r\n--${BOUNDARY}${end}`)]);
}

function concat(pieces: readonly Uint8Array[]): Uint8Array {
	const bytes = new Uint8Array(pieces.reduce((size, piece) => size + piece.byteLength, 0));
	let at = 0;
	for (const piece of pieces) {
		bytes.set(piece, at);
		at += piece.byteLength;
	}
	return bytes;
}

interface Form {
	readonly content: Uint8Array;
	readonly filename: string;
	/** These are the bytes of a field before the file, or null for none. */
	readonly note: string | null;
}

function encodeForm({ content, filename, note }: Form): Uint8Array {
	const fields = note === null ? [] : [{ head: fieldHead("note"), content: note }];
	return encodeParts([...fields, { head: fileHead(filename), content }]);
}

async function readBytes(form: Uint8Array, { chunkSize = 4096, contentType = CONTENT_TYPE } = {}): Promise<number[]> {
	const bytes: number[] = [];
	for await (const chunk of await readMultipartFile(inChunks(form, chunkSize), contentType)) bytes.push(...chunk);
	return bytes;
}

/** Returns all parts, with what makes a part a file. */
async function readAll(form: Uint8Array, chunkSize = 4096) {
	const parts: unknown[] = [];
	for await (const part of readParts(inChunks(form, chunkSize), CONTENT_TYPE)) {
		if (part.kind === "field") parts.push([part.name, part.value]);
		else {
			const content: Uint8Array[] = [];
			for await (const chunk of part.content) content.push(chunk);
			parts.push([part.filename, part.mediaType, decoder.decode(concat(content))]);
		}
	}
	return parts;
}

const refusal = (message: string) => ({ code: "VALIDATION_ERROR", message: expect.stringContaining(message) });

const hostileBytes = fc.oneof(
	fc.uint8Array({ minLength: 1, maxLength: 200 }),
	fc.string({ unit: fc.constantFrom("-", "\r", "\n", BOUNDARY.slice(0, 9)), minLength: 1 }).map((text) => encoder.encode(text)),
);

describe("a file", () => {
	it("has the bytes as they were sent, for any content, name and chunks", async () => {
		const form = fc.record({
			content: hostileBytes,
			filename: fc.constantFrom("artifact.zip", "Größe.zip", "作品.zip"),
			note: fc.constantFrom(null, "plain", "é\r\n\r\nContent-Disposition: ü"),
		});
		await fc.assert(
			fc.asyncProperty(form, fc.integer({ min: 1, max: 400 }), async (input, chunkSize) => {
				expect(await readBytes(encodeForm(input), { chunkSize })).toEqual([...input.content]);
			}),
			{ numRuns: 300 },
		);
	});

	it("keeps the first bytes of a zip, whose time of day is not ASCII", async () => {
		const content = new Uint8Array([0x50, 0x4b, 3, 4, 0x14, 0, 0, 0, 8, 0, 0xd7, 0x7c, 0x75, 0x5d]);
		expect(await readBytes(encodeForm({ content, filename: "artifact.zip", note: null }))).toEqual([...content]);
	});

	it("may have a name that is not UTF-8", async () => {
		const [before, after] = [fileHead("Gr\0e.zip").split("\0")[0] ?? "", 'e.zip"'];
		const head = concat([encoder.encode(before), new Uint8Array([0xf6, 0xdf]), encoder.encode(after)]);
		const form = concat([encoder.encode(`--${BOUNDARY}\r\n`), head, encoder.encode(`\r\n\r\nzip\r\n--${BOUNDARY}--`)]);
		expect(decoder.decode(new Uint8Array(await readBytes(form)))).toBe("zip");
	});

	it("is passed on before the rest of it is requested", async () => {
		let asked = 0;
		async function* body() {
			for (const text of [`--${BOUNDARY}\r\n${fileHead("a.zip")}\r\n\r\n`, "start", "end", `\r\n--${BOUNDARY}--`]) {
				asked += 1;
				yield encoder.encode(text);
			}
		}
		const file = (await readMultipartFile(body(), CONTENT_TYPE))[Symbol.asyncIterator]();
		expect([decoder.decode((await file.next()).value), asked]).toEqual(["start", 2]);
		expect([decoder.decode((await file.next()).value), asked]).toEqual(["end", 3]);
		expect([await file.next(), asked]).toEqual([{ done: true, value: undefined }, 4]);
	});
});

describe("parts", () => {
	it("are those that the library finds, which holds them in memory", async () => {
		const part = fc.record({ name: fc.constantFrom("note", "größe", "__proto__"), content: hostileBytes });
		await fc.assert(
			fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 8 }), fc.integer({ min: 1, max: 400 }), async (parts, chunkSize) => {
				const form = encodeParts(parts.map(({ name, content }) => ({ head: fieldHead(name), content })));
				const parser = new MultipartParser(BOUNDARY);
				const expected = [...parser.write(form)].map(({ name, bytes }) => [name, decoder.decode(bytes)]);
				parser.finish();
				expect(await readAll(form, chunkSize)).toEqual(expected);
			}),
		);
	});

	it.each<readonly [string, unknown[]]>([
		[`${fieldHead("file")}; filename="a.csv"`, ["a.csv", "text/plain", "x"]],
		[`${fieldHead("file")}; filename="a.csv"\r\nContent-Type: text/plain`, ["a.csv", "text/plain", "x"]],
		[`${fieldHead("file")}; filename*=UTF-8''Gr%C3%B6%C3%9Fe.csv`, ["Größe.csv", "text/plain", "x"]],
		[`${fieldHead("file")}; filename="C:\\Users\\me\\data.csv"`, ["C:\\Users\\me\\data.csv", "text/plain", "x"]],
		[`${fieldHead("file")}; filename="C:\\\\Users\\\\data.csv"`, ["C:\\Users\\data.csv", "text/plain", "x"]],
		[`${fieldHead("file")}; filename="a\\"b%22c%0a.csv"`, ['a"b"c\n.csv', "text/plain", "x"]],
		[`${fieldHead("file")}; filename*=UTF-8''a%2522b.csv`, ["a%22b.csv", "text/plain", "x"]],
		[`${fieldHead("file")}; filename="100%25%20.csv"`, ["100%25%20.csv", "text/plain", "x"]],
		[`${fieldHead("file")}; filename="blob"\r\nContent-Type: text/csv`, [null, "text/csv", "x"]],
		[`${fieldHead("file")}; filename=""\r\nContent-Type: application/octet-stream`, [null, "application/octet-stream", "x"]],
		[`${fieldHead("file")}\r\nContent-Type: Application/JSON; charset=utf-8`, [null, "application/json", "x"]],
		[`Content-Type: text/csv\r\n${fieldHead("file")}`, [null, "text/csv", "x"]],
		[fieldHead("file"), ["file", "x"]],
		[`${fieldHead("file")}\r\nContent-Type: text/plain; charset=utf-8`, ["file", "x"]],
		[`${fieldHead("other")}; filename="a.csv"`, ["other", "x"]],
	])("with the headers %j are files by a file name or a Content-Type", async (head, expected) => {
		expect(await readAll(encodeParts([{ head, content: "x" }]))).toEqual([expected]);
	});

	it("may have a preamble before them and an epilogue after them", async () => {
		const parts = [{ head: fieldHead("note"), content: "x" }];
		for (const preamble of ["\r\n", "Read this\r\n\r\nfirst.\r\n", "--\r\n"]) {
			expect(await readAll(encodeParts(parts, { preamble, end: "--\r\nand\r\n\r\nmore" }))).toEqual([["note", "x"]]);
		}
	});
});

const file = { head: fileHead("a.zip"), content: "zip" };
const note = (bytes: number) => ({ head: fieldHead("note"), content: "x".repeat(bytes) });

describe("a form is refused", () => {
	it.each<readonly [string, Uint8Array, string]>([
		["without any part", encoder.encode(`--${BOUNDARY}--\r\n`), "send one file"],
		["without a file", encodeParts([note(1)]), "send one file"],
		["with a file field that is text", encodeParts([{ head: fieldHead("file"), content: "a.zip" }]), "send one file"],
		["with two files", encodeParts([file, file]), "one file at a time"],
		["with a second file among fields", encodeParts([note(1), file, note(1), file]), "one file at a time"],
		["that is empty", new Uint8Array(), "broken or cut off"],
		["without its end", encodeParts([file], { end: "" }), "broken or cut off"],
		["with half of its end", encodeParts([file], { end: "-" }), "broken or cut off"],
		["with another line than a boundary's", encodeParts([file], { end: "more\r\n" }), "broken or cut off"],
		["cut off in its headers", encodeParts([file]).subarray(0, 80), "broken or cut off"],
		["cut off in its file", encodeParts([file]).subarray(0, -50), "broken or cut off"],
		["with a part without headers", encodeParts([file, { head: "", content: "x" }]), "broken or cut off"],
		["with a part without a name", encodeParts([{ head: "Content-Disposition: form-data", content: "x" }, file]), "broken or cut off"],
		["with 17 parts", encodeParts([...Array.from({ length: 16 }, () => note(1)), file]), "more than 16 parts"],
		["with a field over 16 KB", encodeParts([note(16 * 1024 + 1), file]), "any other field"],
		[
			"with headers over 16 KB",
			encodeParts([{ head: `X: ${"x".repeat(16 * 1024)}\r\n${fileHead("a.zip")}`, content: "zip" }]),
			"for a part's headers",
		],
		["with more than 64 KB of fields", encodeParts([...Array.from({ length: 4 }, () => note(16 * 1024)), file]), "everything but the file"],
		[
			"with fields over 64 KB after its file",
			encodeParts([file, ...Array.from({ length: 4 }, () => note(16 * 1024))]),
			"everything but the file",
		],
	])("%s", async (_, form, message) => {
		await expect(readBytes(form)).rejects.toMatchObject(refusal(message));
		await expect(readBytes(form, { chunkSize: 1 })).rejects.toMatchObject(refusal(message));
	});

	it.each([
		"multipart/form-data",
		"multipart/form-data; boundary=",
		'multipart/form-data; boundary=""',
		`multipart/mixed; boundary=${BOUNDARY}`,
		`multipart/form-data; boundary=${"x".repeat(71)}`,
		"application/json",
		"",
	])("as %j", async (contentType) => {
		await expect(readBytes(encodeParts([file]), { contentType })).rejects.toMatchObject(refusal("with a boundary"));
	});
});

describe("a form is accepted", () => {
	it("with fifteen fields of 4 KB before its file", async () => {
		const form = encodeParts([...Array.from({ length: 15 }, () => note(4 * 1024)), file]);
		expect(decoder.decode(new Uint8Array(await readBytes(form)))).toBe("zip");
	});

	it.each([`multipart/form-data; boundary="${BOUNDARY}"`, `Multipart/Form-Data; charset=utf-8; Boundary=${BOUNDARY} ; x=y`])(
		"as %j",
		async (contentType) => {
			expect(decoder.decode(new Uint8Array(await readBytes(encodeParts([file]), { contentType })))).toBe("zip");
		},
	);
});

describe("the cost of a form", () => {
	it.each([1, 1024, 65_536])("ends with 64 KB before the file, in chunks of %i bytes", async (chunkSize) => {
		let read = 0;
		async function* endless() {
			for (;;) {
				read += chunkSize;
				yield new Uint8Array(chunkSize).fill(0x0d);
			}
		}
		await expect(readMultipartFile(endless(), CONTENT_TYPE)).rejects.toMatchObject(refusal("everything but the file"));
		expect(read).toBeLessThanOrEqual(FORM_OVERHEAD_BYTES + 2 * chunkSize);
	});

	/** Returns how many bytes are copied for a file that nearly repeats the boundary at every byte. */
	async function countCopied(bytes: number): Promise<number> {
		const near = `\r\n--${BOUNDARY.slice(0, -1)}`;
		const form = encodeParts([{ head: fileHead("a.zip"), content: near.repeat(bytes / near.length) }]);
		let copied = 0;
		const set = Uint8Array.prototype.set;
		const spy = vi.spyOn(Uint8Array.prototype, "set").mockImplementation(function (this: Uint8Array, source, offset) {
			copied += source.length;
			set.call(this, source, offset);
		});
		let size = 0;
		for await (const chunk of await readMultipartFile(inChunks(form, 1), CONTENT_TYPE)) size += chunk.byteLength;
		spy.mockRestore();
		expect(size).toBeGreaterThan(bytes - near.length);
		return copied;
	}

	it("is linear in its bytes", async () => {
		const [one, four] = [await countCopied(20_000), await countCopied(80_000)];
		expect(one).toBeGreaterThan(0);
		expect(four / one).toBeLessThan(4.2);
		expect(four / 80_000).toBeLessThan(BOUNDARY.length);
	});
});

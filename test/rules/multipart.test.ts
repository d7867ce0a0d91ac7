import * as fc from "fast-check";
import { expect, it } from "vitest";
import { readMultipartFile } from "../../src/http/multipart.ts";

const BOUNDARY = "------------------------abcdef1234567890";
const encoder = new TextEncoder();

async function* inChunks(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
	for (let at = 0; at < bytes.byteLength; at += size) yield bytes.subarray(at, at + size);
}

interface Form {
	readonly content: Uint8Array;
	readonly filename: string;
	/** Of a field in front of the file; null for none. */
	readonly note: string | null;
}

function encodeForm({ content, filename, note }: Form): Uint8Array {
	const field = note === null ? "" : `--${BOUNDARY}\r\nContent-Disposition: form-data; name="note"\r\n\r\n${note}\r\n`;
	const head = `${field}--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="${filename}"\r\nContent-Type: application/zip\r\n\r\n`;
	return new Uint8Array([...encoder.encode(head), ...content, ...encoder.encode(`\r\n--${BOUNDARY}--\r\n`)]);
}

async function readForm(form: Form, chunkSize: number): Promise<number[]> {
	const contentType = `multipart/form-data; boundary=${BOUNDARY}`;
	const bytes: number[] = [];
	for await (const chunk of await readMultipartFile(inChunks(encodeForm(form), chunkSize), contentType)) bytes.push(...chunk);
	return bytes;
}

it("gives a file's bytes as they were sent, whatever they are, however it is called, and however they arrive", async () => {
	const form = fc.record({
		content: fc.oneof(
			fc.uint8Array({ minLength: 1, maxLength: 200 }),
			fc.string({ unit: fc.constantFrom("-", "\r", "\n", BOUNDARY.slice(0, 9)), minLength: 1 }).map((text) => encoder.encode(text)),
		),
		filename: fc.constantFrom("artifact.zip", "Größe.zip", "作品.zip"),
		note: fc.constantFrom(null, "plain", "é\r\n\r\nContent-Disposition: ü"),
	});
	await fc.assert(
		fc.asyncProperty(form, fc.integer({ min: 1, max: 400 }), async (input, chunkSize) => {
			expect(await readForm(input, chunkSize)).toEqual([...input.content]);
		}),
		{ numRuns: 300 },
	);
});

it("leaves the first bytes of a zip alone, whose time of day is beyond ASCII", async () => {
	const content = new Uint8Array([0x50, 0x4b, 3, 4, 0x14, 0, 0, 0, 8, 0, 0xd7, 0x7c, 0x75, 0x5d]);
	expect(await readForm({ content, filename: "artifact.zip", note: null }, 4096)).toEqual([...content]);
});

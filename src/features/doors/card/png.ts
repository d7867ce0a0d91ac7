// Writes a picture of numbered colours as PNG (ISO/IEC 15948).
import { type Canvas, paletteOf } from "./canvas.ts";

const SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
const BITS = 8;
const INDEXED = 3;
const CRC_POLYNOMIAL = 0xed_b8_83_20;

export async function encodePng(canvas: Canvas): Promise<Uint8Array> {
	const { width, height, pixels } = canvas;
	const header = new Uint8Array(13);
	const view = new DataView(header.buffer);
	view.setUint32(0, width);
	view.setUint32(4, height);
	header.set([BITS, INDEXED, 0, 0, 0], 8);
	// Each row begins with the number of its filter. 0 means no filter.
	const rows = new Uint8Array((width + 1) * height);
	for (let row = 0; row < height; row += 1) rows.set(pixels.subarray(row * width, (row + 1) * width), row * (width + 1) + 1);
	const parts = [
		SIGNATURE,
		chunk("IHDR", header),
		chunk("PLTE", paletteOf(canvas)),
		chunk("IDAT", await deflate(rows)),
		chunk("IEND", new Uint8Array()),
	];
	return concatenate(parts);
}

function chunk(type: string, data: Uint8Array): Uint8Array {
	const bytes = new Uint8Array(data.length + 12);
	const view = new DataView(bytes.buffer);
	view.setUint32(0, data.length);
	bytes.set(new TextEncoder().encode(type), 4);
	bytes.set(data, 8);
	view.setUint32(data.length + 8, crcOf(bytes.subarray(4, data.length + 8)));
	return bytes;
}

const CRCS = Uint32Array.from({ length: 256 }, (_, byte) => {
	let crc = byte;
	for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? CRC_POLYNOMIAL ^ (crc >>> 1) : crc >>> 1;
	return crc;
});

function crcOf(bytes: Uint8Array): number {
	let crc = 0xff_ff_ff_ff;
	for (const byte of bytes) crc = (CRCS[(crc ^ byte) & 0xff] ?? 0) ^ (crc >>> 8);
	return (crc ^ 0xff_ff_ff_ff) >>> 0;
}

/** Compresses in the format of zlib, which `CompressionStream` calls "deflate". */
async function deflate(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
	const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate"));
	return new Uint8Array(await new Response(stream).arrayBuffer());
}

function concatenate(parts: readonly Uint8Array[]): Uint8Array {
	const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
	let at = 0;
	for (const part of parts) {
		bytes.set(part, at);
		at += part.length;
	}
	return bytes;
}

// This file writes a picture of numbered colours as PNG (ISO/IEC 15948).
import { crc32 } from "../../../domain/crc32.ts";
import { joinChunks } from "../../../http/raw-body.ts";
import { type Canvas, paletteOf } from "./canvas.ts";

const SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
const BITS = 8;
const INDEXED = 3;

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
	return joinChunks(parts);
}

function chunk(type: string, data: Uint8Array): Uint8Array {
	const bytes = new Uint8Array(data.length + 12);
	const view = new DataView(bytes.buffer);
	view.setUint32(0, data.length);
	bytes.set(new TextEncoder().encode(type), 4);
	bytes.set(data, 8);
	view.setUint32(data.length + 8, crc32(bytes.subarray(4, data.length + 8), 0));
	return bytes;
}

/** Compresses in the format of zlib, which `CompressionStream` calls "deflate". */
async function deflate(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
	const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate"));
	return new Uint8Array(await new Response(stream).arrayBuffer());
}

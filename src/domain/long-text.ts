/** A long string of a JSON body, as UTF-8 inside of the body's own memory. */
export class LongText {
	readonly bytes: Uint8Array;
	/** Whether it has no lone surrogates, which UTF-8 cannot express. */
	readonly isWellFormed: boolean;

	constructor(bytes: Uint8Array, isWellFormed: boolean) {
		this.bytes = bytes;
		this.isWellFormed = isWellFormed;
	}
}

const DECODED_AT_ONCE_BYTES = 65_536;

/**
 * Decodes base64 in place, a piece at a time.
 *
 * @throws SyntaxError for anything that is not base64.
 */
export function decodeBase64InPlace({ bytes }: LongText): Uint8Array {
	const decoder = new TextDecoder("latin1");
	let [read, written, size] = [0, 0, DECODED_AT_ONCE_BYTES];
	while (read < bytes.byteLength) {
		const piece = decoder.decode(bytes.subarray(read, read + size));
		const isLast = read + size >= bytes.byteLength;
		// Padding ends the text, so what contains it is decoded together with all that follows.
		if (!isLast && piece.includes("=")) {
			size = bytes.byteLength;
			continue;
		}
		const done = bytes.subarray(written).setFromBase64(piece, { lastChunkHandling: isLast ? "loose" : "stop-before-partial" });
		if (done.read === 0 && !isLast) size *= 2;
		read += isLast ? piece.length : done.read;
		written += done.written;
	}
	return bytes.subarray(0, written);
}

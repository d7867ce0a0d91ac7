/** The lookup table of CRC-32, with one entry for each value of a byte. */
const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
	let value = byte;
	for (let bit = 0; bit < 8; bit += 1) value = (value & 1) === 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
	return value >>> 0;
});

/**
 * Computes the CRC-32 of bytes.
 *
 * @param before The checksum of the bytes before these. 0 if there are none.
 */
export function crc32(bytes: Uint8Array, before: number): number {
	let crc = ~before;
	for (let at = 0; at < bytes.byteLength; at += 1) crc = (crc >>> 8) ^ (TABLE[(crc ^ (bytes[at] ?? 0)) & 0xff] ?? 0);
	return ~crc >>> 0;
}

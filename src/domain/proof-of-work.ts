/** Returns the string that a proof of work hashes, as UTF-8, with SHA-256. */
export function proofText(challenge: string, solution: string): string {
	return `${challenge}:${solution}`;
}

/** Counts the leading zero bits. */
export function leadingZeroBits(bytes: Uint8Array): number {
	const first = bytes.findIndex((byte) => byte !== 0);
	return first === -1 ? 8 * bytes.length : 8 * first + Math.clz32(bytes[first] ?? 0) - 24;
}

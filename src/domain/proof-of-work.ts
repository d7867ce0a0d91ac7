/** Returns the text whose UTF-8 a proof of work hashes with SHA-256. */
export function proofText(challenge: string, solution: string): string {
	return `${challenge}:${solution}`;
}

/** Counts the zero bits at the beginning. */
export function leadingZeroBits(bytes: Uint8Array): number {
	const first = bytes.findIndex((byte) => byte !== 0);
	return first === -1 ? 8 * bytes.length : 8 * first + Math.clz32(bytes[first] ?? 0) - 24;
}

/** Returns the string whose SHA-256, as UTF-8, is a proof of work. */
export function proofText(challenge: string, solution: string): string {
	return `${challenge}:${solution}`;
}

export function leadingZeroBits(bytes: Uint8Array): number {
	const first = bytes.findIndex((byte) => byte !== 0);
	return first === -1 ? 8 * bytes.length : 8 * first + Math.clz32(bytes[first] ?? 0) - 24;
}

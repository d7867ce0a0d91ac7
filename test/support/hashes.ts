/** Returns the SHA-256 of bytes, or of a string as UTF-8, in lower-case hex. */
export async function sha256Hex(data: Uint8Array | string): Promise<string> {
	const bytes = typeof data === "string" ? new TextEncoder().encode(data) : data;
	return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
}

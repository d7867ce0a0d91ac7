/** Returns true if a text is one JSON value. */
export function isJsonText(text: string): boolean {
	try {
		JSON.parse(text);
		return true;
	} catch {
		return false;
	}
}

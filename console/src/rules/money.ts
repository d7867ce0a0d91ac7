// Reads amounts of money. The API counts cents.

/** Reads what a person typed as cents, such as "1,250.50". Returns null for anything else. */
export function parseDollars(text: string): number | null {
	const match = /^\s*\$?(\d{1,3}(?:,\d{3})+|\d{1,10})(?:\.(\d{1,2}))?\s*$/.exec(text);
	if (match === null) return null;
	const [, whole = "", fraction = ""] = match;
	return Number(whole.replaceAll(",", "")) * 100 + Number(fraction.padEnd(2, "0"));
}

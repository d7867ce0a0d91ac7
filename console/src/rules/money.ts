// Reads amounts of money. The API counts cents.

/**
 * Reads what a person typed as cents. Both decimal marks work, such as "1,250.50", "1.250,50" and "1250,5". A mark with three digits
 * after it separates thousands. Returns null for anything else.
 */
export function parseDollars(text: string): number | null {
	const match = /^\s*\$?\s*(\d{1,10}|[1-9]\d{0,2}(?:,\d{3})+(?!,)|[1-9]\d{0,2}(?:\.\d{3})+(?!\.))(?:[.,](\d{1,2}))?\s*$/.exec(text);
	if (match === null) return null;
	const [, whole = "", fraction = ""] = match;
	return Number(whole.replace(/[.,]/g, "")) * 100 + Number(fraction.padEnd(2, "0"));
}

// Parses amounts of money. The API counts cents.

/**
 * Parses a typed amount as cents. Comma and point both work: "1,250.50", "1.250,50", "1250,5". A comma or point before three digits
 * separates thousands. Returns null for anything else.
 */
export function parseDollars(text: string): number | null {
	const match = /^\s*\$?\s*(\d{1,10}|[1-9]\d{0,2}(?:,\d{3})+(?!,)|[1-9]\d{0,2}(?:\.\d{3})+(?!\.))(?:[.,](\d{1,2}))?\s*$/.exec(text);
	if (match === null) return null;
	const [, whole = "", fraction = ""] = match;
	return Number(whole.replace(/[.,]/g, "")) * 100 + Number(fraction.padEnd(2, "0"));
}

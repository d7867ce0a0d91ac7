// Amounts of money. The API counts cents.

/** "$1,250" or "$1,250.50". */
export function formatCents(cents: number): string {
	const digits = cents % 100 === 0 ? 0 : 2;
	return `$${(cents / 100).toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits })}`;
}

/** The cents of what a person typed, such as "1,250.50"; null for anything else. */
export function parseDollars(text: string): number | null {
	const match = /^\s*\$?(\d{1,3}(?:,\d{3})+|\d{1,10})(?:\.(\d{1,2}))?\s*$/.exec(text);
	if (match === null) return null;
	const [, whole = "", fraction = ""] = match;
	return Number(whole.replaceAll(",", "")) * 100 + Number(fraction.padEnd(2, "0"));
}

/** Parses a typed whole number, with or without commas. Returns null for anything else, or for a number outside the range. */
export function parseWhole(text: string, { min, max }: { readonly min: number; readonly max: number }): number | null {
	if (!/^\s*(\d{1,3}(,\d{3})+|\d{1,12})\s*$/.test(text)) return null;
	const value = Number(text.replaceAll(",", ""));
	return value >= min && value <= max ? value : null;
}

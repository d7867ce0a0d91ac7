/** A spreadsheet runs text as a formula if it starts with one of these. In some languages, it accepts the full-width forms too. */
const STARTS_FORMULA = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

/** Writes one line of CSV (RFC 4180). Text that a spreadsheet would run as a formula gets an apostrophe in front. */
export function formatCsvRow(cells: readonly (string | number | boolean | null)[]): string {
	return `${cells.map(formatCell).join(",")}\r\n`;
}

function formatCell(cell: string | number | boolean | null): string {
	if (cell === null) return "";
	const text = typeof cell === "string" && STARTS_FORMULA.test(cell) ? `'${cell}` : String(cell);
	return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

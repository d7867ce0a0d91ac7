/** In some languages, spreadsheets also accept the full-width forms of these characters. */
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

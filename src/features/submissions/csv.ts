// CSV as RFC 4180 has it, and the choice between CSV and JSON: apart from the export because they know nothing of submissions.

/** One line of CSV. Text that a spreadsheet would run as a formula is kept from it by an apostrophe. */
export function formatCsvRow(cells: readonly (string | number | boolean | null)[]): string {
	return `${cells.map(formatCell).join(",")}\r\n`;
}

function formatCell(cell: string | number | boolean | null): string {
	if (cell === null) return "";
	const text = typeof cell === "string" && /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : String(cell);
	return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Whether an `Accept` header asks for CSV rather than JSON. Without a preference the answer is JSON. */
export function prefersCsv(accept: string | undefined): boolean {
	const csv = qualityOf(accept, "text/csv");
	return csv > 0 && csv >= qualityOf(accept, "application/json");
}

/** The weight that is given to exactly this type; 0 when it is not named. */
function qualityOf(accept: string | undefined, type: string): number {
	const range = accept
		?.toLowerCase()
		.split(",")
		.map((part) => part.split(";").map((piece) => piece.trim()))
		.find(([name]) => name === type);
	if (range === undefined) return 0;
	const quality = Number(range.find((piece) => piece.startsWith("q="))?.slice(2) ?? 1);
	return Number.isNaN(quality) ? 0 : quality;
}

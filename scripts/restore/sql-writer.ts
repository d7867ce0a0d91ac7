// Rows as SQL text in files of a bounded size, because D1 takes a database in no other form.
import type { DatabaseSync, SQLOutputValue } from "node:sqlite";
import { readColumns } from "../migration/database.ts";

/** D1 takes statements of 100 KB. */
const MAX_STATEMENT_BYTES = 60_000;
/** A longer text is put together from pieces, in a table that exists only during the restore. */
const MAX_LITERAL_CHARACTERS = 10_000;
const MAX_FILE_BYTES = 8_000_000;

export const PIECES_TABLE = "restored_texts";

/** In front of each file: rows of one file may refer to each other in any order. */
const HEADER = "PRAGMA defer_foreign_keys = TRUE;\n";

/**
 * The inserts of all rows of a table, as the texts of one file after the other.
 *
 * @param table A table of the schema, so its name and columns need no checks.
 */
export function* writeInserts(db: DatabaseSync, table: string): Generator<string> {
	const columns = readColumns(db, table).map(({ name }) => `"${name}"`);
	const start = `INSERT INTO "${table}" (${columns.join(", ")}) VALUES\n`;
	let file = HEADER;
	let statement = "";
	const pieces = { next: 0 };
	const flush = () => {
		if (statement !== "") file += `${start}${statement};\n`;
		statement = "";
	};
	for (const row of db.prepare(`SELECT * FROM "${table}"`).iterate()) {
		const { before, values } = writeRow(Object.values(row), pieces);
		if (before !== "" || statement.length + values.length > MAX_STATEMENT_BYTES) flush();
		file += before;
		statement += `${statement === "" ? "" : ",\n"}(${values})`;
		if (file.length + statement.length < MAX_FILE_BYTES) continue;
		flush();
		yield file;
		file = HEADER;
	}
	flush();
	if (file !== HEADER) yield file;
}

/** A row's values, and the statements that must come before because a value is too long for one. */
function writeRow(row: readonly SQLOutputValue[], pieces: { next: number }): { before: string; values: string } {
	let before = "";
	const isLong = (value: SQLOutputValue) => typeof value === "string" && value.length > MAX_LITERAL_CHARACTERS;
	const isTooMuch = row.reduce<number>((sum, value) => sum + (typeof value === "string" ? value.length : 0), 0) > MAX_LITERAL_CHARACTERS;
	const values = row.map((value) => {
		if (typeof value !== "string" || !(isLong(value) || (isTooMuch && value.length > 200))) return writeValue(value);
		pieces.next += 1;
		const id = pieces.next;
		for (const [index, piece] of splitText(value).entries()) {
			before += `INSERT INTO ${PIECES_TABLE} (id, part, text) VALUES (${id}, ${index}, ${writeValue(piece)});\n`;
		}
		const ordered = `SELECT text FROM ${PIECES_TABLE} WHERE id = ${id} ORDER BY part`;
		return `(SELECT group_concat(text, '') FROM (${ordered}))`;
	});
	return { before: before === "" ? "" : `DELETE FROM ${PIECES_TABLE};\n${before}`, values: values.join(", ") };
}

/** Between characters, so that each piece is valid text. */
function splitText(text: string): string[] {
	const pieces: string[] = [];
	let piece = "";
	for (const character of text) {
		if (piece.length >= MAX_LITERAL_CHARACTERS) {
			pieces.push(piece);
			piece = "";
		}
		piece += character;
	}
	return [...pieces, piece];
}

/** Any text that could mislead a splitter of SQL, such as quotes, semicolons and line ends, is written as bytes. */
function writeValue(value: SQLOutputValue): string {
	if (value === null) return "NULL";
	if (typeof value === "number" || typeof value === "bigint") return String(value);
	if (typeof value === "string")
		return /^[\w .,:/@+=-]*$/.test(value) && !value.includes("--") ? `'${value}'` : `CAST(X'${hex(value)}' AS TEXT)`;
	return `X'${Buffer.from(value).toString("hex")}'`;
}

function hex(text: string): string {
	return Buffer.from(text, "utf8").toString("hex");
}

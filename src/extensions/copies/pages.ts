// The pages of a copy. Each contains rows of one table, as gzipped JSON lines: first the column names, then one row per line.
import { Gzip, gunzipSync } from "fflate";
import { joinChunks } from "../../http/raw-body.ts";
import type { CopiedSql } from "./storage.ts";

/** The maximum size of a page in bytes before compression, unless a single row is larger. */
export const PAGE_BYTES = 4 * 1024 * 1024;
/** A higher level takes longer and hardly makes pages smaller. The object does nothing else while it compresses. */
const GZIP_LEVEL = 4;

/** The values of a primary key. */
export type Key = readonly (string | number)[];

export interface Table {
	readonly name: string;
	readonly columns: readonly string[];
	/** The columns of the primary key, in the order in which the key lists them. */
	readonly key: readonly string[];
}

export interface Page {
	/** The gzipped page. */
	readonly bytes: Uint8Array;
	readonly rows: number;
	/** The key of the last row. */
	readonly last: Key;
	/** True if at least one more row follows. */
	readonly isFull: boolean;
}

export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** @throws Error for a table without a primary key, because its rows have no order. */
export function describeTable(sql: CopiedSql, name: string): Table {
	const columns = [...sql.exec<{ name: string; pk: number }>(`pragma table_info(${quoted(name)})`)];
	const key = columns.filter(({ pk }) => pk > 0).toSorted((a, b) => a.pk - b.pk);
	if (key.length === 0) throw new Error(`The table ${name} has no primary key, so it cannot be copied in pages.`);
	return { name, columns: columns.map((column) => column.name), key: key.map((column) => column.name) };
}

/** Reads the rows after a key in one turn, up to a full page. Returns null if there are none. Rows are compressed as they are read. */
export function readPage(sql: CopiedSql, table: Table, after: Key | null): Page | null {
	const key = table.key.map(quoted).join();
	const where = after === null ? "" : `where (${key}) > (${table.key.map(() => "?").join()})`;
	return packRows(table, sql.exec(`select ${selected(table)} from ${quoted(table.name)} ${where} order by ${key}`, ...(after ?? [])).raw());
}

/** Reads rows up to the key `upTo` that were added after the page around them was read. */
export function readLateRows(
	sql: CopiedSql,
	table: Table,
	{ upTo, after }: { readonly upTo: Key; readonly after: Key | null },
): Page | null {
	const key = table.key.map((column) => `t.${quoted(column)}`).join();
	const places = `(${table.key.map(() => "?").join()})`;
	const isLater = after === null ? "" : `and (${key}) > ${places}`;
	const isSame = table.key.map((column, place) => `t.${quoted(column)} = later.key ->> ${place}`).join(" and ");
	const rows = sql.exec(
		`select ${selected(table)} from copied_later as later join ${quoted(table.name)} as t on ${isSame}
		where later.table_name = ? and (${key}) <= ${places} ${isLater} order by ${key}`,
		...[table.name, ...upTo, ...(after ?? [])],
	);
	return packRows(table, rows.raw());
}

const selected = ({ columns }: Table): string => columns.map(quoted).join();

function packRows(table: Table, rows: Iterable<readonly SqlStorageValue[]>): Page | null {
	const lines = packLines(table.columns);
	const places = table.key.map((column) => table.columns.indexOf(column));
	let last: Key = [];
	let count = 0;
	let isFull = false;
	for (const row of rows) {
		if (!lines.add(row)) {
			isFull = true;
			break;
		}
		last = places.map((place) => toKey(row[place]));
		count += 1;
	}
	return count === 0 ? null : { bytes: lines.end(), rows: count, last, isFull };
}

/** Compresses lines as they arrive, so that only compressed data stays in memory. */
function packLines(columns: readonly string[]) {
	const encoder = new TextEncoder();
	const chunks: Uint8Array[] = [];
	// No timestamp, so that the same rows always give the same page.
	const gzip = new Gzip({ level: GZIP_LEVEL, mtime: 0 }, (chunk) => void (chunk.length > 0 && chunks.push(chunk)));
	let size = 0;
	const push = (line: Uint8Array): void => {
		size += line.length;
		gzip.push(line);
	};
	const header = encoder.encode(`${JSON.stringify(columns)}\n`);
	push(header);
	return {
		/** Returns false if the row does not fit. */
		add(row: readonly SqlStorageValue[]): boolean {
			if (row.some((value) => value instanceof ArrayBuffer)) throw new Error("Copies have no binary columns.");
			const line = encoder.encode(`${JSON.stringify(row)}\n`);
			if (size > header.length && size + line.length > PAGE_BYTES) return false;
			push(line);
			return true;
		},
		end(): Uint8Array {
			gzip.push(new Uint8Array(0), true);
			return joinChunks(chunks);
		},
	};
}

function toKey(value: SqlStorageValue | undefined): string | number {
	if (typeof value === "string" || typeof value === "number") return value;
	throw new Error("A primary key must be text or a number.");
}

/**
 * Inserts the rows of a page into its table. Idempotent.
 *
 * @throws Error for columns that the table does not have.
 */
export function insertPage(sql: CopiedSql, name: string, bytes: Uint8Array): number {
	const [columns, ...rows] = readLines(bytes);
	const into = `insert or replace into ${quoted(name)} (${columns?.map((column) => quoted(String(column))).join()})`;
	const values = `values (${columns?.map(() => "?").join()})`;
	for (const row of rows) sql.exec(`${into} ${values}`, ...row);
	return rows.length;
}

function readLines(bytes: Uint8Array): (string | number | null)[][] {
	const text = new TextDecoder().decode(gunzipSync(bytes));
	return text
		.split("\n")
		.filter((line) => line !== "")
		.map((line) => JSON.parse(line));
}

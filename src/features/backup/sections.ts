// What a backup reads, page by page: tables of D1, then the list of the main bucket's objects.
import { type BackupTable, listBackupTables } from "../../db/backup-tables.ts";
import type { Deps } from "../../ports/deps.ts";
import { type Checkpoint, OBJECTS, type objectLine } from "./schemas.ts";
import * as store from "./store.ts";

type Key = NonNullable<Checkpoint["after"]>;

export interface PageOf {
	readonly lines: readonly string[];
	/** Where the next page starts; null at the end. */
	readonly next: Key | null;
}

export interface SectionSource {
	readonly name: string;
	/** @param limit At most this many rows, from 1 to 1,000. */
	readPage(deps: Deps, after: Key | null, limit: number): Promise<PageOf>;
}

/** In the order of the backup. Objects come last: each is stored before its row, so the list has the objects of all rows. */
export function listSections(): readonly SectionSource[] {
	return [...listBackupTables().map(tableSource), objectSource];
}

function tableSource(table: BackupTable): SectionSource {
	return {
		name: table.name,
		async readPage(deps, after, limit) {
			const rows = await store.selectRows(deps, { table, after, limit });
			const last = rows.length < limit ? undefined : rows.at(-1);
			return { lines: rows.map((row) => writeRow(table, row)), next: last === undefined ? null : keyOf(table, last) };
		},
	};
}

/** No column has the type blob. A new one needs a form that a restore can read back. */
function writeRow(table: BackupTable, row: store.BackupRow): string {
	const strange = Object.keys(row).find((column) => typeof row[column] === "object" && row[column] !== null);
	if (strange !== undefined) throw new Error(`${table.name}.${strange} is neither text nor a number.`);
	return JSON.stringify(row);
}

function keyOf(table: BackupTable, row: store.BackupRow): Key {
	return table.key.map((column) => {
		const value = row[column];
		if (typeof value !== "string" && typeof value !== "number") throw new Error(`${table.name} has a row without ${column}.`);
		return value;
	});
}

const objectSource: SectionSource = {
	name: OBJECTS,
	async readPage(deps, after, limit) {
		const startAfter = after?.[0];
		const page = await deps.bucket.list({ limit, ...(startAfter === undefined ? {} : { startAfter: String(startAfter) }) });
		const lines = page.objects.map(({ key, size, etag, uploaded }) =>
			JSON.stringify({ key, size, etag, uploaded: uploaded.toISOString() } satisfies (typeof objectLine)["_output"]),
		);
		const last = page.truncated ? page.objects.at(-1) : undefined;
		return { lines, next: last === undefined ? null : [last.key] };
	},
};

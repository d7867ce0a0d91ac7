// What a backup reads, page by page: tables of D1, then the list of the main bucket's objects.
import type * as z from "zod";
import { type BackupTable, listBackupTables } from "../../db/backup-tables.ts";
import type { Deps } from "../../ports/deps.ts";
import { type Checkpoint, OBJECTS, type objectLine, RETURNED, type returnedLine } from "./schemas.ts";
import * as store from "./store.ts";

type Key = NonNullable<Checkpoint["after"]>;

export interface PageOf {
	readonly lines: readonly string[];
	/** Where the next page starts; null at the end. */
	readonly next: Key | null;
}

export interface SectionSource {
	readonly name: string;
	readPage(deps: Deps, place: Place): Promise<PageOf>;
}

interface Place {
	readonly after: Key | null;
	/** At most this many rows, from 1 to 1,000. */
	readonly limit: number;
	/** When the backup began, in milliseconds since the epoch. */
	readonly startedAt: number;
}

/** In the order of the backup. Objects come last: each is stored before its row, so the list has the objects of all rows. */
export function listSections(): readonly SectionSource[] {
	return [...listBackupTables().map(tableSource), returnedSource, objectSource];
}

function tableSource(table: BackupTable): SectionSource {
	return {
		name: table.name,
		async readPage(deps, { after, limit }) {
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

/**
 * Rows that were in the archive when the copies of their tables began, and in D1 when the copy of `task_archives` did. Without these
 * lines, they would be in neither. Each page is a part of an archive.
 */
const returnedSource: SectionSource = {
	name: RETURNED,
	async readPage(deps, { after, startedAt }) {
		const part = await store.findReturnedPart(deps, { after, since: startedAt });
		if (part === null) return { lines: [], next: null };
		const lines = part.rows.map(({ table, row }) =>
			JSON.stringify({ table, row: JSON.stringify(row) } satisfies z.output<typeof returnedLine>),
		);
		return { lines, next: part.key };
	},
};

const objectSource: SectionSource = {
	name: OBJECTS,
	async readPage(deps, { after, limit }) {
		const startAfter = after?.[0];
		const page = await deps.bucket.list({ limit, ...(startAfter === undefined ? {} : { startAfter: String(startAfter) }) });
		const lines = page.objects.map(({ key, size, etag, uploaded }) =>
			JSON.stringify({ key, size, etag, uploaded: uploaded.toISOString() } satisfies z.output<typeof objectLine>),
		);
		const last = page.truncated ? page.objects.at(-1) : undefined;
		return { lines, next: last === undefined ? null : [last.key] };
	},
};

// Copies an object into the bucket. docs/architecture/objects.md explains the order of the steps.
import { listTables } from "../../db/object-tables.ts";
import { sha256Hex } from "../../platform/crypto.ts";
import { describeError, type Log } from "../../platform/log.ts";
import * as book from "./book.ts";
import { copyFolder, digestOf, FORMAT, type Manifest, manifestKey, type PageFacts, pageKey, type UnderWay } from "./manifest.ts";
import { describeTable, type Page, readLateRows, readPage, type Table } from "./pages.ts";
import { copyDueAt, pauseAfter } from "./rules.ts";
import type { CopiedStorage } from "./storage.ts";

export interface CopiedObject {
	/** The id of the task or the agent. */
	readonly id: string;
	/** The prefix of the keys of all copies. */
	readonly prefix: string;
	readonly storage: CopiedStorage;
	/** Tables that only grow. Their pages can be copied before those of other tables. */
	readonly growing: readonly string[];
	/** Tables that are not copied. */
	readonly leftOut: readonly string[];
	/** When the task was closed and when its ranks became final. Each time triggers a copy. Empty for a workspace. */
	readonly ends: () => readonly number[];
	/** Returns false once the object has been deleted. */
	readonly isThere: () => boolean;
	/** Returns the number that identifies the last migration that the object has applied. */
	readonly schema: () => number;
}

export interface CopyMeans {
	readonly bucket: Pick<R2Bucket, "put" | "list" | "delete">;
	readonly log: Log;
	readonly now: () => number;
	readonly random: () => number;
	readonly newId: () => string;
}

/** The number of pages of growing tables per step. It is small, so that the object's other duties do not wait for long. */
const PAGES_PER_STEP = 8;
const PUTS_AT_ONCE = 4;
/** The maximum number of objects that R2 lists or deletes in one call. */
const PAGE_KEYS = 1_000;

/** Objects with a running step. Two parallel steps would store a page twice, with different rows. */
const atWork = new WeakSet<CopiedStorage>();

/** Runs the next due step, unless a step is already running. */
export async function advanceCopy(object: CopiedObject, means: CopyMeans): Promise<void> {
	if (atWork.has(object.storage)) return;
	atWork.add(object.storage);
	try {
		await takeStep(object, means);
	} finally {
		atWork.delete(object.storage);
	}
}

/** After each error, the next attempt waits longer. If the object has been deleted in the meantime, its copies are deleted instead. */
async function takeStep(object: CopiedObject, means: CopyMeans): Promise<void> {
	const { sql } = object.storage;
	try {
		const due = copyDueAt(book.readBook(sql), object.ends());
		if (due !== null && due <= means.now()) await copy(object, means);
		else await clean(object, means);
	} catch (error) {
		means.log.error("copy_failed", { id: object.id, ...describeError(error) });
		if (object.isThere()) book.noteFault(sql, means.now() + pauseAfter(book.readBook(sql).tries, means.random()));
		else await deleteExcept(means.bucket, object.prefix, null);
	}
}

async function copy(object: CopiedObject, means: CopyMeans): Promise<void> {
	const { sql } = object.storage;
	const growing = object.growing.map((name) => describeTable(sql, name));
	const begun = object.storage.transactionSync(() => findBegun(object) ?? begin(object, { growing, newId: means.newId }));
	const { revision } = begun;
	let stored = 0;
	for (const table of growing) {
		for (;;) {
			if (stored === PAGES_PER_STEP) return;
			const page = object.storage.transactionSync(() => takeFullPage(object, { table, revision }));
			if (page === null) break;
			const facts = await put(means, copyFolder(object.prefix, revision), page);
			stored += 1;
			if (!(await notePage(object, means, { revision, facts, last: page.last }))) return;
		}
	}
	await finish(object, means, { growing, revision });
}

/** Returns the copy to continue. One without recorded pages begins again in a new folder, because its last turn may have stored some. */
function findBegun({ storage: { sql } }: CopiedObject): UnderWay | null {
	const underWay = book.readUnderWay(sql);
	return underWay === null || underWay.pages.length === 0 ? null : underWay;
}

function begin({ storage: { sql } }: CopiedObject, { growing, newId }: { growing: readonly Table[]; newId: () => string }): UnderWay {
	const begun = { revision: newId(), pages: [], marks: {} };
	book.stopWatching(sql, growing);
	book.saveUnderWay(sql, begun);
	return begun;
}

/**
 * Returns the next full page of a growing table. Null if the copy is void, or if the rest is less than a page. The last turn reads the
 * rest.
 */
function takeFullPage({ storage: { sql } }: CopiedObject, { table, revision }: { table: Table; revision: string }): NumberedPage | null {
	const underWay = book.readUnderWay(sql);
	if (underWay?.revision !== revision) return null;
	const page = readPage(sql, table, underWay.marks[table.name] ?? null);
	if (page === null || !page.isFull) return null;
	book.watchTable(sql, table);
	return { ...page, table: table.name, number: countPages(underWay.pages, table.name) + 1 };
}

type NumberedPage = Page & Pick<PageFacts, "table" | "number">;

const countPages = (pages: readonly Pick<PageFacts, "table">[], name: string): number => pages.filter(({ table }) => table === name).length;

/** Records a stored page. Returns false if the copy has become void in the meantime. */
async function notePage(
	object: CopiedObject,
	means: CopyMeans,
	{ revision, facts, last }: { readonly revision: string; readonly facts: PageFacts; readonly last: Page["last"] },
): Promise<boolean> {
	if (!(await holds(object, means, revision))) return false;
	const { sql } = object.storage;
	const underWay = book.readUnderWay(sql);
	if (underWay?.revision !== revision) return false;
	book.saveUnderWay(sql, { revision, pages: [...underWay.pages, facts], marks: { ...underWay.marks, [facts.table]: last } });
	return true;
}

/**
 * Returns false if the copy is void, because something was erased or the object was deleted. In the second case, also deletes its copies.
 */
async function holds(object: CopiedObject, means: CopyMeans, revision: string): Promise<boolean> {
	if (object.isThere()) return book.readUnderWay(object.storage.sql)?.revision === revision;
	await deleteExcept(means.bucket, object.prefix, null);
	return false;
}

interface LastTurn {
	readonly underWay: UnderWay;
	readonly pages: readonly NumberedPage[];
	readonly copiedAt: number;
	readonly tables: Manifest["tables"];
	readonly schema: number;
}

async function finish(
	object: CopiedObject,
	means: CopyMeans,
	{ growing, revision }: { readonly growing: readonly Table[]; readonly revision: string },
): Promise<void> {
	const turn = object.storage.transactionSync(() => readLastTurn(object, { revision, copiedAt: means.now() }));
	if (turn === null) return;
	const pages = [...turn.underWay.pages, ...(await factsOf(turn.pages))];
	const { copiedAt } = turn;
	const digest = await digestOf(pages);
	if (!(await holds(object, means, revision))) return;
	const before = book.readBook(object.storage.sql);
	// If the digest is the same as the previous copy's, nothing has changed, and that copy is still up to date.
	const isNew = before.revision === null || before.digest !== digest;
	if (isNew && !(await store(object, means, { turn, pages }))) return;
	object.storage.transactionSync(() => {
		book.noteCopy(object.storage.sql, { revision: isNew ? revision : before.revision, copiedAt, digest });
		book.stopWatching(object.storage.sql, growing);
	});
	logCopy(means, { id: object.id, turn, pages, isNew });
	await clean(object, means);
}

/** Stores the pages that the last turn read, and then the manifest. Returns false if the copy is void. */
async function store(
	object: CopiedObject,
	means: CopyMeans,
	{ turn, pages }: { readonly turn: LastTurn; readonly pages: readonly PageFacts[] },
): Promise<boolean> {
	const { bucket } = means;
	const { copiedAt, tables, schema, underWay } = turn;
	const { revision, marks } = underWay;
	const folder = copyFolder(object.prefix, revision);
	if (!(await areStored(bucket, folder, underWay.pages))) {
		book.voidCopy(object.storage.sql);
		return false;
	}
	for (let at = 0; at < turn.pages.length; at += PUTS_AT_ONCE) {
		await Promise.all(turn.pages.slice(at, at + PUTS_AT_ONCE).map((page) => bucket.put(pageKey(folder, page), page.bytes)));
		if (!(await holds(object, means, revision))) return false;
	}
	const manifest: Manifest = { format: FORMAT, id: object.id, revision, copied_at: copiedAt, schema, tables, marks, pages };
	await bucket.put(manifestKey(folder), JSON.stringify(manifest));
	return holds(object, means, revision);
}

function logCopy(
	means: CopyMeans,
	{ id, turn, pages, isNew }: { id: string; turn: LastTurn; pages: readonly PageFacts[]; isNew: boolean },
): void {
	means.log.info("object_copied", {
		id,
		is_new: isNew,
		pages: pages.length,
		rows: pages.reduce((sum, { rows }) => sum + rows, 0),
		bytes: pages.reduce((sum, { bytes }) => sum + bytes, 0),
		held_bytes: turn.pages.reduce((sum, { bytes }) => sum + bytes.length, 0),
		stored_ms: means.now() - turn.copiedAt,
	});
}

/** Reads everything that is not copied yet, in one turn of the object, so that all pages together show one state. */
function readLastTurn(
	{ storage: { sql }, leftOut, schema }: CopiedObject,
	{ revision, copiedAt }: { readonly revision: string; readonly copiedAt: number },
): LastTurn | null {
	const underWay = book.readUnderWay(sql);
	if (underWay?.revision !== revision) return null;
	const names = listTables(sql).filter((name) => !leftOut.includes(name));
	const pages = names.flatMap((name) => {
		const table = describeTable(sql, name);
		const mark = underWay.marks[name] ?? null;
		const late = mark === null ? [] : readAll((after) => readLateRows(sql, table, { upTo: mark, after }), null);
		const tablePages = [...late, ...readAll((after) => readPage(sql, table, after), mark)];
		const copied = countPages(underWay.pages, name);
		return tablePages.map((page, place) => ({ ...page, table: name, number: copied + place + 1 }));
	});
	const rowsOf = (name: string) => [...underWay.pages, ...pages].reduce((sum, { table, rows }) => sum + (table === name ? rows : 0), 0);
	book.noteState(sql);
	return { underWay, pages, copiedAt, tables: names.map((name) => ({ name, rows: rowsOf(name) })), schema: schema() };
}

function readAll(read: (after: Page["last"] | null) => Page | null, mark: Page["last"] | null): Page[] {
	const pages: Page[] = [];
	let after = mark;
	for (;;) {
		const page = read(after);
		if (page === null) return pages;
		pages.push(page);
		if (!page.isFull) return pages;
		after = page.last;
	}
}

function factsOf(pages: readonly NumberedPage[]): Promise<PageFacts[]> {
	return Promise.all(
		pages.map(async ({ table, number, rows, bytes }) => ({ table, number, rows, bytes: bytes.length, sha256: await sha256Hex(bytes) })),
	);
}

async function put({ bucket }: CopyMeans, folder: string, page: NumberedPage): Promise<PageFacts> {
	const [facts] = await factsOf([page]);
	if (facts === undefined) throw new Error("The facts of a page are missing.");
	await bucket.put(pageKey(folder, page), page.bytes);
	return facts;
}

/**
 * Returns true if the bucket has all of the recorded pages. An object that was rewound to an earlier state may list pages that were deleted
 * since. Deletes all other pages of the folder: an earlier last turn stored them, and the copy may not contain them any more.
 */
async function areStored(bucket: CopyMeans["bucket"], folder: string, pages: readonly PageFacts[]): Promise<boolean> {
	if (pages.length === 0) return true;
	const recorded = new Map(pages.map((page) => [pageKey(folder, page), page.bytes]));
	let found = 0;
	for await (const objects of listFolder(bucket, folder)) {
		found += objects.filter(({ key, size }) => recorded.get(key) === size).length;
		const others = objects.map(({ key }) => key).filter((key) => !recorded.has(key));
		if (others.length > 0) await bucket.delete(others);
	}
	return found === pages.length;
}

/** Deletes the remains of interrupted copies, and every copy except the newest. */
async function clean({ prefix, storage: { sql } }: CopiedObject, { bucket }: CopyMeans): Promise<void> {
	const { revision } = book.readBook(sql);
	await deleteExcept(bucket, prefix, revision);
	book.noteCleaned(sql, revision);
}

/** Deletes all copies except the given one, or all copies if it is null. */
export async function deleteExcept(bucket: CopyMeans["bucket"], prefix: string, revision: string | null): Promise<void> {
	const keptFolder = revision === null ? null : copyFolder(prefix, revision);
	for await (const objects of listFolder(bucket, prefix)) {
		const keys = objects.map(({ key }) => key).filter((key) => keptFolder === null || !key.startsWith(keptFolder));
		if (keys.length > 0) await bucket.delete(keys);
	}
}

async function* listFolder(bucket: Pick<R2Bucket, "list">, prefix: string): AsyncGenerator<readonly R2Object[]> {
	let after: string | undefined;
	do {
		const page: R2Objects = await bucket.list({ prefix, limit: PAGE_KEYS, ...(after === undefined ? {} : { startAfter: after }) });
		if (page.objects.length > 0) yield page.objects;
		after = page.truncated ? page.objects.at(-1)?.key : undefined;
	} while (after !== undefined);
}

import type { EntryFacts, ListQuery, OpenUpload, QuotaUsage, WorkspaceEntry, WorkspaceFile } from "../../../ports/workspace.ts";

type Sql = Pick<SqlStorage, "exec">;

/** A type for the rows of `exec`, which does not accept interfaces. Queries must give columns the names of the type's fields. */
type RowOf<T> = { readonly [Name in keyof T]: T[Name] };

/**
 * Each step runs once. A row is limited to 2 MB, so a value of 1 MB fits. The value is in the last column, so that lists do not read it.
 */
const MIGRATIONS: readonly string[] = [
	`
	create table totals (
		id integer primary key check (id = 1),
		revision integer not null,
		entry_count integer not null check (entry_count >= 0),
		entry_bytes integer not null check (entry_bytes >= 0),
		file_count integer not null check (file_count >= 0),
		file_bytes integer not null check (file_bytes >= 0)
	) strict;
	insert into totals values (1, 0, 0, 0, 0, 0);
	create table entries (
		key text primary key not null,
		size_bytes integer not null,
		revision integer not null,
		created_at integer not null,
		updated_at integer not null,
		value text not null
	) strict;
	create table files (
		path text primary key not null,
		size_bytes integer not null,
		content_type text not null,
		blob_key text not null unique,
		created_at integer not null,
		updated_at integer not null
	) strict;
	create table uploads (
		id text primary key not null,
		path text not null,
		content_type text not null,
		expires_at integer not null,
		blob_key text unique,
		size_bytes integer,
		completed_at integer
	) strict;
	create index uploads_path on uploads (path);
	create table unclaimed_blobs (
		blob_key text primary key not null,
		delete_at integer not null,
		multipart_id text
	) strict, without rowid;
	create index unclaimed_blobs_delete_at on unclaimed_blobs (delete_at);
	`,
];

export function hasTables(sql: SqlStorage): boolean {
	return first(sql.exec<{ found: number }>("select 1 as found from sqlite_master where name = 'schema_steps'")) !== null;
}

export function migrate(storage: Pick<DurableObjectStorage, "sql" | "transactionSync">): void {
	const { sql } = storage;
	sql.exec("create table if not exists schema_steps (step integer primary key) strict");
	const done = first(sql.exec<{ step: number | null }>("select max(step) as step from schema_steps"))?.step ?? 0;
	MIGRATIONS.forEach((statements, index) => {
		if (index + 1 <= done) return;
		storage.transactionSync(() => {
			sql.exec(statements);
			sql.exec("insert into schema_steps (step) values (?)", index + 1);
		});
	});
}

function first<Row>(rows: Iterable<Row>): Row | null {
	for (const row of rows) return row;
	return null;
}

export function readTotals(sql: Sql): { readonly revision: number; readonly entries: QuotaUsage; readonly files: QuotaUsage } {
	const row = sql
		.exec<{
			readonly revision: number;
			readonly entry_count: number;
			readonly entry_bytes: number;
			readonly file_count: number;
			readonly file_bytes: number;
		}>("select revision, entry_count, entry_bytes, file_count, file_bytes from totals")
		.one();
	return {
		revision: row.revision,
		entries: { count: row.entry_count, bytes: row.entry_bytes },
		files: { count: row.file_count, bytes: row.file_bytes },
	};
}

/** Adds to the number and the bytes of entries, and increments the workspace's revision. Negative amounts subtract. */
export function addToEntryTotals(sql: Sql, { count, bytes }: QuotaUsage): void {
	sql.exec("update totals set revision = revision + 1, entry_count = entry_count + ?, entry_bytes = entry_bytes + ?", count, bytes);
}

/** Adds to the number and the bytes of files. Negative amounts subtract. The revision stays, because it counts only changes to entries. */
export function addToFileTotals(sql: Sql, { count, bytes }: QuotaUsage): void {
	sql.exec("update totals set file_count = file_count + ?, file_bytes = file_bytes + ?", count, bytes);
}

const ENTRY_FACTS = "key, size_bytes as sizeBytes, cast(revision as text) as revision, created_at as createdAt, updated_at as updatedAt";

export function findEntry(sql: Sql, key: string): WorkspaceEntry | null {
	return first(sql.exec<RowOf<WorkspaceEntry>>(`select ${ENTRY_FACTS}, value from entries where key = ?`, key));
}

export function findEntryFacts(sql: Sql, key: string): EntryFacts | null {
	return first(sql.exec<RowOf<EntryFacts>>(`select ${ENTRY_FACTS} from entries where key = ?`, key));
}

export function saveEntry(sql: Sql, entry: Omit<WorkspaceEntry, "revision"> & { readonly revision: number }): void {
	sql.exec(
		`insert into entries (key, size_bytes, revision, created_at, updated_at, value) values (?, ?, ?, ?, ?, ?)
		on conflict (key) do update set size_bytes = excluded.size_bytes, revision = excluded.revision,
			updated_at = excluded.updated_at, value = excluded.value`,
		...[entry.key, entry.sizeBytes, entry.revision, entry.createdAt, entry.updatedAt, entry.value],
	);
}

export function removeEntry(sql: Sql, key: string): void {
	sql.exec("delete from entries where key = ?", key);
}

export function selectEntries(sql: Sql, query: ListQuery): EntryFacts[] {
	const { condition, bindings } = pageCondition("key", query);
	const select = `select ${ENTRY_FACTS} from entries where ${condition} order by key limit ?`;
	return sql.exec<RowOf<EntryFacts>>(select, ...bindings, query.limit).toArray();
}

/** Greater than every character that a key or path can contain. */
const AFTER_ALL_CHARACTERS = "\x7f";

/** Builds the condition for a page. Its lower bound uses the index, so that a page does not read the rows of earlier pages. */
function pageCondition(column: "key" | "path", { prefix, after }: ListQuery): { condition: string; bindings: string[] } {
	const end = prefix + AFTER_ALL_CHARACTERS;
	if (after !== null && after >= prefix) return { condition: `${column} > ? and ${column} < ?`, bindings: [after, end] };
	return { condition: `${column} >= ? and ${column} < ?`, bindings: [prefix, end] };
}

const FILE =
	"path, size_bytes as sizeBytes, content_type as contentType, blob_key as blobKey, created_at as createdAt, updated_at as updatedAt";

export function findFile(sql: Sql, path: string): WorkspaceFile | null {
	return first(sql.exec<RowOf<WorkspaceFile>>(`select ${FILE} from files where path = ?`, path));
}

export function saveFile(sql: Sql, file: WorkspaceFile): void {
	sql.exec(
		`insert into files (path, size_bytes, content_type, blob_key, created_at, updated_at) values (?, ?, ?, ?, ?, ?)
		on conflict (path) do update set size_bytes = excluded.size_bytes, content_type = excluded.content_type,
			blob_key = excluded.blob_key, updated_at = excluded.updated_at`,
		...[file.path, file.sizeBytes, file.contentType, file.blobKey, file.createdAt, file.updatedAt],
	);
}

export function removeFile(sql: Sql, path: string): void {
	sql.exec("delete from files where path = ?", path);
}

export function selectFiles(sql: Sql, query: ListQuery): WorkspaceFile[] {
	const { condition, bindings } = pageCondition("path", query);
	const select = `select ${FILE} from files where ${condition} order by path limit ?`;
	return sql.exec<RowOf<WorkspaceFile>>(select, ...bindings, query.limit).toArray();
}

export function countUploads(sql: Sql): number {
	return sql.exec<{ count: number }>("select count(*) as count from uploads").one().count;
}

const NOTHING_ARRIVES = { uploadId: "", path: "", sizeBytes: 0 };

/**
 * Counts the bytes of uploads that have arrived but are not finalized, minus the bytes of the files that they will replace. A file's bytes
 * are subtracted only once per path, even if several uploads will replace it.
 *
 * @param arriving An upload as it will be when its bytes have arrived. It is counted instead of the upload's current state.
 */
export function readPendingBytes(sql: Sql, now: number, arriving = NOTHING_ARRIVES): number {
	return sql
		.exec<{ bytes: number }>(
			`select coalesce(sum(max(0, uploaded - coalesce((select size_bytes from files where files.path = pending.path), 0))), 0) as bytes
			from (
				select path, sum(size_bytes) as uploaded from (
					select path, size_bytes from uploads where blob_key is not null and expires_at > ? and id <> ?
					union all select ?, ?
				) group by path
			) as pending`,
			...[now, arriving.uploadId, arriving.path, arriving.sizeBytes],
		)
		.one().bytes;
}

export function insertUpload(sql: Sql, { uploadId, path, contentType, expiresAt }: OpenUpload): void {
	sql.exec("insert into uploads (id, path, content_type, expires_at) values (?, ?, ?, ?)", uploadId, path, contentType, expiresAt);
}

export interface UploadRow {
	readonly uploadId: string;
	readonly path: string;
	readonly blobKey: string | null;
	readonly expiresAt: number;
}

/** Finds an upload that can still receive bytes. */
export function findOpenUpload(sql: Sql, uploadId: string, now: number): UploadRow | null {
	const select = "select id as uploadId, path, blob_key as blobKey, expires_at as expiresAt from uploads where id = ? and expires_at > ?";
	return first(sql.exec<RowOf<UploadRow>>(select, uploadId, now));
}

/** Finds an upload to this path whose bytes have arrived: the upload with this id or, if the id is null, the one that arrived last. */
export function findCompletedUpload(sql: Sql, { path, uploadId, now }: { path: string; uploadId: string | null; now: number }) {
	return first(
		sql.exec<RowOf<{ readonly uploadId: string; readonly contentType: string; readonly blobKey: string; readonly sizeBytes: number }>>(
			`select id as uploadId, content_type as contentType, blob_key as blobKey, size_bytes as sizeBytes from uploads
			where path = ? and blob_key is not null and expires_at > ? and (? is null or id = ?)
			order by completed_at desc, id desc limit 1`,
			...[path, now, uploadId, uploadId],
		),
	);
}

export function saveUploadContent(
	sql: Sql,
	{
		uploadId,
		blobKey,
		sizeBytes,
		now,
	}: { readonly uploadId: string; readonly blobKey: string; readonly sizeBytes: number; readonly now: number },
): void {
	sql.exec("update uploads set blob_key = ?, size_bytes = ?, completed_at = ? where id = ?", blobKey, sizeBytes, now, uploadId);
}

export function deleteUpload(sql: Sql, uploadId: string): void {
	sql.exec("delete from uploads where id = ?", uploadId);
}

/** Ends the uploads whose URL has expired, and makes their blobs due for deletion. */
export function expireUploads(sql: Sql, now: number): void {
	sql.exec(
		`insert or replace into unclaimed_blobs (blob_key, delete_at)
		select blob_key, ? from uploads where expires_at <= ? and blob_key is not null`,
		...[now, now],
	);
	sql.exec("delete from uploads where expires_at <= ?", now);
}

/** Records a blob that no file uses, and when to delete it. */
export function saveUnclaimedBlob(sql: Sql, blobKey: string, deleteAt: number): void {
	sql.exec("insert or replace into unclaimed_blobs (blob_key, delete_at) values (?, ?)", blobKey, deleteAt);
}

/** Records that a blob is being uploaded in parts. */
export function saveMultipart(sql: Sql, blobKey: string, multipartId: string): void {
	sql.exec("update unclaimed_blobs set multipart_id = ? where blob_key = ?", multipartId, blobKey);
}

/** If a blob is still unclaimed, moves its deletion to an earlier time. */
export function hastenDeletion(sql: Sql, blobKey: string, deleteAt: number): void {
	sql.exec("update unclaimed_blobs set delete_at = min(delete_at, ?) where blob_key = ?", deleteAt, blobKey);
}

/** Removes a blob from the deletion list. Returns false if it is not on the list or is already due. */
export function claimBlob(sql: Sql, blobKey: string, now: number): boolean {
	const claimed = sql.exec("delete from unclaimed_blobs where blob_key = ? and delete_at > ? returning blob_key", blobKey, now);
	return first(claimed) !== null;
}

export interface DueBlob {
	readonly blobKey: string;
	/** The id of the multipart upload. Null unless the blob was uploaded in parts. */
	readonly multipartId: string | null;
}

/** Returns blobs that are due for deletion. Marks all due blobs, so that none of them can be claimed while it is being deleted. */
export function takeDueBlobs(sql: Sql, { now, limit }: { now: number; limit: number }): DueBlob[] {
	sql.exec("update unclaimed_blobs set delete_at = 0 where delete_at > 0 and delete_at <= ?", now);
	const select = "select blob_key as blobKey, multipart_id as multipartId from unclaimed_blobs where delete_at = 0 limit ?";
	return sql.exec<RowOf<DueBlob>>(select, limit).toArray();
}

export function forgetBlobs(sql: Sql, blobKeys: readonly string[]): void {
	for (const blobKey of blobKeys) sql.exec("delete from unclaimed_blobs where blob_key = ? and delete_at = 0", blobKey);
}

/**
 * Returns when the next blob must be deleted or the next upload expires, in milliseconds since the epoch. Returns null if there is none.
 */
export function findNextExpiry(sql: Sql): number | null {
	return sql
		.exec<{ at: number | null }>(
			`select min(at) as at from (
				select min(delete_at) as at from unclaimed_blobs union all select min(expires_at) as at from uploads
			)`,
		)
		.one().at;
}

// The plain data that the Worker and a workspace's Durable Object exchange. Errors are values, because exceptions lose their class on the
// way.
import type { EntityTags } from "../domain/entity-tags.ts";
import type { InboxEntry, InboxPort } from "./inbox.ts";

export interface QuotaUsage {
	readonly count: number;
	readonly bytes: number;
}

export type QuotaRefusal = "FILE_QUOTA_EXCEEDED" | "BYTE_QUOTA_EXCEEDED";

export interface Precondition {
	readonly ifMatch: EntityTags | null;
	readonly ifNoneMatch: EntityTags | null;
}

/** An entry without its value. Times are in milliseconds since the epoch. */
export interface EntryFacts {
	readonly key: string;
	readonly sizeBytes: number;
	/** Identifies this version of the entry. */
	readonly revision: string;
	readonly createdAt: number;
	readonly updatedAt: number;
}

export interface WorkspaceEntry extends EntryFacts {
	/** JSON. */
	readonly value: string;
}

export interface WorkspaceFile {
	readonly path: string;
	readonly sizeBytes: number;
	readonly contentType: string;
	/** Each version of a file is a separate object in R2, which never changes. */
	readonly blobKey: string;
	readonly createdAt: number;
	readonly updatedAt: number;
}

export type WorkspaceRefusal<Code extends string> = { readonly refused: Code };

export type FileStored = { readonly file: WorkspaceFile; readonly isNew: boolean };

export interface ListQuery {
	readonly prefix: string;
	/** The last key or path of the previous page. Null for the first page. */
	readonly after: string | null;
	readonly limit: number;
}

export interface PutEntry {
	readonly key: string;
	/** JSON. */
	readonly value: string;
	readonly sizeBytes: number;
	readonly condition: Precondition;
}

export interface DeleteEntry {
	readonly key: string;
	readonly condition: Precondition;
}

export interface ReserveBlob {
	readonly path: string;
	readonly sizeBytes: number;
	readonly blobKey: string;
}

export interface CommitFile extends ReserveBlob {
	readonly contentType: string;
}

export interface OpenUpload {
	readonly uploadId: string;
	readonly path: string;
	readonly contentType: string;
	/** Milliseconds since the epoch. */
	readonly expiresAt: number;
}

/** The rows of a copy. */
export interface RestoreWorkspace {
	/** The tables of the copy. */
	readonly tables: readonly string[];
	/** Gzipped pages, each of one table. */
	readonly pages: readonly { readonly table: string; readonly bytes: Uint8Array }[];
}

export interface UploadBlob {
	readonly uploadId: string;
	readonly blobKey: string;
}

export interface FinalizeUpload {
	readonly path: string;
	/** Null means the latest upload to this path. */
	readonly uploadId: string | null;
	/** Null keeps the type that was given when the URL was requested. */
	readonly contentType: string | null;
}

/**
 * The methods of an agent's workspace that the Worker calls. Bytes go to R2 between two calls: the first records the blob as unclaimed, the
 * second claims it for a file. An unclaimed blob is deleted after a while, so a caller that dies in between leaves nothing behind.
 */
export interface WorkspacePort extends InboxPort {
	getEntry(key: string): Promise<WorkspaceEntry | null>;
	putEntry(input: PutEntry): Promise<EntryFacts | WorkspaceRefusal<QuotaRefusal | "PRECONDITION_FAILED" | "ERASED">>;
	deleteEntry(input: DeleteEntry): Promise<{ readonly deleted: boolean } | WorkspaceRefusal<"PRECONDITION_FAILED">>;
	/** Deletes everything except the objects of files, which the caller deletes. */
	erase(): Promise<void>;
	/** Fills an empty workspace from a copy. */
	restoreCopy(copy: RestoreWorkspace): Promise<{ readonly rows: number } | WorkspaceRefusal<"NOT_EMPTY" | "UNKNOWN_TABLE" | "ERASED">>;
	/** Migrates the tables of the object, if it has any. */
	openTables(): Promise<void>;
	/** Lists the whole inbox, oldest entry first. */
	exportInbox(): Promise<readonly InboxEntry[]>;
	listEntries(query: ListQuery): Promise<EntryFacts[]>;
	readUsage(): Promise<{ readonly entries: QuotaUsage; readonly files: QuotaUsage }>;

	findFile(path: string): Promise<WorkspaceFile | null>;
	listFiles(query: ListQuery): Promise<WorkspaceFile[]>;
	deleteFile(path: string): Promise<{ readonly deleted: boolean }>;
	/** Reserves a blob before it is uploaded, unless the quota has no room for it. */
	reserveBlob(input: ReserveBlob): Promise<WorkspaceRefusal<QuotaRefusal | "ERASED"> | null>;
	/** Makes a stored blob the content of a file. */
	commitFile(input: CommitFile): Promise<FileStored | WorkspaceRefusal<QuotaRefusal | "BLOB_LOST">>;
	/** Records that a reserved blob is uploaded in parts, which become the blob only when all of them have arrived. */
	noteMultipart(blobKey: string, multipartId: string): Promise<void>;
	/** Releases a reserved blob. */
	abandonBlob(blobKey: string): Promise<void>;

	openUpload(input: OpenUpload): Promise<WorkspaceRefusal<"TOO_MANY_UPLOADS" | "ERASED"> | null>;
	/** Reserves a blob for an upload, unless the quota has no room for it. */
	reserveUploadBlob(
		input: UploadBlob & { readonly sizeBytes: number },
	): Promise<WorkspaceRefusal<"UPLOAD_ENDED" | "BYTE_QUOTA_EXCEEDED"> | null>;
	/** Makes a stored blob the content of an upload, replacing an earlier one. */
	completeUpload(
		input: UploadBlob & { readonly sizeBytes: number },
	): Promise<WorkspaceRefusal<"UPLOAD_ENDED" | "BLOB_LOST" | "BYTE_QUOTA_EXCEEDED"> | null>;
	/** Makes an upload's content the file's content. Every outcome except `NOT_FOUND` ends the upload. */
	finalizeUpload(input: FinalizeUpload): Promise<FileStored | WorkspaceRefusal<QuotaRefusal | "FILE_TOO_LARGE" | "NOT_FOUND">>;
}

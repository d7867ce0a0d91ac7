// The plain data that the Worker and a workspace's Durable Object exchange. Errors are returned as values, because exceptions lose their
// class on the way.
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

/** A key-value entry without its value. Times are in milliseconds since the epoch. */
export interface EntryFacts {
	readonly key: string;
	readonly sizeBytes: number;
	/** The id of this version of the entry. */
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
	/** The key of the object in R2 with the file's content. Each version of a file has its own object, which never changes. */
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
	/** When the upload expires, in milliseconds since the epoch. */
	readonly expiresAt: number;
}

/** A copy of a workspace. */
export interface RestoreWorkspace {
	/** The names of the copied tables. */
	readonly tables: readonly string[];
	/** The number of the last migration of the object that was copied. */
	readonly schema: number;
	/** The rows in gzipped pages. Each page has rows of one table. */
	readonly pages: readonly { readonly table: string; readonly bytes: Uint8Array }[];
}

export interface UploadBlob {
	readonly uploadId: string;
	readonly blobKey: string;
}

export interface FinalizeUpload {
	readonly path: string;
	/** The upload. Null means the latest one to this path. */
	readonly uploadId: string | null;
	/** The content type of the file. Null means the type that was given when the upload was requested. */
	readonly contentType: string | null;
}

/**
 * The methods of an agent's workspace that the Worker calls. To store bytes, the Worker first reserves a blob. After the upload to R2, it
 * makes the blob the content of a file or of an upload. Without that second call, the blob is deleted after a while.
 */
export interface WorkspacePort extends InboxPort {
	getEntry(key: string): Promise<WorkspaceEntry | null>;
	putEntry(input: PutEntry): Promise<EntryFacts | WorkspaceRefusal<QuotaRefusal | "PRECONDITION_FAILED" | "ERASED">>;
	deleteEntry(input: DeleteEntry): Promise<{ readonly deleted: boolean } | WorkspaceRefusal<"PRECONDITION_FAILED">>;
	/** Deletes everything that the workspace stores. The caller deletes the files' objects in R2. */
	erase(): Promise<void>;
	/** Fills an empty workspace from a copy. */
	restoreCopy(copy: RestoreWorkspace): Promise<{ readonly rows: number } | WorkspaceRefusal<"NOT_EMPTY" | "UNKNOWN_TABLE" | "ERASED">>;
	/** Migrates the tables of the Durable Object, if it has any. */
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
	/** Records the id of the multipart upload of a reserved blob, so that its parts can be deleted if the upload never ends. */
	noteMultipart(blobKey: string, multipartId: string): Promise<void>;
	/** Gives up a reserved blob, which is then deleted. */
	abandonBlob(blobKey: string): Promise<void>;

	openUpload(input: OpenUpload): Promise<WorkspaceRefusal<"TOO_MANY_UPLOADS" | "ERASED"> | null>;
	/** Reserves a blob for an upload, unless the quota has no room for it. */
	reserveUploadBlob(
		input: UploadBlob & { readonly sizeBytes: number },
	): Promise<WorkspaceRefusal<"UPLOAD_ENDED" | "BYTE_QUOTA_EXCEEDED"> | null>;
	/** Makes a stored blob the content of an upload. It replaces an earlier blob. */
	completeUpload(
		input: UploadBlob & { readonly sizeBytes: number },
	): Promise<WorkspaceRefusal<"UPLOAD_ENDED" | "BLOB_LOST" | "BYTE_QUOTA_EXCEEDED"> | null>;
	/** Makes the content of an upload the content of its file. Every outcome except `NOT_FOUND` ends the upload. */
	finalizeUpload(input: FinalizeUpload): Promise<FileStored | WorkspaceRefusal<QuotaRefusal | "FILE_TOO_LARGE" | "NOT_FOUND">>;
}

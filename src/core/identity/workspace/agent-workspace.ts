// Each change to a workspace is one transaction, so that quotas are exact.
import { DurableObject } from "cloudflare:workers";
import { MINUTE_MS, systemClock } from "../../../platform/clock.ts";
import type { InboxPort } from "../../../ports/inbox.ts";
import type * as port from "../../../ports/workspace.ts";
import type { QuotaRefusal } from "../../../ports/workspace.ts";
import { ENTRY_LIMITS, FILE_LIMITS, findQuotaRefusal, holdsPrecondition, MAX_OPEN_UPLOADS, PUT_TIME_LIMIT_MS } from "./rules.ts";
import * as store from "./store.ts";

/** If a blob was reserved but never claimed, it is deleted after this time, when its upload can no longer be running. */
const RESERVATION_MS = PUT_TIME_LIMIT_MS + 5 * MINUTE_MS;
/** When a file is replaced or deleted, requests that are reading it have this time to finish. */
const READER_GRACE_MS = MINUTE_MS;
/** The maximum number of objects that R2 deletes in one call. */
const DELETE_BATCH = 1_000;

/** The base class of `Workspace` objects: one agent's entries, file index and quotas. */
export abstract class AgentWorkspace
	extends DurableObject<Env>
	implements Omit<port.WorkspacePort, "erase" | "restoreCopy" | "exportInbox" | keyof InboxPort>
{
	#hasTables = false;

	get #sql(): SqlStorage {
		this.makeTables();
		return this.ctx.storage.sql;
	}

	/** Creates the tables when they are first needed, because an agent can have an inbox but no files. */
	protected makeTables(): void {
		if (this.#hasTables) return;
		store.migrate(this.ctx.storage);
		this.#hasTables = true;
	}

	async openTables(): Promise<void> {
		if (store.hasTables(this.ctx.storage.sql)) this.makeTables();
	}

	/** Call this after you empty the storage, so that the next use creates the tables again. */
	protected forgetTables(): void {
		this.#hasTables = false;
	}

	/**
	 * Sets the alarm, as part of the caller's atomic write. `workspaceDue` is when the workspace next has work, in milliseconds since the
	 * epoch.
	 */
	protected abstract scheduleAlarm(workspaceDue: number | null): Promise<void>;

	/** True if the agent has been erased. A request that was admitted before the erasure must not store anything. */
	protected abstract get isErased(): boolean;

	/** Called after rows of the workspace have changed, as part of the same atomic write. */
	protected abstract noteChange(): void;

	async getEntry(key: string) {
		return store.findEntry(this.#sql, key);
	}

	async putEntry({ key, value, sizeBytes, condition }: port.PutEntry) {
		if (this.isErased) return { refused: "ERASED" as const };
		return this.#transact(() => {
			const now = systemClock.now();
			const replaced = store.findEntryFacts(this.#sql, key);
			if (!holdsPrecondition(condition, replaced?.revision ?? null)) return { refused: "PRECONDITION_FAILED" as const };
			const { entries: used, revision } = store.readTotals(this.#sql);
			const replacedBytes = replaced?.sizeBytes ?? null;
			const refused = findQuotaRefusal({ used, limits: ENTRY_LIMITS, sizeBytes, replacedBytes });
			if (refused !== null) return { refused };
			const facts = { key, sizeBytes, createdAt: replaced?.createdAt ?? now, updatedAt: now };
			store.saveEntry(this.#sql, { ...facts, value, revision: revision + 1 });
			store.addToEntryTotals(this.#sql, { count: replaced === null ? 1 : 0, bytes: sizeBytes - (replacedBytes ?? 0) });
			return { ...facts, revision: String(revision + 1) };
		});
	}

	async deleteEntry({ key, condition }: port.DeleteEntry) {
		return this.#transact(() => {
			const entry = store.findEntryFacts(this.#sql, key);
			if (!holdsPrecondition(condition, entry?.revision ?? null)) return { refused: "PRECONDITION_FAILED" as const };
			if (entry === null) return { deleted: false };
			store.removeEntry(this.#sql, key);
			store.addToEntryTotals(this.#sql, { count: -1, bytes: -entry.sizeBytes });
			return { deleted: true };
		});
	}

	async listEntries(query: port.ListQuery) {
		return store.selectEntries(this.#sql, query);
	}

	async readUsage() {
		const { entries, files } = store.readTotals(this.#sql);
		const pendingBytes = store.readPendingBytes(this.#sql, systemClock.now());
		return { entries, files: { count: files.count, bytes: files.bytes + pendingBytes } };
	}

	async findFile(path: string) {
		return store.findFile(this.#sql, path);
	}

	async listFiles(query: port.ListQuery) {
		return store.selectFiles(this.#sql, query);
	}

	deleteFile(path: string) {
		return this.#change((now) => {
			const file = store.findFile(this.#sql, path);
			if (file === null) return { deleted: false };
			store.removeFile(this.#sql, path);
			store.addToFileTotals(this.#sql, { count: -1, bytes: -file.sizeBytes });
			store.saveUnclaimedBlob(this.#sql, file.blobKey, now + READER_GRACE_MS);
			return { deleted: true };
		});
	}

	async reserveBlob({ path, sizeBytes, blobKey }: port.ReserveBlob) {
		if (this.isErased) return { refused: "ERASED" as const };
		return this.#change((now) => {
			const refused = this.#findFileRefusal(path, sizeBytes);
			if (refused !== null) return { refused };
			store.saveUnclaimedBlob(this.#sql, blobKey, now + RESERVATION_MS);
			return null;
		});
	}

	commitFile({ path, sizeBytes, blobKey, contentType }: port.CommitFile) {
		return this.#change((now) => {
			const refused = this.#findFileRefusal(path, sizeBytes);
			if (refused !== null) {
				store.hastenDeletion(this.#sql, blobKey, now);
				return { refused };
			}
			if (!store.claimBlob(this.#sql, blobKey, now)) return { refused: "BLOB_LOST" as const };
			return this.#replaceFile({ path, sizeBytes, blobKey, contentType }, now);
		});
	}

	async noteMultipart(blobKey: string, multipartId: string) {
		store.saveMultipart(this.#sql, blobKey, multipartId);
	}

	abandonBlob(blobKey: string) {
		return this.#change((now) => store.hastenDeletion(this.#sql, blobKey, now));
	}

	async openUpload(input: port.OpenUpload) {
		if (this.isErased) return { refused: "ERASED" as const };
		return this.#change((now) => {
			store.expireUploads(this.#sql, now);
			if (store.countUploads(this.#sql) >= MAX_OPEN_UPLOADS) return { refused: "TOO_MANY_UPLOADS" as const };
			store.insertUpload(this.#sql, input);
			return null;
		});
	}

	reserveUploadBlob({ uploadId, blobKey, sizeBytes }: port.UploadBlob & { readonly sizeBytes: number }) {
		return this.#change((now) => {
			const upload = store.findOpenUpload(this.#sql, uploadId, now);
			if (upload === null) return { refused: "UPLOAD_ENDED" as const };
			if (!this.#hasRoomFor(upload, sizeBytes, now)) return { refused: "BYTE_QUOTA_EXCEEDED" as const };
			store.saveUnclaimedBlob(this.#sql, blobKey, now + RESERVATION_MS);
			return null;
		});
	}

	completeUpload({ uploadId, blobKey, sizeBytes }: port.UploadBlob & { readonly sizeBytes: number }) {
		return this.#change((now) => {
			const upload = store.findOpenUpload(this.#sql, uploadId, now);
			if (upload === null || !this.#hasRoomFor(upload, sizeBytes, now)) {
				store.hastenDeletion(this.#sql, blobKey, now);
				return { refused: upload === null ? ("UPLOAD_ENDED" as const) : ("BYTE_QUOTA_EXCEEDED" as const) };
			}
			if (!store.claimBlob(this.#sql, blobKey, now)) return { refused: "BLOB_LOST" as const };
			if (upload.blobKey !== null) store.saveUnclaimedBlob(this.#sql, upload.blobKey, now);
			store.saveUploadContent(this.#sql, { uploadId, blobKey, sizeBytes, now });
			return null;
		});
	}

	finalizeUpload({ path, uploadId, contentType }: port.FinalizeUpload) {
		return this.#change((now): port.FileStored | port.WorkspaceRefusal<QuotaRefusal | "FILE_TOO_LARGE" | "NOT_FOUND"> => {
			const upload = store.findCompletedUpload(this.#sql, { path, uploadId, now });
			if (upload === null) return { refused: "NOT_FOUND" };
			store.deleteUpload(this.#sql, upload.uploadId);
			const { sizeBytes, blobKey } = upload;
			const refused = sizeBytes > FILE_LIMITS.fileBytes ? "FILE_TOO_LARGE" : this.#findFileRefusal(path, sizeBytes);
			if (refused !== null) {
				store.saveUnclaimedBlob(this.#sql, blobKey, now);
				return { refused };
			}
			return this.#replaceFile({ path, sizeBytes, blobKey, contentType: contentType ?? upload.contentType }, now);
		});
	}

	/**
	 * Deletes the blobs from R2 that no file uses any more, or that crashes and abandoned uploads left behind. Deletes a blob's row only
	 * after the blob, so that the collection can be repeated after a crash at any point.
	 */
	protected async collectGarbage(bucket: Pick<R2Bucket, "delete" | "resumeMultipartUpload">): Promise<void> {
		for (;;) {
			const due = await this.#change((now) => {
				store.expireUploads(this.#sql, now);
				return store.takeDueBlobs(this.#sql, { now, limit: DELETE_BATCH });
			});
			if (due.length === 0) return;
			const blobKeys = due.map(({ blobKey }) => blobKey);
			await Promise.all(due.map((blob) => dropParts(bucket, blob)));
			await bucket.delete(blobKeys);
			await this.#change(() => store.forgetBlobs(this.#sql, blobKeys));
		}
	}

	/** Returns when {@link collectGarbage} will next have work, in milliseconds since the epoch, or null for never. */
	protected nextDue(): number | null {
		return store.findNextExpiry(this.#sql);
	}

	/** Returns true if the new bytes of an upload fit into the quota. They replace the bytes that the upload already has. */
	#hasRoomFor({ uploadId, path }: store.UploadRow, sizeBytes: number, now: number): boolean {
		const { files } = store.readTotals(this.#sql);
		return files.bytes + store.readPendingBytes(this.#sql, now, { uploadId, path, sizeBytes }) <= FILE_LIMITS.bytes;
	}

	#findFileRefusal(path: string, sizeBytes: number): QuotaRefusal | null {
		const { files } = store.readTotals(this.#sql);
		const pendingBytes = store.readPendingBytes(this.#sql, systemClock.now());
		const used = { count: files.count, bytes: files.bytes + pendingBytes };
		const replacedBytes = store.findFile(this.#sql, path)?.sizeBytes ?? null;
		return findQuotaRefusal({ used, limits: FILE_LIMITS, sizeBytes, replacedBytes });
	}

	#replaceFile(content: port.CommitFile, now: number): port.FileStored {
		const replaced = store.findFile(this.#sql, content.path);
		const file = { ...content, createdAt: replaced?.createdAt ?? now, updatedAt: now };
		store.saveFile(this.#sql, file);
		store.addToFileTotals(this.#sql, { count: replaced === null ? 1 : 0, bytes: content.sizeBytes - (replaced?.sizeBytes ?? 0) });
		if (replaced !== null) store.saveUnclaimedBlob(this.#sql, replaced.blobKey, now + READER_GRACE_MS);
		return { file, isNew: replaced === null };
	}

	/** Runs a change in one transaction. Creates the tables before the transaction, so that they remain if the change is rolled back. */
	#transact<T>(change: () => T): T {
		this.makeTables();
		const before = this.#countChanges();
		const result = this.ctx.storage.transactionSync(change);
		if (this.#countChanges() !== before) this.noteChange();
		return result;
	}

	/** Returns the number of rows written since the object woke up. */
	#countChanges(): number {
		return this.ctx.storage.sql.exec<{ changes: number }>("select total_changes() as changes").one().changes;
	}

	/** Runs a change in one transaction, and sets the alarm for the next due work in the same atomic write. */
	async #change<T>(decide: (now: number) => T): Promise<T> {
		const now = systemClock.now();
		const result = this.#transact(() => decide(now));
		const next = this.nextDue();
		await this.scheduleAlarm(next === null ? null : Math.max(next, now));
		return result;
	}
}

/** R2 throws this error if you abort a multipart upload that is already complete or aborted. */
const NO_SUCH_MULTIPART = /\(10024\)/;

async function dropParts(bucket: Pick<R2Bucket, "resumeMultipartUpload">, { blobKey, multipartId }: store.DueBlob): Promise<void> {
	if (multipartId === null) return;
	try {
		await bucket.resumeMultipartUpload(blobKey, multipartId).abort();
	} catch (error) {
		if (!(error instanceof Error && NO_SUCH_MULTIPART.test(error.message))) throw error;
	}
}

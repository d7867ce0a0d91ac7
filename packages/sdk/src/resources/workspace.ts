import { collectBytes, openBody } from "../core/body-stream.ts";
import type { QueryOf } from "../core/operation-types.ts";
import type { CallOptions } from "../core/options.ts";
import { listOf } from "../core/pages.ts";
import { Resource } from "../core/resource.ts";
import type { Schemas } from "../core/schemas.ts";
import { type FileContent, toBytes } from "../submit/files.ts";
import { putBytes } from "../submit/submit.ts";
import type { UploadOptions } from "../submit/upload.ts";

/** Up to here, one request stores a file. */
const DIRECT_MAX_BYTES = 4 * 1024 * 1024;
const DOWNLOAD_IDLE_MS = 60_000;
const BYTES = "application/octet-stream";

export interface Conditions extends CallOptions {
	/** Only if the stored value has this ETag. */
	readonly ifMatch?: string | undefined;
	/** `*`: only if there is no value. */
	readonly ifNoneMatch?: string | undefined;
}

/** A value with the ETag for `ifMatch`. */
export interface StoredValue {
	readonly entry: Schemas["WorkspaceEntry"];
	readonly etag: string | undefined;
}

/** Values of your agent by key. Only your agent can read them. */
export class WorkspaceValues extends Resource {
	/** Entries without values, in the order of their keys. */
	list(query: QueryOf<"listWorkspaceEntries"> = {}, options: CallOptions = {}) {
		return listOf(this.core, "listWorkspaceEntries", { query, ...options });
	}

	get(key: string, options: CallOptions = {}) {
		return this.core.call("getWorkspaceEntry", { path: { key }, ...options });
	}

	/** With the ETag that a later `put` or `delete` can name. */
	async getWithEtag(key: string, options: CallOptions = {}): Promise<StoredValue> {
		let etag: string | undefined;
		const entry = await this.core.send("getWorkspaceEntry", { input: { path: { key }, ...options } }, async (response, deadline) => {
			etag = response.headers.get("ETag") ?? undefined;
			const body: Schemas["WorkspaceEntry"] = await response.json();
			deadline.close();
			return body;
		});
		return { entry, etag };
	}

	/** Stores any JSON. @throws BountyApiError `PRECONDITION_FAILED` when a condition does not hold. */
	put(key: string, value: unknown, options: Conditions = {}) {
		const { ifMatch, ifNoneMatch, ...rest } = options;
		const input = { path: { key }, body: { value }, headers: conditionHeaders({ ifMatch, ifNoneMatch }), ...rest };
		return this.core.callWith("putWorkspaceEntry", input, {});
	}

	delete(key: string, options: Conditions = {}) {
		const { ifMatch, ifNoneMatch, ...rest } = options;
		return this.core.callWith("deleteWorkspaceEntry", { path: { key }, headers: conditionHeaders({ ifMatch, ifNoneMatch }), ...rest }, {});
	}

	quota(options: CallOptions = {}) {
		return this.core.call("getWorkspaceQuota", options);
	}
}

function conditionHeaders({ ifMatch, ifNoneMatch }: Conditions): Record<string, string | undefined> {
	return { "If-Match": ifMatch, "If-None-Match": ifNoneMatch };
}

export interface StoreOptions extends UploadOptions {
	/** The media type to serve the file with. */
	readonly contentType?: string | undefined;
}

/** Files of your agent by path. Only your agent can read them. */
export class WorkspaceFiles extends Resource {
	/** Files in the order of their paths. */
	list(query: QueryOf<"listWorkspaceFiles"> = {}, options: CallOptions = {}) {
		return listOf(this.core, "listWorkspaceFiles", { query, ...options });
	}

	/** Stores a file of any size that the platform accepts: up to 4 MB in one request, larger ones over an upload URL. */
	async put(path: string, content: FileContent, options: StoreOptions = {}): Promise<Schemas["WorkspaceFile"]> {
		const bytes = await toBytes(content);
		return bytes.length <= DIRECT_MAX_BYTES ? this.#store(path, { bytes, options }) : this.#upload(path, { bytes, options });
	}

	/** The bytes of a file. */
	async read(path: string, options: CallOptions = {}): Promise<Uint8Array<ArrayBuffer>> {
		return collectBytes(await this.open(path, options));
	}

	/** The bytes of a file, piece by piece. `range` selects bytes, such as `bytes=0-99`. */
	async open(path: string, { range, ...options }: CallOptions & { readonly range?: string } = {}): Promise<AsyncIterable<Uint8Array>> {
		const parts = { input: { path: { path }, headers: { Range: range }, ...options } };
		const { chunks } = await this.core.send("readWorkspaceFile", parts, openBody({ idleMs: DOWNLOAD_IDLE_MS }));
		return chunks;
	}

	/** Size, type and times of a file. */
	stat(path: string, options: CallOptions = {}): Promise<Schemas["WorkspaceFile"]> {
		return this.core.send(
			"readWorkspaceFile",
			{ input: { path: { path }, query: { metadata: "1" }, ...options } },
			async (response, deadline) => {
				const file: Schemas["WorkspaceFile"] = await response.json();
				deadline.close();
				return file;
			},
		);
	}

	delete(path: string, options: CallOptions = {}) {
		return this.core.call("deleteWorkspaceFile", { path: { path }, ...options });
	}

	quota(options: CallOptions = {}) {
		return this.core.call("getWorkspaceFileQuota", options);
	}

	#store(path: string, { bytes, options }: { bytes: Uint8Array<ArrayBuffer>; options: StoreOptions }): Promise<Schemas["WorkspaceFile"]> {
		const { contentType, onProgress: _, ...rest } = options;
		const headers = { "X-Workspace-Path": path, "X-Workspace-Content-Type": contentType };
		const content = () => ({ content: bytes, headers: { "Content-Type": BYTES } });
		return this.core.callWith("storeWorkspaceFile", { headers, ...rest }, { content });
	}

	async #upload(path: string, parts: { bytes: Uint8Array<ArrayBuffer>; options: StoreOptions }): Promise<Schemas["WorkspaceFile"]> {
		const { bytes, options } = parts;
		const { contentType, onProgress, signal, maxRetries } = options;
		const type = contentType === undefined ? {} : { content_type: contentType };
		const call = { signal, maxRetries };
		const body = { path, expected_size_bytes: bytes.length, ...type };
		const { upload_url: url, storage_ref } = await this.core.call("createWorkspaceUploadUrl", { body, ...call });
		await putBytes(this.core, url, { bytes, type: contentType ?? BYTES, options: { ...call, timeoutMs: options.timeoutMs, onProgress } });
		return this.core.call("finalizeWorkspaceUpload", { body: { path, storage_ref, ...type }, ...call });
	}
}

/** The private store of your agent. */
export class Workspace extends Resource {
	readonly values: WorkspaceValues = new WorkspaceValues(this.core);
	readonly files: WorkspaceFiles = new WorkspaceFiles(this.core);

	/** Sends bytes to the `upload_url` of an upload that you have asked for yourself. */
	putUpload(uploadUrl: string, bytes: Uint8Array<ArrayBuffer>, options: UploadOptions = {}): Promise<void> {
		return putBytes(this.core, uploadUrl, { bytes, type: BYTES, options: { onProgress: undefined, ...options } });
	}
}

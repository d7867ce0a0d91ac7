/** The size of a part of a body whose length is unknown. It is the smallest that R2 allows, because each upload keeps a part in memory. */
export const PART_BYTES = 5 * 1_048_576;
/** The initial size of the buffer for a part. The buffer grows if necessary, but most bodies of unknown length are small. */
const FIRST_PART_BYTES = 16_384;

export interface BlobTarget {
	readonly bucket: R2Bucket;
	readonly key: string;
	readonly contentType: string;
	/** The length of the whole body in bytes. Null or undefined if it is not known. */
	readonly length?: number | null;
	/** Called before the first part of a multipart upload, so that the caller can delete the parts after a crash. */
	readonly onMultipart?: (multipartId: string) => Promise<void>;
}

/**
 * Streams chunks to R2. Keeps at most one part in memory, and nothing if the length is known. If `chunks` throws, no object is stored.
 *
 * @throws Errors of `chunks` and of the bucket.
 */
export async function writeBlob(
	chunks: AsyncIterable<Uint8Array>,
	target: BlobTarget,
): Promise<{
	readonly bytes: number;
	/** The SHA-256 of the body in lower-case hex. */
	readonly sha256: string;
}> {
	const digest = new crypto.DigestStream("SHA-256");
	const hash = digest.getWriter();
	const { length = null } = target;
	const object = length === null || length === 0 ? new PartWriter(target) : new ObjectWriter(target, length);
	let bytes = 0;
	try {
		for await (const chunk of chunks) {
			bytes += chunk.byteLength;
			await hash.write(chunk);
			await object.write(chunk);
		}
		await object.finish();
		await hash.close();
	} catch (error) {
		await object.abandon();
		await hash.abort().catch(() => undefined);
		digest.digest.catch(() => undefined);
		throw error;
	}
	return { bytes, sha256: new Uint8Array(await digest.digest).toHex() };
}

/** Passes chunks to a single put of a known length. If the chunks end early, the bucket stores nothing. */
class ObjectWriter {
	readonly #target: BlobTarget;
	readonly #length: number;
	#open: { readonly writer: WritableStreamDefaultWriter<Uint8Array>; readonly put: Promise<unknown> } | null = null;

	constructor(target: BlobTarget, length: number) {
		this.#target = target;
		this.#length = length;
	}

	/** Writes a chunk. Throws the error of the put if it has failed. */
	async write(chunk: Uint8Array): Promise<void> {
		this.#open ??= this.#start();
		const { writer, put } = this.#open;
		await Promise.race([writer.write(chunk).catch(() => put), put]);
	}

	async finish(): Promise<void> {
		await Promise.all([this.#open?.writer.close(), this.#open?.put]);
	}

	async abandon(): Promise<void> {
		await this.#open?.writer.abort().catch(() => undefined);
		await this.#open?.put.catch(() => undefined);
	}

	/** Starts the put. Called with the first chunk, so that a body that is rejected before it is read costs no put. */
	#start() {
		const { readable, writable } = new FixedLengthStream(this.#length);
		const { bucket, key, contentType } = this.#target;
		const put = bucket.put(key, readable, { httpMetadata: { contentType } });
		put.catch(() => undefined);
		return { writer: writable.getWriter(), put };
	}
}

/** Collects chunks into the parts of a multipart upload. A body that is smaller than a part is stored with a single put. */
class PartWriter {
	readonly #target: BlobTarget;
	readonly #parts: R2UploadedPart[] = [];
	#upload: R2MultipartUpload | null = null;
	#buffer = new Uint8Array();
	#used = 0;

	constructor(target: BlobTarget) {
		this.#target = target;
	}

	async write(chunk: Uint8Array): Promise<void> {
		let rest = chunk;
		while (rest.byteLength > 0) {
			const piece = rest.subarray(0, PART_BYTES - this.#used);
			this.#reserve(this.#used + piece.byteLength);
			this.#buffer.set(piece, this.#used);
			this.#used += piece.byteLength;
			rest = rest.subarray(piece.byteLength);
			if (this.#used === PART_BYTES) await this.#flush();
		}
	}

	async finish(): Promise<void> {
		const rest = this.#buffer.subarray(0, this.#used);
		if (this.#upload === null) {
			await this.#target.bucket.put(this.#target.key, rest, { httpMetadata: { contentType: this.#target.contentType } });
			return;
		}
		if (rest.byteLength > 0) await this.#flush();
		await this.#upload.complete(this.#parts);
	}

	async abandon(): Promise<void> {
		await this.#upload?.abort().catch(() => undefined);
	}

	#reserve(bytes: number): void {
		if (bytes <= this.#buffer.byteLength) return;
		const larger = new Uint8Array(Math.min(PART_BYTES, Math.max(FIRST_PART_BYTES, 2 * bytes)));
		larger.set(this.#buffer.subarray(0, this.#used));
		this.#buffer = larger;
	}

	async #flush(): Promise<void> {
		this.#upload ??= await this.#startMultipart();
		const part = this.#buffer.subarray(0, this.#used);
		this.#parts.push(await this.#upload.uploadPart(this.#parts.length + 1, part));
		this.#used = 0;
	}

	async #startMultipart(): Promise<R2MultipartUpload> {
		const { bucket, key, contentType, onMultipart } = this.#target;
		const upload = await bucket.createMultipartUpload(key, { httpMetadata: { contentType } });
		await onMultipart?.(upload.uploadId);
		return upload;
	}
}

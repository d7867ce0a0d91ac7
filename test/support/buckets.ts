// Provides buckets that count their calls, or fail.
import { env } from "cloudflare:workers";

export interface WatchedBucket {
	readonly bucket: R2Bucket;
	readonly use: {
		gets: number;
		bytes: number;
		largestGet: number;
		puts: number;
		putBytes: number;
		parts: number;
		largestPart: number;
		lists: number;
	};
}

export type BucketCall = "head" | "get" | "put" | "delete" | "list" | "createMultipartUpload" | "uploadPart";

interface Watch {
	/** Runs before each call, with its name and key. If it throws, the call throws. */
	readonly before?: (call: BucketCall, key: string) => void | Promise<void>;
}

/** Returns the real bucket, watched. */
export function watchBucket({ before = () => undefined }: Watch = {}): WatchedBucket {
	const use = { gets: 0, bytes: 0, largestGet: 0, puts: 0, putBytes: 0, parts: 0, largestPart: 0, lists: 0 };
	const real = env.BUCKET;
	const calls = {
		async head(key: string) {
			await before("head", key);
			return real.head(key);
		},
		async get(key: string, options?: R2GetOptions) {
			use.gets += 1;
			await before("get", key);
			const object = await real.get(key, options);
			const range = object?.range;
			const bytes = range !== undefined && "length" in range ? (range.length ?? 0) : (object?.size ?? 0);
			use.bytes += bytes;
			use.largestGet = Math.max(use.largestGet, bytes);
			return object;
		},
		async put(key: string, value: ArrayBufferView | string, options?: R2PutOptions) {
			use.puts += 1;
			if (typeof value !== "string") use.putBytes += value.byteLength;
			await before("put", key);
			return real.put(key, value, options);
		},
		async delete(key: string) {
			await before("delete", key);
			return real.delete(key);
		},
		async list(options: R2ListOptions = {}) {
			use.lists += 1;
			await before("list", options.prefix ?? "");
			return real.list(options);
		},
		async createMultipartUpload(key: string, options?: R2MultipartOptions) {
			await before("createMultipartUpload", key);
			return watchUpload(await real.createMultipartUpload(key, options), { use, before });
		},
	};
	return { bucket: asBucket(calls), use };
}

function watchUpload(upload: R2MultipartUpload, { use, before }: Required<Watch> & { use: WatchedBucket["use"] }) {
	return {
		key: upload.key,
		uploadId: upload.uploadId,
		async uploadPart(number: number, value: Uint8Array) {
			await before("uploadPart", upload.key);
			use.parts += 1;
			use.largestPart = Math.max(use.largestPart, value.byteLength);
			return upload.uploadPart(number, value);
		},
		abort: () => upload.abort(),
		complete: (parts: R2UploadedPart[]) => upload.complete(parts),
	};
}

/** Casts to a bucket, which is safe because the product calls no other methods of a bucket in these tests. */
function asBucket(calls: object): R2Bucket {
	return calls as unknown as R2Bucket;
}

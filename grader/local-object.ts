// An object in memory in place of a bucket, for the platform's reader of artifacts.

/**
 * A bucket that holds one object under every key. Reading an artifact calls `head` and a ranged `get` alone,
 * so these two serve as the whole of it.
 */
export function bucketOf(bytes: Uint8Array): R2Bucket {
	const bucket = {
		head: async () => ({ size: bytes.byteLength }),
		get: async (_key: string, { range: { offset, length } }: { range: { offset: number; length: number } }) => ({
			arrayBuffer: async () => bytes.slice(offset, offset + length).buffer,
		}),
	};
	return bucket as unknown as R2Bucket;
}

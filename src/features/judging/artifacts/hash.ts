// Hashes an artifact that was uploaded to the bucket directly.
import { ObjectGoneError } from "./range-reader.ts";

/**
 * Streams an object and returns its SHA-256 in lower-case hex.
 *
 * @throws ObjectGoneError
 */
export async function hashArtifact(bucket: R2Bucket, key: string): Promise<string> {
	const object = await bucket.get(key);
	if (object === null) throw new ObjectGoneError(`${key} is gone from storage.`);
	const digest = new crypto.DigestStream("SHA-256");
	await object.body.pipeTo(digest);
	return new Uint8Array(await digest.digest).toHex();
}

// An artifact is examined once. The result is stored next to it as an index, from which every later read starts.
import * as z from "zod";
import { type Archive, examineArchive, takeFirst } from "./archive.ts";
import { ArchiveFault } from "./policy.ts";
import { ObjectGoneError, openObject, RangeReader, rangesOfObject } from "./range-reader.ts";

const INDEX_SUFFIX = ".index";

/** The index of a rejected zip contains the fault instead of files. */
const artifactIndex = z.union([
	z.object({ fault: z.object({ message: z.string(), path: z.string().nullable() }) }),
	z.object({
		size: z.number(),
		files: z.array(z.tuple([z.string(), z.number(), z.number(), z.number(), z.number(), z.number(), z.number(), z.number()])),
	}),
]);

type ArtifactIndex = z.infer<typeof artifactIndex>;

/** Lists the keys of an artifact's objects, which are the artifact and its index. They are deleted together. */
export function artifactObjects(artifactKey: string): string[] {
	return [artifactKey, artifactKey + INDEX_SUFFIX];
}

/** Returns the key of the artifact that an object belongs to: for an index, its artifact, and for an artifact, itself. */
export function artifactOfObject(key: string): string {
	return key.endsWith(INDEX_SUFFIX) ? key.slice(0, -INDEX_SUFFIX.length) : key;
}

/**
 * Opens a zip in R2 with its index. A zip without an index is examined and then gets one, even if the zip is rejected, because its bytes
 * never change.
 *
 * @throws ArchiveFault if the zip is broken or not allowed.
 * @throws ObjectGoneError if the object does not exist.
 */
export async function openArchive(bucket: R2Bucket, key: string): Promise<Archive> {
	const indexObject = await bucket.get(key + INDEX_SUFFIX);
	return indexObject === null ? examineStored(bucket, key) : openIndexed(bucket, key, artifactIndex.parse(await indexObject.json()));
}

async function examineStored(bucket: R2Bucket, key: string): Promise<Archive> {
	const ranges = await openObject(bucket, key);
	const store = (index: ArtifactIndex) => bucket.put(key + INDEX_SUFFIX, JSON.stringify(index));
	try {
		const archive = await takeFirst(examineArchive(ranges));
		await store({ size: ranges.size, files: archive.files.map(toIndexEntry) });
		return archive;
	} catch (error) {
		if (error instanceof ArchiveFault) await store({ fault: { message: error.message, path: error.path } });
		throw error;
	}
}

function openIndexed(bucket: R2Bucket, key: string, index: ArtifactIndex): Archive {
	if ("fault" in index) {
		const { message, path } = index.fault;
		throw new ArchiveFault(message, path === null ? {} : { path });
	}
	return { files: index.files.map(toArchiveFile), reader: new RangeReader(rangesOfObject(bucket, key, index.size)) };
}

type IndexEntry = Extract<ArtifactIndex, { files: unknown }>["files"][number];

function toIndexEntry(entry: Archive["files"][number]): IndexEntry {
	const { filename, compressedSize, uncompressedSize, offset, end, method, checksum, externalFileAttributes } = entry;
	return [filename, compressedSize, uncompressedSize, offset, end, method, checksum, externalFileAttributes];
}

function toArchiveFile(stored: IndexEntry): Archive["files"][number] {
	const [filename, compressedSize, uncompressedSize, offset, end, method, checksum, externalFileAttributes] = stored;
	return { filename, compressedSize, uncompressedSize, offset, end, method, checksum, externalFileAttributes };
}

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

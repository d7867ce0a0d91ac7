// Computes a signature of each artifact's text, by which the artifact is compared with others.

import type { Archive } from "../../core/judging/artifacts/archive.ts";
import { openArchive } from "../../core/judging/artifacts/artifact-index.ts";
import { digestFiles } from "../../core/judging/artifacts/files-digest.ts";
import { ArchiveFault, type ArchiveFile } from "../../core/judging/artifacts/policy.ts";
import { ObjectGoneError } from "../../core/judging/artifacts/range-reader.ts";
import { decodeText } from "../../core/judging/artifacts/reading.ts";
import { readEntry } from "../../core/judging/artifacts/unpacking.ts";
import type { signatures } from "../../db/task/schema/similarity.ts";
import type { Deps } from "../../ports/deps.ts";
import type { Comparable } from "./pairs.ts";
import { decodeMinima, encodeMinima, signTexts } from "./signature.ts";

export type SignedText = Pick<typeof signatures.$inferSelect, "shingles" | "minima" | "filesSha256">;

/**
 * Computes the signature of an artifact's text. An artifact that cannot be read gets a signature that only its hash can match.
 *
 * @param isCandidate True if a final round may compare the files, which needs their digest.
 */
export async function signArtifact(
	deps: Deps,
	artifactKey: string,
	{ isCandidate }: { readonly isCandidate: boolean },
): Promise<SignedText> {
	const texts = await unlessUnreadable(readComparedTexts(deps, artifactKey));
	const signature = signTexts(texts ?? []);
	const filesSha256 = isCandidate && texts !== null ? await unlessUnreadable(digestFiles(deps, artifactKey)) : null;
	return { shingles: signature.shingles, minima: encodeMinima(signature), filesSha256 };
}

async function unlessUnreadable<Value>(reading: Promise<Value>): Promise<Value | null> {
	try {
		return await reading;
	} catch (error) {
		if (error instanceof ArchiveFault || error instanceof ObjectGoneError) return null;
		throw error;
	}
}

export function toComparable({
	shingles,
	minima,
	artifactSha256,
}: Pick<typeof signatures.$inferSelect, "shingles" | "minima" | "artifactSha256">): Comparable {
	return { signature: { shingles, minima: decodeMinima(minima) }, artifactSha256 };
}

/** The maximum number of bytes that are unpacked and compared, over all files together. */
const MAX_BYTES = 4 * 1_048_576;
/** The maximum number of requests. Each file that is not stored next to another one costs a request. */
const MAX_FETCHES = 200;

/** Files that package managers write. Having the same dependencies does not make two submissions similar. */
const GENERATED =
	/(^|\/)(node_modules|\.git)\/|(^|\/)(package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lock|cargo\.lock|poetry\.lock|uv\.lock|pipfile\.lock|gemfile\.lock|composer\.lock|go\.sum)$/i;

/**
 * Reads the text files, small ones first, so that one huge file displaces no others.
 * Ignores binary files and files that package managers generate.
 *
 * @throws ArchiveFault, ObjectGoneError.
 */
async function readComparedTexts({ bucket }: Deps, key: string): Promise<Iterable<string>> {
	const archive = await openArchive(bucket, key);
	return decodeEach(await readPackedTexts(archive, chooseEntries(archive.files)));
}

/** Stores text as its bytes, which take half as much memory as some strings. */
interface PackedText {
	readonly bytes: Uint8Array;
	/** The length of the text in UTF-16 units. */
	readonly length: number;
}

async function readPackedTexts(archive: Archive, entries: readonly ArchiveFile[]): Promise<PackedText[]> {
	const texts: PackedText[] = [];
	for (const entry of entries.toSorted((a, b) => a.offset - b.offset)) {
		if (archive.reader.fetches >= MAX_FETCHES) break;
		const bytes = await readEntry(archive, entry);
		const text = decodeText(bytes);
		if (text !== null) texts.push({ bytes, length: text.length });
	}
	return texts.toSorted((a, b) => a.length - b.length);
}

function* decodeEach(texts: readonly PackedText[]): Generator<string, void> {
	for (const { bytes } of texts) yield decodeText(bytes) ?? "";
}

function chooseEntries(entries: readonly ArchiveFile[]): ArchiveFile[] {
	let remaining = MAX_BYTES;
	const candidates = entries.filter(({ filename }) => !GENERATED.test(filename));
	return candidates
		.toSorted((a, b) => a.uncompressedSize - b.uncompressedSize)
		.filter(({ uncompressedSize }) => {
			remaining -= uncompressedSize;
			return remaining >= 0;
		});
}

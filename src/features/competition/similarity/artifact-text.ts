// Reads the text of an artifact for comparison, within fixed bounds.
import type { Deps } from "../../../ports/deps.ts";
import { type Archive, openArchive, readEntry } from "../../judging/artifacts/archive.ts";
import type { ListedEntry } from "../../judging/artifacts/policy.ts";
import { decodeText } from "../../judging/artifacts/reading.ts";
import type { TextFile } from "./signature.ts";

/** Unpacked bytes of all files together. */
const MAX_BYTES = 4 * 1_048_576;
/** Files whose bytes are scattered over the archive cost a request each. */
const MAX_FETCHES = 200;

/** What package managers write: equal dependencies do not make two pieces of work alike. */
const GENERATED =
	/(^|\/)(node_modules|\.git)\/|(^|\/)(package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lock|cargo\.lock|poetry\.lock|uv\.lock|pipfile\.lock|gemfile\.lock|composer\.lock|go\.sum)$/i;

/**
 * The text files, small ones first, so that one huge file displaces no other. Binary files and what package managers
 * generate are left out.
 *
 * @throws ArchiveFault, ObjectGoneError.
 */
export async function readComparedFiles({ bucket }: Deps, key: string): Promise<Iterable<TextFile>> {
	const archive = await openArchive(bucket, key);
	return decodeEach(await readTexts(archive, chooseEntries(archive.files)));
}

/** A text as its bytes, which take half as much memory as some strings. */
interface PackedText {
	readonly path: string;
	readonly bytes: Uint8Array;
	/** In UTF-16 units. */
	readonly length: number;
}

async function readTexts(archive: Archive, entries: readonly ListedEntry[]): Promise<PackedText[]> {
	const texts: PackedText[] = [];
	for (const entry of entries.toSorted((a, b) => a.offset - b.offset)) {
		if (archive.reader.fetches >= MAX_FETCHES) break;
		const bytes = await readEntry(archive, entry);
		const text = decodeText(bytes);
		if (text !== null) texts.push({ path: entry.filename, bytes, length: text.length });
	}
	return texts.toSorted((a, b) => a.length - b.length);
}

function* decodeEach(texts: readonly PackedText[]): Generator<TextFile, void> {
	for (const { path, bytes } of texts) yield { path, text: decodeText(bytes) ?? "" };
}

function chooseEntries(entries: readonly ListedEntry[]): ListedEntry[] {
	let remaining = MAX_BYTES;
	const candidates = entries.filter(({ filename }) => !GENERATED.test(filename));
	return candidates
		.toSorted((a, b) => a.uncompressedSize - b.uncompressedSize)
		.filter(({ uncompressedSize }) => {
			remaining -= uncompressedSize;
			return remaining >= 0;
		});
}

// Reads the text of an artifact for comparison, within fixed bounds.
import { openArchive, readEntry } from "../artifacts/archive.ts";
import type { ListedEntry } from "../artifacts/policy.ts";
import { decodeText } from "../artifacts/reading.ts";
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
 * @throws ArchiveFault, ObjectGoneError
 */
export async function readComparedFiles(bucket: R2Bucket, key: string): Promise<TextFile[]> {
	const archive = await openArchive(bucket, key);
	const files: TextFile[] = [];
	for (const entry of chooseEntries(archive.files).toSorted((a, b) => a.offset - b.offset)) {
		if (archive.reader.fetches >= MAX_FETCHES) break;
		const text = decodeText(await readEntry(archive, entry));
		if (text !== null) files.push({ path: entry.filename, text });
	}
	return files.toSorted((a, b) => a.text.length - b.text.length);
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

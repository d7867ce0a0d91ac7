// Submissions are compared by the signature of their text.
import { sql } from "drizzle-orm";
import { signatures } from "../../../db/task/schema/submissions.ts";
import type { Deps } from "../../../ports/deps.ts";
import type { TaskStore } from "../../../ports/task.ts";
import type { Archive } from "../../judging/artifacts/archive.ts";
import { openArchive } from "../../judging/artifacts/artifact-index.ts";
import { ArchiveFault, type ArchiveFile } from "../../judging/artifacts/policy.ts";
import { ObjectGoneError } from "../../judging/artifacts/range-reader.ts";
import { decodeText } from "../../judging/artifacts/reading.ts";
import { readEntry } from "../../judging/artifacts/unpacking.ts";
import { attachmentPrefix } from "../tasks/stored-objects.ts";
import { compareContributions, type FindTwins } from "./contribution.ts";
import type { Comparable } from "./pairs.ts";
import { decodeMinima, encodeMinima, shinglesOfFiles, signFiles, type TextFile } from "./signature.ts";
import { decodeSketch, encodeSketch } from "./sketch.ts";

/** The attachments identify the starter files of a task. */
export interface StarterFiles {
	readonly taskId: string;
	readonly starters: readonly { readonly id: string; readonly filename: string }[];
}

const NO_STARTERS: StarterFiles = { taskId: "", starters: [] };

/**
 * Signs an artifact's text. An artifact that cannot be read gets a signature that only its hash can match.
 *
 * @param starterFiles Default: none, because work on external tasks takes part in no final round.
 */
export async function signArtifact(deps: Deps, artifactKey: string, { taskId, starters } = NO_STARTERS) {
	const starter = shinglesOfFiles(await readStarters(deps, { taskId, starters }));
	const signature = signFiles(await readFilesOrNothing(deps, artifactKey), starter);
	return { shingles: signature.shingles, minima: encodeMinima(signature), sketch: encodeSketch(signature.sketch) };
}

/** Reads the starter files that are text. One that was deleted in the meantime is left out. */
async function readStarters({ bucket }: Deps, { taskId, starters }: StarterFiles): Promise<TextFile[]> {
	const files: TextFile[] = [];
	for (const { id, filename } of starters) {
		const object = await bucket.get(attachmentPrefix(taskId) + id);
		const text = object === null ? null : decodeText(new Uint8Array(await object.arrayBuffer()));
		if (text !== null) files.push({ path: filename.replace(/\.txt$/i, ""), text });
	}
	return files;
}

async function readFilesOrNothing(deps: Deps, artifactKey: string) {
	try {
		return await readComparedFiles(deps, artifactKey);
	} catch (error) {
		if (error instanceof ArchiveFault || error instanceof ObjectGoneError) return [];
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

/** Bytes are unpacked and compared up to this limit, over all files together. */
const MAX_BYTES = 4 * 1_048_576;
/** Files whose bytes are scattered over the archive cost a request each. */
const MAX_FETCHES = 200;

/** Package managers write these files, and equal dependencies do not make two pieces of work alike. */
const GENERATED =
	/(^|\/)(node_modules|\.git)\/|(^|\/)(package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lock|cargo\.lock|poetry\.lock|uv\.lock|pipfile\.lock|gemfile\.lock|composer\.lock|go\.sum)$/i;

/**
 * Reads the text files, small ones first, so that one huge file displaces no other. It leaves out binary files and what package managers
 * generate.
 *
 * @throws ArchiveFault, ObjectGoneError.
 */
async function readComparedFiles({ bucket }: Deps, key: string): Promise<Iterable<TextFile>> {
	const archive = await openArchive(bucket, key);
	return decodeEach(await readPackedTexts(archive, chooseEntries(archive.files)));
}

/** Holds a text as its bytes, which take half as much memory as some strings. */
interface PackedText {
	readonly path: string;
	readonly bytes: Uint8Array;
	/** The text has this length in UTF-16 units. */
	readonly length: number;
}

async function readPackedTexts(archive: Archive, entries: readonly ArchiveFile[]): Promise<PackedText[]> {
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

/**
 * Prepares the comparison of the own contributions of submissions. An id without a sketch is like no other.
 *
 * @param submissionIds Different ids, a thousand at most.
 */
export function compareSubmissions({ db }: TaskStore, submissionIds: readonly string[]): FindTwins {
	const isCompared = sql`${signatures.submissionId} in (select value from json_each(${JSON.stringify(submissionIds)}))`;
	const rows = db.select({ submissionId: signatures.submissionId, sketch: signatures.sketch }).from(signatures).where(isCompared).all();
	return compareContributions(rows.map(({ submissionId, sketch }) => ({ submissionId, sketch: decodeSketch(sketch) })));
}

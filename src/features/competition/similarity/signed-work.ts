// Submissions are compared by the signature of their text.
import { sql } from "drizzle-orm";
import { signatures } from "../../../db/task/schema/submissions.ts";
import type { Deps } from "../../../ports/deps.ts";
import type { TaskStore } from "../../../ports/task.ts";
import type { Archive } from "../../judging/artifacts/archive.ts";
import { openArchive } from "../../judging/artifacts/artifact-index.ts";
import { ArchiveFault, type ListedEntry } from "../../judging/artifacts/policy.ts";
import { ObjectGoneError } from "../../judging/artifacts/range-reader.ts";
import { decodeText } from "../../judging/artifacts/reading.ts";
import { readEntry } from "../../judging/artifacts/unpacking.ts";
import { type Comparable, findPairs } from "./pairs.ts";
import { groupConnected, NEAR_IDENTICAL_FROM } from "./rules.ts";
import { decodeMinima, encodeMinima, signFiles, type TextFile } from "./signature.ts";

/** A stored signature of a submission. */
export interface SignedWork {
	readonly submissionId: string;
	readonly agentId: string;
	readonly artifactSha256: string | null;
	readonly shingles: number;
	readonly minima: string;
}

/** Signs an artifact's text. An artifact that cannot be read gets a signature that only its hash can match. */
export async function signArtifact(deps: Deps, artifactKey: string): Promise<Pick<SignedWork, "shingles" | "minima">> {
	const signature = signFiles(await readFilesOrNothing(deps, artifactKey));
	return { shingles: signature.shingles, minima: encodeMinima(signature) };
}

async function readFilesOrNothing(deps: Deps, artifactKey: string) {
	try {
		return await readComparedFiles(deps, artifactKey);
	} catch (error) {
		if (error instanceof ArchiveFault || error instanceof ObjectGoneError) return [];
		throw error;
	}
}

export function toComparable({ shingles, minima, artifactSha256 }: SignedWork): Comparable {
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
	return decodeEach(await readTexts(archive, chooseEntries(archive.files)));
}

/** Holds a text as its bytes, which take half as much memory as some strings. */
interface PackedText {
	readonly path: string;
	readonly bytes: Uint8Array;
	/** The length of the text in UTF-16 units. */
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

/**
 * Groups submissions whose artifacts are nearly identical, transitively. Every id is in exactly one group. An id that is
 * like no other, or that has no signature, is a group of its own.
 *
 * @param submissionIds Different ids, some thousand at most.
 */
export function groupNearIdentical({ db }: TaskStore, submissionIds: readonly string[]): string[][] {
	const isWanted = sql`${signatures.submissionId} in (select value from json_each(${JSON.stringify(submissionIds)}))`;
	const rows = db.select().from(signatures).where(isWanted).all();
	const rowsById = new Map(rows.map((row) => [row.submissionId, row]));
	const signed = submissionIds.flatMap((id) => rowsById.get(id) ?? []);
	const pairs = findPairs(signed.map(toComparable), NEAR_IDENTICAL_FROM);
	const groups = groupConnected(signed.length, pairs).map((group) => group.flatMap((index) => signed[index]?.submissionId ?? []));
	return [...groups, ...submissionIds.filter((id) => !rowsById.has(id)).map((id) => [id])];
}

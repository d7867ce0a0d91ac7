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
import type { Comparable } from "./pairs.ts";
import { decodeMinima, encodeMinima, signFiles, type TextFile } from "./signature.ts";
import { boundOf, decodeSketch, encodeSketch, type Sketch } from "./sketch.ts";

/** Signs an artifact's text. An artifact that cannot be read gets a signature that only its hash can match. */
export async function signArtifact(deps: Deps, artifactKey: string) {
	const signature = signFiles(await readFilesOrNothing(deps, artifactKey));
	return { shingles: signature.shingles, minima: encodeMinima(signature), sketch: encodeSketch(signature.sketch) };
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

// Decides whose own contribution is the same. What nearly all candidates have in common belongs to none of them.

/** Own contributions of at least this Jaccard index are the same. Contract: ruling "Sharing a judgement". */
const SAME_FROM = 0.9;
/** Works with fewer own shingles are the same only if their artifacts are equal. */
const MIN_OWN_SHINGLES = 32;
/** Shingles that this share of the candidates have are common, if there are enough candidates. */
const COMMON_SHARE = 0.8;
const MIN_CANDIDATES_FOR_COMMON = 5;
/** Works of the same contribution have one of this number of smallest shingles in common, except once in a million times. */
const KEYS = 16;
/** A field full of works that are built to look alike is compared only in part. */
const MAX_COMPARISONS = 50_000;

/** Finds the works with the same contribution as one of them, by its submission's id. The work itself is not among them. */
type FindTwins = (submissionId: string) => readonly string[];

/** Prepares the comparison of candidates' own contributions. Scores play no part in it. */
export function compareContributions(works: readonly { readonly submissionId: string; readonly sketch: Sketch }[]): FindTwins {
	const isCommon = findCommon(works.map(({ sketch }) => sketch));
	const own = works.map(({ submissionId, sketch }) => ({ submissionId, sketch: withoutCommon(sketch, isCommon) }));
	const byId = new Map(own.map((work) => [work.submissionId, work]));
	const keyed = Map.groupBy(
		own.flatMap((work) => Array.from(work.sketch.hashes.subarray(0, KEYS), (key) => ({ key, work }))),
		({ key }) => key,
	);
	let left = MAX_COMPARISONS;
	return (submissionId) => {
		const work = byId.get(submissionId);
		if (work === undefined) return [];
		const keys = [...work.sketch.hashes.subarray(0, KEYS)];
		const near = new Set(keys.flatMap((key) => keyed.get(key) ?? []).map((entry) => entry.work));
		near.delete(work);
		const compared = [...near].slice(0, left);
		left -= compared.length;
		return compared.filter((other) => isSame(work.sketch, other.sketch)).map((other) => other.submissionId);
	};
}

/** Collects the shingles that nearly all works have. A work whose sketch ends before a shingle does not count for it. */
function findCommon(sketches: readonly Sketch[]): ReadonlySet<number> {
	const common = new Set<number>();
	if (sketches.length < MIN_CANDIDATES_FOR_COMMON) return common;
	const bounds = Float64Array.from(sketches, boundOf).sort();
	const all = new Uint32Array(sketches.reduce((sum, { hashes }) => sum + hashes.length, 0));
	let end = 0;
	for (const { hashes } of sketches) {
		all.set(hashes, end);
		end += hashes.length;
	}
	all.sort();
	let passed = 0;
	for (let start = 0; start < all.length; start = end) {
		const hash = all[start] ?? 0;
		end = start;
		while (all[end] === hash) end += 1;
		while ((bounds[passed] ?? Number.POSITIVE_INFINITY) < hash) passed += 1;
		const covering = sketches.length - passed;
		if (covering >= MIN_CANDIDATES_FOR_COMMON && end - start >= COMMON_SHARE * covering) common.add(hash);
	}
	return common;
}

function withoutCommon(sketch: Sketch, common: ReadonlySet<number>): Sketch & { readonly bound: number } {
	return { ...sketch, hashes: sketch.hashes.filter((hash) => !common.has(hash)), bound: boundOf(sketch) };
}

type OwnSketch = ReturnType<typeof withoutCommon>;

function isSame(a: OwnSketch, b: OwnSketch): boolean {
	const bound = Math.min(a.bound, b.bound);
	const [ofA, ofB] = [countUpTo(a.hashes, bound), countUpTo(b.hashes, bound)];
	if (Math.min(ofA, ofB) < MIN_OWN_SHINGLES) return false;
	const both = countShared(a.hashes.subarray(0, ofA), b.hashes.subarray(0, ofB));
	return both / (ofA + ofB - both) >= SAME_FROM;
}

function countUpTo(sorted: Uint32Array, bound: number): number {
	const index = sorted.findIndex((hash) => hash > bound);
	return index < 0 ? sorted.length : index;
}

function countShared(a: Uint32Array, b: Uint32Array): number {
	let shared = 0;
	for (let i = 0, j = 0; i < a.length && j < b.length; ) {
		const [left, right] = [a[i] ?? 0, b[j] ?? 0];
		if (left === right) shared += 1;
		if (left <= right) i += 1;
		if (right <= left) j += 1;
	}
	return shared;
}

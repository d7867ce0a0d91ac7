// Decides whose own contribution is the same. What a task's starter files and nearly all candidates have in common belongs to none of them.
import { boundOf, type Sketch } from "./sketch.ts";

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
export type FindTwins = (submissionId: string) => readonly string[];

/** Prepares the comparison of candidates' own contributions, whose sketches are without the task's starter files. Scores play no part in it. */
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

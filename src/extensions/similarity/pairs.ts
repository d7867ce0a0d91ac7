// Finds similar pairs among thousands of signatures without comparing every pair.
import type { Pair } from "./rules.ts";
import { estimateSimilarity, type Signature } from "./signature.ts";

/** Two signatures are compared if they agree in all five positions of a band. A pair with a similarity of 0.8 is missed once in 20,000. */
const BAND_ROWS = 5;
const BANDS = 25;
/**
 * In a band, each submission is compared with the next 25 that share its key, so a task full of copies takes a second at most.
 * Identical copies still form one chain.
 */
const NEIGHBOURS = 25;
/** The first submissions in a band are compared with all others that share their key. */
const FIRST = 5;

export interface Comparable {
	readonly signature: Signature;
	readonly artifactSha256: string | null;
}

/**
 * Finds the pairs with at least this similarity, each once. Submissions with the same bytes have similarity 1, even if they are not text.
 */
export function findPairs(works: readonly Comparable[], from: number): Pair[] {
	const pairs = new Map<number, Pair>();
	for (let band = -1; band < BANDS; band += 1) {
		for (const [first, second] of neighboursIn(works, band)) {
			const key = first * works.length + second;
			const [a, b] = [works[first], works[second]];
			if (a === undefined || b === undefined || pairs.has(key)) continue;
			const similarity = similarityOf(a, b);
			if (similarity >= from) pairs.set(key, { first, second, similarity });
		}
	}
	return [...pairs.values()];
}

function* neighboursIn(works: readonly Comparable[], band: number): Generator<readonly [number, number], void> {
	for (const bucket of bucketsOf(works, band)) {
		for (const [index, first] of bucket.entries()) {
			for (const second of bucket.slice(index + 1, index < FIRST ? undefined : index + 1 + NEIGHBOURS)) yield [first, second];
		}
	}
}

/** Estimates the similarity of two submissions, from 0 to 1. If their bytes are the same, it is 1. */
export function similarityOf(a: Comparable, b: Comparable): number {
	return haveEqualBytes(a, b) ? 1 : estimateSimilarity(a.signature, b.signature);
}

function haveEqualBytes(a: Comparable, b: Comparable): boolean {
	return a.artifactSha256 !== null && a.artifactSha256 === b.artifactSha256;
}

/** Groups the submissions that share a key in a band, at least two per group. In band -1, the key is the artifact's hash. */
function bucketsOf(works: readonly Comparable[], band: number): number[][] {
	const buckets = new Map<string, number[]>();
	for (const [index, work] of works.entries()) {
		const key = keyIn(work, band);
		if (key === null) continue;
		const bucket = buckets.get(key);
		if (bucket === undefined) buckets.set(key, [index]);
		else bucket.push(index);
	}
	return [...buckets.values()].filter((bucket) => bucket.length > 1);
}

function keyIn({ signature, artifactSha256 }: Comparable, band: number): string | null {
	if (band < 0) return artifactSha256;
	if (signature.shingles === 0) return null;
	return String.fromCharCode(...signature.minima.subarray(band * BAND_ROWS, (band + 1) * BAND_ROWS));
}

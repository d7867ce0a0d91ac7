// A MinHash signature has 128 numbers.
// The share of numbers that agree in two signatures estimates the Jaccard index of the two sets of shingles.

/** A shingle is five tokens in a row. */
const SHINGLE_TOKENS = 5;
/** The standard error of the estimate is at most 0.045, and 0.027 at 0.9. */
const SIGNATURE_LENGTH = 128;
/** Later tokens are ignored, because hashing each takes as many steps as a signature has numbers. */
const MAX_TOKENS = 500_000;
/** Submissions with fewer distinct shingles match only if they are identical, because in short text a single word makes a difference. */
const MIN_SHINGLES = 32;

export interface Signature {
	/** The number of distinct shingles, counted up to {@link MIN_SHINGLES}. 0 if there is nothing to compare. */
	readonly shingles: number;
	/** Each number is the low 16 bits of a minimum. */
	readonly minima: Uint16Array;
}

/**
 * Computes the signature of a submission's text files. Their names and their order do not matter, and no shingle spans two files.
 *
 * @param texts Only the first {@link MAX_TOKENS} tokens count.
 */
export function signTexts(texts: Iterable<string>): Signature {
	const minima = new Uint32Array(SIGNATURE_LENGTH).fill(0xffff_ffff);
	const distinct = new Set<number>();
	let tokensLeft = MAX_TOKENS;
	for (const text of texts) {
		for (const shingle of shinglesOf(tokensOf(text))) {
			if (tokensLeft === 0) break;
			tokensLeft -= 1;
			if (distinct.size < MIN_SHINGLES) distinct.add(shingle);
			lowerMinima(minima, shingle);
		}
	}
	return { shingles: distinct.size, minima: Uint16Array.from(minima) };
}

/** Yields the hash of each run of five tokens. A file with fewer tokens is one shingle. */
function* shinglesOf(tokens: Iterable<string>): Generator<number, void> {
	const window: number[] = [];
	let isComplete = false;
	for (const token of tokens) {
		window.push(hashToken(token));
		if (window.length < SHINGLE_TOKENS) continue;
		isComplete = true;
		yield hashNumbers(window);
		window.shift();
	}
	if (!isComplete && window.length > 0) yield hashNumbers(window);
}

const FNV_OFFSET = 0x811c_9dc5;
const FNV_PRIME = 0x0100_0193;

function hashToken(token: string): number {
	let hash = FNV_OFFSET;
	for (let index = 0; index < token.length; index += 1) hash = Math.imul(hash ^ token.charCodeAt(index), FNV_PRIME);
	return mixHash(hash);
}

function hashNumbers(numbers: readonly number[]): number {
	let hash = FNV_OFFSET;
	for (const number of numbers) hash = mixHash(Math.imul(hash, 31) ^ number);
	return hash;
}

/** Spreads every bit over all bits. The constants are those of MurmurHash3. */
function mixHash(value: number): number {
	let mixed = value ^ (value >>> 16);
	mixed = Math.imul(mixed, 0x85eb_ca6b);
	mixed ^= mixed >>> 13;
	mixed = Math.imul(mixed, 0xc2b2_ae35);
	return (mixed ^ (mixed >>> 16)) >>> 0;
}

/** Stored signatures can only be compared with signatures that were made with the same constants. */
const MASKS = Uint32Array.from({ length: SIGNATURE_LENGTH }, (_, index) => mixHash(0x5eed_0001 + index));
const FACTORS = Uint32Array.from({ length: SIGNATURE_LENGTH }, (_, index) => mixHash(0x5eed_1001 + index) | 1);

/** Each position orders the shingles in its own way and keeps the smallest. */
function lowerMinima(minima: Uint32Array, shingle: number): void {
	for (let index = 0; index < SIGNATURE_LENGTH; index += 1) {
		const product = Math.imul(shingle ^ (MASKS[index] ?? 0), FACTORS[index] ?? 0);
		const hash = (product ^ (product >>> 15)) >>> 0;
		if (hash < (minima[index] ?? 0)) minima[index] = hash;
	}
}

/** Estimates the Jaccard index, from 0 to 1, as the share of positions in which two signatures agree. */
export function estimateSimilarity(a: Signature, b: Signature): number {
	if (a.shingles === 0 || b.shingles === 0) return 0;
	let equal = 0;
	for (let index = 0; index < SIGNATURE_LENGTH; index += 1) if (a.minima[index] === b.minima[index]) equal += 1;
	const isSmall = Math.min(a.shingles, b.shingles) < MIN_SHINGLES;
	if (isSmall) return equal === SIGNATURE_LENGTH && a.shingles === b.shingles ? 1 : 0;
	return equal / SIGNATURE_LENGTH;
}

/** Encodes the minima in Base64 to store them. Returns an empty string if there are no shingles. */
export function encodeMinima({ shingles, minima }: Signature): string {
	if (shingles === 0) return "";
	return btoa(String.fromCharCode(...new Uint8Array(minima.buffer, minima.byteOffset, minima.byteLength)));
}

export function decodeMinima(stored: string): Uint16Array {
	if (stored === "") return new Uint16Array(SIGNATURE_LENGTH);
	return new Uint16Array(Uint8Array.from(atob(stored), (character) => character.charCodeAt(0)).buffer);
}

/**
 * Matches a letter of a script without spaces between words, a word, or one other character. Words are cut at 256 letters, because the
 * regular expression needs stack for each of them.
 */
const TOKEN =
	/[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}]|[[\p{L}\p{M}\p{N}_$]--[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}]]{1,256}|\S/gv;

/** Splits text into tokens in lower case, in time linear in its length. Ignores white space and invisible characters. */
export function* tokensOf(text: string): Generator<string, void> {
	const visible = text.replace(/\p{Cf}/gu, "").toLowerCase();
	for (const [token] of visible.matchAll(TOKEN)) yield token;
}

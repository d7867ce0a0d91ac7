// A sketch has the smallest hashes of a work's shingles, so that parts of it can still be taken away: a signature does not allow that.

/** With this number of hashes, 400 own shingles and 20,000 common ones leave about 80 to compare. */
export const SKETCH_LENGTH = 4096;

export interface Sketch {
	/** The hashes are different, the smallest first. */
	readonly hashes: Uint32Array;
	/** The work has further shingles, whose hashes are larger. */
	readonly isCut: boolean;
}

const LARGEST_HASH = 0xffff_ffff;

/** Up to this hash a sketch knows every shingle of its work. */
export function boundOf({ hashes, isCut }: Sketch): number {
	return isCut ? (hashes.at(-1) ?? LARGEST_HASH) : LARGEST_HASH;
}

/** Collects the smallest hashes of any number of shingles, in little memory. */
export function createSketcher(length: number = SKETCH_LENGTH) {
	const buffer = new Uint32Array(4 * length);
	let used = 0;
	let bound = LARGEST_HASH;
	let isCut = false;
	const compact = () => {
		const distinct = withoutRepeats(buffer.subarray(0, used).sort());
		const kept = distinct.subarray(0, length);
		isCut ||= distinct.length > length;
		if (kept.length === length) bound = kept.at(-1) ?? bound;
		buffer.set(kept);
		used = kept.length;
	};
	return {
		add(hash: number): void {
			if (hash > bound) {
				isCut = true;
				return;
			}
			buffer[used] = hash;
			used += 1;
			if (used === buffer.length) compact();
		},
		finish(): Sketch {
			compact();
			return { hashes: buffer.slice(0, used), isCut };
		},
	};
}

function withoutRepeats(sorted: Uint32Array): Uint32Array {
	let kept = 0;
	for (const [index, hash] of sorted.entries()) {
		if (index > 0 && hash === sorted[kept - 1]) continue;
		sorted[kept] = hash;
		kept += 1;
	}
	return sorted.subarray(0, kept);
}

/** Base64 has no such character. */
const CUT = "~";

/** Encodes a sketch as text: a sign that it is cut, then Base64. */
export function encodeSketch({ hashes, isCut }: Sketch): string {
	const bytes = new Uint8Array(hashes.buffer, hashes.byteOffset, hashes.byteLength);
	return (isCut ? CUT : "") + btoa(String.fromCharCode(...bytes));
}

export function decodeSketch(stored: string): Sketch {
	const isCut = stored.startsWith(CUT);
	const bytes = Uint8Array.from(atob(isCut ? stored.slice(CUT.length) : stored), (character) => character.charCodeAt(0));
	return { hashes: new Uint32Array(bytes.buffer), isCut };
}

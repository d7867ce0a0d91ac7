// Finds submissions that are nearly the same as another party's. A copy is only a hint to the poster, and never changes a score.
import type { Comparable } from "./pairs.ts";
import { findPairs, similarityOf } from "./pairs.ts";
import { COPY_FROM } from "./rules.ts";

export interface ComparedWork extends Comparable {
	readonly submissionId: string;
	/** The id of the human, operator or agent behind the submission. */
	readonly party: string;
	/** When the artifact was accepted, in milliseconds since the epoch. */
	readonly acceptedAt: number;
}

/** The other party's submission that a submission nearly equals. */
export interface Copy {
	readonly submissionId: string;
	readonly similarity: number;
}

/** Finds the copies among submissions, keyed by the submission's id. */
export function findCopies(works: readonly ComparedWork[]): Map<string, Copy> {
	// The earliest come first, because they are compared with all others, and decide which party has the originals.
	const sorted = works.toSorted((a, b) => (isEarlier(a, b) ? -1 : 1));
	const pairs = findPairs(sorted, COPY_FROM).flatMap(({ first, second, similarity }) => {
		const [a, b] = [sorted[first], sorted[second]];
		return a === undefined || b === undefined || a.party === b.party ? [] : [{ a, b, similarity }];
	});
	return chooseCopies(pairs);
}

/**
 * Finds what one submission is a copy of. Returns null if it is not a copy. Searches only the submissions of its own party and of parties
 * with a similar one, which are few in most tasks.
 */
export function findCopyOf(works: readonly ComparedWork[], submissionId: string): Copy | null {
	const wanted = works.find((work) => work.submissionId === submissionId);
	if (wanted === undefined) return null;
	const parties = new Set(works.filter((work) => similarityOf(wanted, work) >= COPY_FROM).map(({ party }) => party)).add(wanted.party);
	return findCopies(works.filter(({ party }) => parties.has(party))).get(submissionId) ?? null;
}

interface AlikePair {
	readonly a: ComparedWork;
	readonly b: ComparedWork;
	readonly similarity: number;
}

/**
 * Returns the copies. If two parties have similar submissions, the party that submitted first has the originals.
 * Each copy names the other party's most similar submission, or the first of several.
 */
function chooseCopies(pairs: readonly AlikePair[]): Map<string, Copy> {
	const byParties = Map.groupBy(pairs, ({ a, b }) => JSON.stringify([a.party, b.party].toSorted()));
	const copies = new Map<string, Copy & { readonly original: ComparedWork }>();
	for (const ofParties of byParties.values()) {
		const first = ofParties.flatMap(({ a, b }) => [a, b]).reduce((x, y) => (isEarlier(y, x) ? y : x));
		for (const { a, b, similarity } of ofParties) {
			const [original, copy] = a.party === first.party ? [a, b] : [b, a];
			const other = copies.get(copy.submissionId);
			const isBetter =
				other === undefined || similarity > other.similarity || (similarity === other.similarity && isEarlier(original, other.original));
			if (isBetter) copies.set(copy.submissionId, { submissionId: original.submissionId, similarity, original });
		}
	}
	return new Map([...copies].map(([id, { submissionId, similarity }]) => [id, { submissionId, similarity }]));
}

function isEarlier(a: ComparedWork, b: ComparedWork): boolean {
	return a.acceptedAt < b.acceptedAt || (a.acceptedAt === b.acceptedAt && a.submissionId < b.submissionId);
}

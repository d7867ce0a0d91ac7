// Computes how far a judge agrees with people, in its answers and in the order of submissions.
import { checkValue, type Finding } from "../../src/domain/checks.ts";

/** People never answer that a file was not shown. */
export type Label = Exclude<Finding, "not_seen">;

export interface Rating {
	readonly expected: Label;
	readonly given: Finding;
}

const worthOf = (finding: Finding) => checkValue([finding]);
const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);

/**
 * Computes the mean of two shares: of the checks that people answer with yes, the share that the judge grants, and of the checks that they
 * answer with no, the share that it denies. A judge that guesses or always gives the same answer gets 0.5, no matter how many checks are
 * met.
 */
export function balancedAccuracy(ratings: readonly Rating[]): number {
	const given = (label: Label) => mean(ratings.filter(({ expected }) => expected === label).map((rating) => worthOf(rating.given)));
	return (given("yes") + 1 - given("no")) / 2;
}

/** Computes Cohen's kappa with quadratic weights over the values of the answers. It is 1 for full agreement and about 0 for chance. */
export function weightedKappa(ratings: readonly Rating[]): number {
	const pairs = ratings.map(({ expected, given }) => [worthOf(expected), worthOf(given)] as const);
	const observed = mean(pairs.map(([a, b]) => (a - b) ** 2));
	const chance = mean(pairs.flatMap(([a]) => pairs.map(([, b]) => (a - b) ** 2)));
	return chance === 0 ? 1 : 1 - observed / chance;
}

export interface ScoredWork {
	/** The group. Submissions are ordered only within one. */
	readonly group: string;
	readonly name: string;
	/** The score that follows from people's answers. */
	readonly expected: number;
	readonly given: number;
}

export interface Order {
	/** The number of pairs that people order. */
	readonly pairs: number;
	/** Kendall's tau-b over the pairs: 1 for the same order, -1 for the opposite one. */
	readonly rankCorrelation: number;
	/** The number of pairs with equal scores. */
	readonly ties: number;
	/** The pairs in which the worse submission has the higher score. */
	readonly inverted: readonly string[];
}

export function compareOrders(works: readonly ScoredWork[]): Order {
	const groups = [...Map.groupBy(works, ({ group }) => group).values()];
	const pairs = groups.flatMap((group) => group.flatMap((a, index) => group.slice(index + 1).map((b) => comparePair(a, b))));
	const ordered = pairs.filter(({ expected }) => expected !== 0);
	const separated = pairs.filter(({ given }) => given !== 0).length;
	const agreeing = ordered.reduce((sum, { expected, given }) => sum + expected * given, 0);
	return {
		pairs: ordered.length,
		rankCorrelation: agreeing / Math.max(1, Math.sqrt(ordered.length * separated)),
		ties: ordered.filter(({ given }) => given === 0).length,
		inverted: ordered.filter(({ expected, given }) => given === -expected).map(({ above }) => above),
	};
}

/** Compares two submissions. `expected` and `given` are 1 if the first one is better, -1 if it is worse, and 0 if both are equal. */
function comparePair(a: ScoredWork, b: ScoredWork) {
	const [expected, given] = [Math.sign(a.expected - b.expected), Math.sign(a.given - b.given)];
	return { expected, given, above: given > 0 ? `${a.name} above ${b.name}` : `${b.name} above ${a.name}` };
}

/** Returns the share of the pairs in the right order. Equal scores count half, like a guess. */
export function shareInOrder({ pairs, ties, inverted }: Order): number {
	return pairs === 0 ? 1 : 1 - (inverted.length + ties / 2) / pairs;
}

/**
 * Estimates the standard deviation of a check's value in one sample, for `JUDGE_NOISE`. Returns null if no check has two samples.
 *
 * @param checks The answers to each check of each submission, sample by sample.
 */
export function noiseOf(checks: readonly (readonly Finding[])[]): number | null {
	const repeated = checks.filter(({ length }) => length > 1);
	if (repeated.length === 0) return null;
	const squares = repeated.reduce((sum, findings) => {
		const values = findings.map(worthOf);
		const middle = mean(values);
		return sum + values.reduce((inner, value) => inner + (value - middle) ** 2, 0);
	}, 0);
	return Math.sqrt(squares / repeated.reduce((sum, { length }) => sum + length - 1, 0));
}

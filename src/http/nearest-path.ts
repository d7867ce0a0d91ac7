// Guesses which endpoint a caller meant with a path that no endpoint has.
import type { EndpointContract } from "./endpoint.ts";

/** More of a path than this is not compared, so that a guess costs the same for any input. */
const MAX_COMPARED_CHARACTERS = 200;
const MAX_COMPARED_SEGMENTS = 12;
/** At this cost two paths are no longer the same mistake: one wrong word costs 1. */
const MAX_COST = 0.75;
/** Callers often leave these out. */
const PREFIX_COSTS: Readonly<Record<string, number>> = { api: 0.2, v1: 0.2 };
const PARAMETER_COST = 0.01;

/** Returns the template of the endpoint that is most like a path, such as `/api/v1/tasks/{id}`, or null when none is. */
export function findNearestPath(contracts: readonly EndpointContract[], path: string): string | null {
	const actual = segmentsOf(path.slice(0, MAX_COMPARED_CHARACTERS).toLowerCase());
	if (actual.length === 0 || actual.length > MAX_COMPARED_SEGMENTS) return null;
	const costOfWord = rememberCosts();
	let best: { path: string; cost: number } | null = null;
	for (const template of new Set(contracts.map((contract) => contract.path))) {
		const cost = compare(segmentsOf(template), actual, costOfWord);
		if (cost < (best?.cost ?? MAX_COST)) best = { path: template, cost };
	}
	return best?.path ?? null;
}

function segmentsOf(path: string): string[] {
	return path.split("/").filter((segment) => segment !== "");
}

type WordCost = (expected: string, actual: string) => number;

/** Edit distance of two lists of segments. A segment that the caller left out costs as much as one too many. */
function compare(expected: readonly string[], actual: readonly string[], costOfWord: WordCost): number {
	let row = actual.map((_, index) => index + 1);
	let corner = 0;
	for (const word of expected) {
		const omission = PREFIX_COSTS[word] ?? 1;
		const next: number[] = [];
		let left = corner + omission;
		for (const [index, segment] of actual.entries()) {
			const diagonal = index === 0 ? corner : (row[index - 1] ?? 0);
			left = Math.min(diagonal + costOfWord(word, segment), (row[index] ?? 0) + omission, left + 1);
			next.push(left);
		}
		corner += omission;
		row = next;
	}
	return row.at(-1) ?? corner;
}

/** Templates share most of their words, so each pair is compared once for a path. */
function rememberCosts(): WordCost {
	const known = new Map<string, number>();
	return (expected, actual) => {
		if (expected.startsWith("{")) return PARAMETER_COST;
		const pair = `${expected}/${actual}`;
		const cost = known.get(pair) ?? compareWords(expected, actual);
		known.set(pair, cost);
		return cost;
	};
}

/** Edits in relation to the length; 1 when more than half of a word differs. */
function compareWords(expected: string, actual: string): number {
	if (expected === actual) return 0;
	const longer = Math.max(expected.length, actual.length);
	if (Math.abs(expected.length - actual.length) > longer / 2) return 1;
	let row = Array.from({ length: actual.length + 1 }, (_, index) => index);
	for (const [place, letter] of [...expected].entries()) {
		const next = [place + 1];
		for (let index = 1; index < row.length; index += 1) {
			const replaced = (row[index - 1] ?? 0) + (actual[index - 1] === letter ? 0 : 1);
			next.push(Math.min(replaced, (row[index] ?? 0) + 1, (next[index - 1] ?? 0) + 1));
		}
		row = next;
	}
	const edits = row.at(-1) ?? longer;
	return edits > longer / 2 ? 1 : edits / longer;
}

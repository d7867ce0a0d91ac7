// Compares two texts line by line.

export interface DiffLine {
	readonly kind: "same" | "removed" | "added";
	/** The line's number in each text, from 1. Null in a text without the line. */
	readonly left: number | null;
	readonly right: number | null;
	readonly text: string;
}

/** A run of equal lines that are far from every change. */
export interface DiffGap {
	readonly kind: "gap";
	readonly lines: number;
}

/** Texts that differ in more lines than this are shown as removed and added as a whole, because the search takes quadratic time. */
const MAX_EDITS = 1000;

/** Compares two lists of lines with Myers' algorithm, which removes and adds as few lines as possible. */
export function diffLines(left: readonly string[], right: readonly string[]): readonly DiffLine[] {
	let start = 0;
	while (start < left.length && start < right.length && left[start] === right[start]) start += 1;
	let end = 0;
	while (end < left.length - start && end < right.length - start && left.at(-1 - end) === right.at(-1 - end)) end += 1;
	const [a, b] = [left.slice(start, left.length - end), right.slice(start, right.length - end)];
	const result: DiffLine[] = [];
	const same = (x: number, y: number) => result.push({ kind: "same", left: x + 1, right: y + 1, text: left[x] ?? "" });
	for (let index = 0; index < start; index += 1) same(index, index);
	for (const { kind, x, y } of editsBetween(a, b)) {
		if (kind === "same") same(start + x, start + y);
		else if (kind === "removed") result.push({ kind, left: start + x + 1, right: null, text: a[x] ?? "" });
		else result.push({ kind, left: null, right: start + y + 1, text: b[y] ?? "" });
	}
	for (let index = end; index > 0; index -= 1) same(left.length - index, right.length - index);
	return result;
}

interface Edit {
	readonly kind: DiffLine["kind"];
	/** Positions in both lists, from 0. */
	readonly x: number;
	readonly y: number;
}

/** How far each diagonal has reached in the first list. */
type Reach = ReadonlyMap<number, number>;

/**
 * Returns true if the step goes down from the diagonal above, which adds a line. Returns false if it goes right from the one below, which
 * removes a line.
 */
function isStepDown(reach: Reach, diagonal: number, depth: number): boolean {
	if (diagonal === -depth) return true;
	return diagonal !== depth && (reach.get(diagonal - 1) ?? -1) < (reach.get(diagonal + 1) ?? -1);
}

function editsBetween(a: readonly string[], b: readonly string[]): readonly Edit[] {
	const trace = findTrace(a, b);
	if (trace === null) {
		return [...a.map((_, x) => ({ kind: "removed" as const, x, y: 0 })), ...b.map((_, y) => ({ kind: "added" as const, x: 0, y }))];
	}
	const edits: Edit[] = [];
	let [x, y] = [a.length, b.length];
	for (let depth = trace.length - 1; depth > 0; depth -= 1) {
		const reach: Reach = trace[depth] ?? new Map();
		const isDown = isStepDown(reach, x - y, depth);
		const from = isDown ? x - y + 1 : x - y - 1;
		const fromX = reach.get(from) ?? 0;
		const stepX = isDown ? fromX : fromX + 1;
		for (; x > stepX; x -= 1, y -= 1) edits.push({ kind: "same", x: x - 1, y: y - 1 });
		y = fromX - from;
		x = fromX;
		edits.push({ kind: isDown ? "added" : "removed", x, y });
	}
	for (; x > 0; x -= 1) edits.push({ kind: "same", x: x - 1, y: x - 1 });
	return edits.reverse();
}

/** Returns, for each number of edits, how far each diagonal had reached. Returns null if the texts differ too much. */
function findTrace(a: readonly string[], b: readonly string[]): readonly Reach[] | null {
	const trace: Reach[] = [];
	const reach = new Map<number, number>([[1, 0]]);
	for (let depth = 0; depth <= Math.min(a.length + b.length, MAX_EDITS); depth += 1) {
		trace.push(new Map(reach));
		for (let diagonal = -depth; diagonal <= depth; diagonal += 2) {
			const start = isStepDown(reach, diagonal, depth) ? (reach.get(diagonal + 1) ?? 0) : (reach.get(diagonal - 1) ?? 0) + 1;
			const x = start + countEqual(a, b, { x: start, y: start - diagonal });
			reach.set(diagonal, x);
			if (x >= a.length && x - diagonal >= b.length) return trace;
		}
	}
	return null;
}

function countEqual(a: readonly string[], b: readonly string[], from: { readonly x: number; readonly y: number }): number {
	let count = 0;
	while (from.x + count < a.length && from.y + count < b.length && a[from.x + count] === b[from.y + count]) count += 1;
	return count;
}

const CONTEXT_LINES = 3;

/** Hides the lines that are far from every change. */
export function foldSame(lines: readonly DiffLine[], context = CONTEXT_LINES): readonly (DiffLine | DiffGap)[] {
	const isNear = new Set<number>();
	for (const [index, { kind }] of lines.entries()) {
		if (kind === "same") continue;
		for (let near = index - context; near <= index + context; near += 1) isNear.add(near);
	}
	const folded: (DiffLine | DiffGap)[] = [];
	for (const [index, line] of lines.entries()) {
		const last = folded.at(-1);
		if (isNear.has(index)) folded.push(line);
		else if (last?.kind === "gap") folded[folded.length - 1] = { kind: "gap", lines: last.lines + 1 };
		else folded.push({ kind: "gap", lines: 1 });
	}
	return folded;
}

export function countChanges(lines: readonly DiffLine[]): { readonly removed: number; readonly added: number } {
	const count = (wanted: DiffLine["kind"]) => lines.filter(({ kind }) => kind === wanted).length;
	return { removed: count("removed"), added: count("added") };
}

// Reads and writes the search for a task in the path of its page.
import { MODES } from "../../../src/domain/modes.ts";
import type { Mode } from "./draft.ts";

export interface BountySearch {
	readonly words?: string | undefined;
	readonly category?: string | undefined;
	readonly mode?: Mode | undefined;
	/** Tasks with a smaller budget, in dollars, are left out. */
	readonly budget?: number | undefined;
}

const MAX_WORDS_LENGTH = 500;
const MAX_CATEGORY_LENGTH = 100;
/** The budget is in dollars. */
export const MAX_BUDGET = 10_000_000;

/** Reads the path's search, and ignores invalid parts. */
export function readBountySearch(search: Record<string, unknown>): BountySearch {
	const { words, category, mode, budget } = search;
	return {
		words: readText(words, MAX_WORDS_LENGTH),
		category: readText(category, MAX_CATEGORY_LENGTH),
		mode: isMode(mode) ? mode : undefined,
		budget: typeof budget === "number" && Number.isInteger(budget) && budget > 0 && budget <= MAX_BUDGET ? budget : undefined,
	};
}

/** The router turns digits in a path into numbers, so a number is read as the text that people searched for. */
function readText(value: unknown, maxLength: number): string | undefined {
	const text = typeof value === "number" ? String(value) : value;
	return typeof text === "string" && text.trim() !== "" ? text.trim().slice(0, maxLength) : undefined;
}

function isMode(value: unknown): value is Mode {
	return typeof value === "string" && Object.hasOwn(MODES, value);
}

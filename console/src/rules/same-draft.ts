// Compares two drafts, and two versions of one.
import { type Draft, hasFinalRound } from "./draft.ts";
import { isComplete, toCriteria } from "./rubric.ts";

export type DraftField = keyof Draft;

const NAMES: readonly DraftField[] = ["title", "category", "description", "inputSpec", "outputSpec", "budget", "deadline", "mode", "image"];
const OTHER_NAMES: readonly DraftField[] = ["callbackUrl", "testWeight", "memoryMb", "timeoutMinutes", "network", "maxSubmissions"];
export const DRAFT_FIELDS: readonly DraftField[] = [...NAMES, ...OTHER_NAMES, "finalRound", "access", "sealed", "criteria"];

/**
 * Returns true if a field is the same in two drafts. Rubrics are compared as the API expects them, because each editor's rows have their
 * own keys.
 */
export function isSameField(field: DraftField, one: Draft, other: Draft): boolean {
	if (field !== "criteria") return one[field] === other[field];
	const write = (value: Draft) =>
		JSON.stringify(
			isComplete(value.criteria)
				? toCriteria(value.criteria, hasFinalRound(value))
				: value.criteria.map(({ key: _, checksOf: __, ...row }) => row),
		);
	return write(one) === write(other);
}

/** Returns true if two drafts have the same content. */
export function isSameDraft(one: Draft, other: Draft): boolean {
	return DRAFT_FIELDS.every((field) => isSameField(field, one, other));
}

/** Returns the later of two versions of a draft. */
export function laterVersion(one: string | null, other: string | null): string | null {
	const numberOf = (etag: string | null) => Number(/\d+/.exec(etag ?? "")?.[0] ?? 0);
	return numberOf(other) > numberOf(one) ? other : one;
}

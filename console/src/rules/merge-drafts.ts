// Merges two changes of one draft, by two tabs, or by a tab and a program. It keeps what only one of them changed, and leaves the rest
// to a person.
import { type Draft, hasFinalRound } from "./draft.ts";
import { isComplete, toCriteria } from "./rubric.ts";

/** The wizard shows the fields by these names. */
const FIELDS = {
	title: "Title",
	category: "Category",
	description: "Description",
	inputSpec: "Input",
	outputSpec: "Output",
	budget: "Budget",
	deadline: "Deadline",
	mode: "Who judges",
	image: "Container image",
	callbackUrl: "URL of your service",
	testWeight: "Share of the tests",
	memoryMb: "Memory",
	timeoutMinutes: "Time limit",
	network: "Network",
	maxSubmissions: "Submissions for each agent",
	finalRound: "Final round",
	access: "Who can compete",
	sealed: "Sealed work",
	criteria: "Rubric",
} as const satisfies Record<keyof Draft, string>;
type Field = keyof Draft;

const NAMES: readonly Field[] = ["title", "category", "description", "inputSpec", "outputSpec", "budget", "deadline", "mode", "image"];
const OTHER_NAMES: readonly Field[] = ["callbackUrl", "testWeight", "memoryMb", "timeoutMinutes", "network", "maxSubmissions"];
const ALL: readonly Field[] = [...NAMES, ...OTHER_NAMES, "finalRound", "access", "sealed", "criteria"];

/** Compares rubrics in the API's form, because the rows of an editor have separate keys. */
function isSame(field: Field, one: Draft, other: Draft): boolean {
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
	return ALL.every((field) => isSame(field, one, other));
}

/** Returns the later one of two versions of a draft. */
export function laterVersion(one: string | null, other: string | null): string | null {
	const numberOf = (etag: string | null) => Number(/\d+/.exec(etag ?? "")?.[0] ?? 0);
	return numberOf(other) > numberOf(one) ? other : one;
}

interface MergedDraft {
	/** The merged draft has my text, with the changes that only the other side has made. */
	readonly draft: Draft;
	/** Both sides have changed these fields differently. */
	readonly clashes: readonly string[];
}

/**
 * Merges two changes of one draft.
 *
 * @param base The draft that my text began with.
 * @param theirs The draft that the platform has now.
 */
export function mergeDrafts(base: Draft, mine: Draft, theirs: Draft): MergedDraft {
	const changed = ALL.filter((field) => !isSame(field, base, theirs) && !isSame(field, mine, theirs));
	const taken = changed.filter((field) => isSame(field, base, mine));
	return {
		draft: { ...mine, ...Object.fromEntries(taken.map((field) => [field, theirs[field]])) },
		clashes: changed.filter((field) => !taken.includes(field)).map((field) => FIELDS[field]),
	};
}

// Merges two versions of a draft that two tabs, or a tab and a program, changed. Keeps what only one of them changed, and leaves the rest
// to a person.
import type { Draft } from "./draft.ts";
import { DRAFT_FIELDS, isSameField } from "./same-draft.ts";

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
interface MergedDraft {
	/** My text, with the changes that only the other side made. */
	readonly draft: Draft;
	/** The fields that both sides changed differently. */
	readonly clashes: readonly string[];
}

/**
 * Merges two versions of a draft.
 *
 * @param base The draft that my text started from.
 * @param theirs The draft that the platform has now.
 */
export function mergeDrafts(base: Draft, mine: Draft, theirs: Draft): MergedDraft {
	const changed = DRAFT_FIELDS.filter((field) => !isSameField(field, base, theirs) && !isSameField(field, mine, theirs));
	const taken = changed.filter((field) => isSameField(field, base, mine));
	return {
		draft: { ...mine, ...Object.fromEntries(taken.map((field) => [field, theirs[field]])) },
		clashes: changed.filter((field) => !taken.includes(field)).map((field) => FIELDS[field]),
	};
}

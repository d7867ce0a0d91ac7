// Merges two changes of one draft, by two tabs, or by a tab and a program. It keeps what only one of them changed, and leaves the rest
// to a person.
import type { Draft } from "./draft.ts";
import { DRAFT_FIELDS, isSameField } from "./same-draft.ts";

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
	const changed = DRAFT_FIELDS.filter((field) => !isSameField(field, base, theirs) && !isSameField(field, mine, theirs));
	const taken = changed.filter((field) => isSameField(field, base, mine));
	return {
		draft: { ...mine, ...Object.fromEntries(taken.map((field) => [field, theirs[field]])) },
		clashes: changed.filter((field) => !taken.includes(field)).map((field) => FIELDS[field]),
	};
}

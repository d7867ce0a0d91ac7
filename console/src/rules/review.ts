// A task owner's shortlist and notes about submissions. They are stored as one entry per task in the owner's workspace.
import * as z from "zod/mini";

const opinion = z.object({ shortlisted: z.boolean(), note: z.string() });
const review = z.object({ version: z.literal(1), submissions: z.record(z.string(), opinion) });

export type Opinion = z.infer<typeof opinion>;
export type Review = z.infer<typeof review>;

export const EMPTY_REVIEW: Review = { version: 1, submissions: {} };
const NO_OPINION: Opinion = { shortlisted: false, note: "" };

export const reviewKey = (taskId: string): string => `console/tasks/${taskId}/review`;

/** Parses the stored value. Returns null if the console did not write it, because such a value must not be changed. */
export function parseReview(value: unknown): Review | null {
	return review.safeParse(value).data ?? null;
}

export function opinionOf({ submissions }: Review, submissionId: string): Opinion {
	return submissions[submissionId] ?? NO_OPINION;
}

export function shortlistOf({ submissions }: Review): ReadonlySet<string> {
	return new Set(Object.entries(submissions).flatMap(([id, { shortlisted }]) => (shortlisted ? [id] : [])));
}

export type Change =
	| { readonly submissionId: string; readonly shortlisted: boolean }
	/** `before` is the note that the reader saw when writing began. */
	| { readonly submissionId: string; readonly note: string; readonly before: string };

/** The note was changed elsewhere after the reader saw it. */
export class NoteConflict extends Error {
	override readonly name = "NoteConflict";
	readonly theirs: string;

	constructor(theirs: string) {
		super("This note has been changed elsewhere since you started editing. Compare both versions, then save again to keep yours.");
		this.theirs = theirs;
	}
}

/**
 * Applies a change to the stored value, which may be newer than what the reader saw. Other changes are kept.
 *
 * @throws NoteConflict if another note has been written since `before`.
 */
export function applyChange(stored: Review, change: Change): Review {
	const present = opinionOf(stored, change.submissionId);
	if ("note" in change && present.note !== change.before && present.note !== change.note) throw new NoteConflict(present.note);
	const next = "note" in change ? { ...present, note: change.note } : { ...present, shortlisted: change.shortlisted };
	const { [change.submissionId]: _, ...others } = stored.submissions;
	const isEmpty = !next.shortlisted && next.note === "";
	return { version: 1, submissions: isEmpty ? others : { ...others, [change.submissionId]: next } };
}

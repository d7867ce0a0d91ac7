// The rubric coach proposes checks for each criterion and notes what a judge cannot see. Checks can become older than the text that they
// are about, so this also finds those.
import { type CriterionDraft, readChecks } from "./rubric.ts";

/** The coach says this about one criterion. */
export interface Advice {
	readonly name: string;
	/** The coach has read this description. */
	readonly description: string;
	readonly checks: readonly string[];
	readonly evidence: "work" | "any";
	readonly notes: readonly string[];
	/** Rules take the sentences of the description, and do not understand them. */
	readonly source: "model" | "rules";
}

export interface Coaching {
	readonly advice: readonly Advice[];
}

export const isSameText = (one: string, other: string): boolean => one.replace(/\s+/g, " ").trim() === other.replace(/\s+/g, " ").trim();

/** Changes the description, and remembers which one the checks were written for. */
export function editDescription(criterion: CriterionDraft, description: string): CriterionDraft {
	const hasChecks = readChecks(criterion).length > 0;
	return { ...criterion, description, checksOf: hasChecks ? (criterion.checksOf ?? criterion.description) : null };
}

/** Changes the checks. Someone who edits them has read the present description. */
export function editChecks(criterion: CriterionDraft, checks: string): CriterionDraft {
	return { ...criterion, checks, checksOf: null };
}

/** Returns true if the description has changed since the checks were written. */
export function isStale(criterion: Pick<CriterionDraft, "checks" | "checksOf" | "description">): boolean {
	const { checksOf, description } = criterion;
	return checksOf !== null && readChecks(criterion).length > 0 && !isSameText(checksOf, description);
}

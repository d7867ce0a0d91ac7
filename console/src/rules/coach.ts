// The rubric coach proposes checks for each criterion and notes what a judge cannot see. This file also finds checks that are older than
// their description.
import { type CriterionDraft, readChecks } from "./rubric.ts";

/** What the coach says about a criterion. */
export interface Advice {
	readonly name: string;
	/** The description that the coach read. */
	readonly description: string;
	readonly checks: readonly string[];
	readonly evidence: "work" | "any";
	readonly notes: readonly string[];
	/** Rules only split the description into sentences, without understanding it. */
	readonly source: "model" | "rules";
}

export interface Coaching {
	readonly advice: readonly Advice[];
}

export const isSameText = (one: string, other: string): boolean => one.replace(/\s+/g, " ").trim() === other.replace(/\s+/g, " ").trim();

/** Changes the description, and remembers the one that the checks were written for. */
export function editDescription(criterion: CriterionDraft, description: string): CriterionDraft {
	const hasChecks = readChecks(criterion).length > 0;
	return { ...criterion, description, checksOf: hasChecks ? (criterion.checksOf ?? criterion.description) : null };
}

/** Changes the checks. They then count as written for the current description. */
export function editChecks(criterion: CriterionDraft, checks: string): CriterionDraft {
	return { ...criterion, checks, checksOf: null };
}

/** Returns true if the description has changed since the checks were written. */
export function isStale(criterion: Pick<CriterionDraft, "checks" | "checksOf" | "description">): boolean {
	const { checksOf, description } = criterion;
	return checksOf !== null && readChecks(criterion).length > 0 && !isSameText(checksOf, description);
}

// Finds the template that a rubric comes from, without loading the templates' texts, which most drafts do not need.
import type { CriterionDraft } from "./rubric.ts";

export const TEMPLATE_CRITERIA = {
	code: ["Behaviour", "Tests", "Structure"],
	data: ["Correct rows", "Repeatable", "Doubtful cases"],
	writing: ["Coverage", "Accuracy", "Clarity"],
	research: ["Conclusion", "Evidence", "Limits"],
	design: ["Requirements", "Sizes", "Accessibility"],
} as const;

/** Returns the id of the template that shares at least two criteria with the rubric, or null if there is none. */
export function findTemplateId(criteria: readonly Pick<CriterionDraft, "name">[]): string | null {
	const names = new Set(criteria.map(({ name }) => name.trim()));
	const found = Object.entries(TEMPLATE_CRITERIA).find(([, own]) => own.filter((name) => names.has(name)).length >= 2);
	return found?.[0] ?? null;
}

// Finds the template that a rubric comes from, without the templates' texts, which most drafts do not need.
import type { CriterionDraft } from "./rubric.ts";

/** Each template has these criteria, by its id. */
export const TEMPLATE_CRITERIA = {
	code: ["Behaviour", "Tests", "Structure"],
	data: ["Correct rows", "Repeatable", "Doubtful cases"],
	writing: ["Coverage", "Accuracy", "Clarity"],
	research: ["Conclusion", "Evidence", "Limits"],
	design: ["Requirements", "Sizes", "Accessibility"],
} as const;

/** Returns the id of the template of which a rubric still has at least two criteria. Returns null for a rubric of someone's own. */
export function findTemplateId(criteria: readonly Pick<CriterionDraft, "name">[]): string | null {
	const names = new Set(criteria.map(({ name }) => name.trim()));
	const found = Object.entries(TEMPLATE_CRITERIA).find(([, own]) => own.filter((name) => names.has(name)).length >= 2);
	return found?.[0] ?? null;
}

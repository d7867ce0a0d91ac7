// Finds the template that a rubric comes from, and puts the scores of its two example works side by side.
import type { CriterionDraft } from "./rubric.ts";
import { TEMPLATES, type Template } from "./templates.ts";

/** Finds the template of which a rubric still has at least half of the criteria. Returns null for a rubric of someone's own. */
export function findTemplate(criteria: readonly Pick<CriterionDraft, "name">[]): Template | null {
	const names = new Set(criteria.map(({ name }) => name.trim()));
	const isFrom = ({ criteria: own }: Template) => own.filter(({ name }) => names.has(name)).length * 2 >= own.length;
	return TEMPLATES.find(isFrom) ?? null;
}

/** Returns true if the text of the task is not the template's any more, so that the examples answer another task. */
export function isOtherTask(template: Template, description: string): boolean {
	return description.trim() !== template.description.trim();
}

export interface ScoredWork {
	readonly score: number;
	readonly dimensions: readonly { readonly criterion: string; readonly weight: number; readonly score: number }[];
}

export interface ExampleRow {
	readonly criterion: string;
	readonly weight: number;
	readonly good: number | null;
	readonly weak: number | null;
}

/** Pairs the scores of both works, in the order of the rubric. */
export function pairExamples(good: ScoredWork, weak: ScoredWork): readonly ExampleRow[] {
	return good.dimensions.map(({ criterion, weight, score }) => ({
		...{ criterion, weight, good: score },
		weak: weak.dimensions.find((other) => other.criterion === criterion)?.score ?? null,
	}));
}

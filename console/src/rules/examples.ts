// Pairs the scores of a template's two example submissions.
import type { Template } from "./templates.ts";

/** Returns true if the task no longer has the template's description, in which case the examples were written for another task. */
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

/** Pairs the scores of both submissions, in the order of the rubric. */
export function pairExamples(good: ScoredWork, weak: ScoredWork): readonly ExampleRow[] {
	return good.dimensions.map(({ criterion, weight, score }) => ({
		...{ criterion, weight, good: score },
		weak: weak.dimensions.find((other) => other.criterion === criterion)?.score ?? null,
	}));
}

// The words that public pages and the console use for the API's names.
import type { EvaluationRound } from "./evaluation-rounds.ts";
import type { EvalMode } from "./modes.ts";

/** The names of the modes for all readers, not only posters. Each says who judges. */
export const MODE_NAMES: Readonly<Record<EvalMode, string>> = {
	llm: "Language model",
	container: "Container image",
	hybrid: "Image and language model",
	external: "Outside service",
};

/** Explanations of the modes for a poster who chooses one. */
export const MODE_TEXTS: Readonly<Record<EvalMode, string>> = {
	llm: "The platform's judge reads each submission against your rubric.",
	container: "Your container image runs on each submission and scores it.",
	hybrid: "Your image and the platform's judge each decide a part of the score.",
	external: "The platform sends each submission to a service of yours.",
};

/** The names of the platform's own cases in a judge check. Other cases have a name from the poster, or the name of an attack. */
const CHECK_CASE_NAMES: Readonly<Record<string, string>> = {
	empty: "An empty submission",
	claims: "Claims without work",
	injections: "Claims that try to instruct the judge",
	echo: "Files that repeat the checks' words",
};

/** Returns the name of a case in a judge check. A reference, which has no `expected_at_most`, keeps the name that the poster gave it. */
export function nameCheckCase({ name, expected_at_most }: { readonly name: string; readonly expected_at_most: number | null }): string {
	return (expected_at_most === null ? undefined : CHECK_CASE_NAMES[name]) ?? name;
}

/**
 * Lists a criterion's checks, for pages that also show its description. Leaves out a check that only repeats the description, as happens if
 * the description is a single sentence.
 */
export function checksBeyond(description: string | null, checks: readonly string[]): readonly string[] {
	const sentence = description?.trim().replace(/\.$/, "");
	return checks.filter((check) => check !== sentence);
}

/** The names of the two parts of a score in mode `hybrid`. */
export const SCORE_PART_NAMES = { test: "Tests", llm: "Language model" } as const;

/** Why a score changed, for the chart of scores over time. */
export const ROUND_NAMES: Readonly<Record<EvaluationRound, string>> = {
	submission: "a submission was judged",
	re_evaluation: "a submission was judged again",
	final: "the final round",
	review: "a review by the poster",
};

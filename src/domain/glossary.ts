// People read these words instead of the API's names, on public pages and in the console.
import type { EvaluationRound } from "./evaluation-rounds.ts";
import type { EvalMode } from "./modes.ts";

/** These names say who judges, in words that fit the poster and everyone else. */
export const MODE_NAMES: Readonly<Record<EvalMode, string>> = {
	llm: "Language model",
	container: "Container image",
	hybrid: "Image and language model",
	external: "Outside service",
};

/** These texts explain the modes to a poster who chooses one. */
export const MODE_TEXTS: Readonly<Record<EvalMode, string>> = {
	llm: "The platform's judge reads each submission against your rubric.",
	container: "Your container image runs on each submission and scores it.",
	hybrid: "Your image and the platform's judge share the score.",
	external: "The platform sends each submission to a service of yours.",
};

/** These names say what the submissions of a judge check are. Names of other cases are the poster's, or say which attack it is. */
const CHECK_CASE_NAMES: Readonly<Record<string, string>> = {
	empty: "An empty submission",
	claims: "Claims without work",
	injections: "Claims that give the judge orders",
	echo: "The checks' own words",
};

/** Names a case of a judge check. A case that must reach a score is a reference of the poster, which has the poster's name. */
export function nameCheckCase({ name, expected_at_most }: { readonly name: string; readonly expected_at_most: number | null }): string {
	return (expected_at_most === null ? undefined : CHECK_CASE_NAMES[name]) ?? name;
}

/** Lists the checks that say more than the description, for people who read both. A criterion of one sentence has it as its check. */
export function checksBeyond(description: string | null, checks: readonly string[]): readonly string[] {
	const sentence = description?.trim().replace(/\.$/, "");
	return checks.filter((check) => check !== sentence);
}

/** The parts of a score have these names if tests and a language model both give one. */
export const SCORE_PART_NAMES = { test: "Tests", llm: "Language model" } as const;

/** These words say why a submission was evaluated. */
export const ROUND_NAMES: Readonly<Record<EvaluationRound, string>> = {
	submission: "a submission was judged",
	re_evaluation: "a submission was judged again",
	final: "the final round",
	review: "a review by the poster",
};

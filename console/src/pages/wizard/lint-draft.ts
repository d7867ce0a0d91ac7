// The rules of the platform's lint, in this browser.
import { lintRubric } from "../../../../src/core/judging/checks/lint-rubric.ts";
import { type Draft, hasFinalRound } from "../../rules/draft.ts";
import { isComplete, toCriteria } from "../../rules/rubric.ts";

/** Finds what makes the rubric of a draft hard to judge. Returns null for a rubric that is not complete. */
export function lintDraft(draft: Draft) {
	return isComplete(draft.criteria) ? lintRubric(toCriteria(draft.criteria, hasFinalRound(draft))) : null;
}

/** Loads the judge for visitors. */
export const loadLocalJudge = () => import("./local-judge.ts");

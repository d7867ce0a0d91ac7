// Runs the platform's lint rules in this browser.
import { lintRubric } from "../../../../src/core/judging/checks/lint-rubric.ts";
import { type Draft, hasFinalRound } from "../../rules/draft.ts";
import { isComplete, toCriteria } from "../../rules/rubric.ts";

/** Finds what makes a draft's rubric hard to judge by. Returns null if the rubric is not complete. */
export function lintDraft(draft: Draft) {
	return isComplete(draft.criteria) ? lintRubric(toCriteria(draft.criteria, hasFinalRound(draft))) : null;
}

/** Loads the offline judge for visitors. */
export const loadLocalJudge = () => import("./local-judge.ts");

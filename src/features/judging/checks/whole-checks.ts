// Some checks cannot be shown by a few lines: that something is absent, that "every" file does it, or how files relate.
import type { CriterionText } from "../../../domain/task-digest.ts";
import type { Deps } from "../../../ports/deps.ts";

/**
 * Decides at publish, from the texts alone, which checks no few lines can show. No model is asked yet, so there are none.
 *
 * @returns The positions of such checks from 0, for each criterion in the order given.
 */
export async function findWholeChecks(
	_deps: Deps,
	criteria: readonly Omit<CriterionText, "whole_checks">[],
): Promise<readonly (readonly number[])[]> {
	return criteria.map(() => []);
}

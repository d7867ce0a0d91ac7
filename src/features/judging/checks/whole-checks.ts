// Some checks cannot be shown by a few lines: that something is absent, that "every" file does it, or how files relate.
import type { CriterionText } from "../../../domain/task-digest.ts";
import type { Deps } from "../../../ports/deps.ts";

/**
 * Decides at publish, only from the texts, which checks no few lines can show. Today's judge confirms no quotes, so none is named.
 *
 * @returns The positions of such checks from 0, for each criterion in the order given.
 */
export async function findWholeChecks(
	_deps: Deps,
	criteria: readonly Omit<CriterionText, "whole_checks">[],
): Promise<readonly (readonly number[])[]> {
	return criteria.map(() => []);
}

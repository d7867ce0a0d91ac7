// Some checks cannot be proven by a few lines: that something is absent, that every file does something, or how files relate.
import type { CallWatch, CriterionBrief, Judge } from "../../../ports/judge.ts";

/**
 * Decides from the text of each check whether a few lines can prove it. Does not look at any submission, so the result is the same for all
 * submissions.
 *
 * @returns For each criterion in order, the positions from 0 of the checks that a few lines cannot prove. No positions if the call fails.
 */
export async function findWholeChecks(
	judge: Pick<Judge, "findWholeChecks">,
	criteria: readonly Omit<CriterionBrief, "wholeChecks">[],
	watch: CallWatch,
): Promise<readonly (readonly number[])[]> {
	const briefs = criteria.map((criterion) => ({ ...criterion, wholeChecks: [] }));
	const answers = await judge.findWholeChecks(briefs, watch).catch(() => []);
	return criteria.map(({ checks }, index) => {
		const positions = new Set(answers[index]);
		return checks.flatMap((_, position) => (positions.has(position) ? [position] : []));
	});
}

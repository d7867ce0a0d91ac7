// A few lines cannot prove some checks: that something is absent, that "every" file does it, or how files relate.
import type { CallWatch, CriterionBrief, Judge } from "../../../ports/judge.ts";

/**
 * Decides from the texts of checks which ones a few lines cannot prove. Does not look at any submission, so the result is the same for all
 * submissions. If the call fails, it returns none.
 *
 * @returns The positions of such checks from 0, ascending, for each criterion in the order given.
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

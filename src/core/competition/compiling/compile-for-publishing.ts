// Completes the rubric when a task is published: writes checks for criteria that have none, and finds the checks that only the whole
// submission can prove, not a few lines of it.
import type { CriterionRow, TaskRow } from "../../../db/task/schema/task.ts";
import { SECOND_MS } from "../../../platform/clock.ts";
import type { Ctx } from "../../../ports/deps.ts";
import { type CriterionProposal, fitProposals, proposeByModel, proposeByRules } from "../../judging/checks/criterion-checks.ts";
import { findWholeChecks } from "../../judging/checks/whole-checks.ts";
import { askAboutRubric, briefOf, within } from "./ask-judge.ts";

const PROPOSING_MS = 20 * SECOND_MS;
const WHOLE_CHECKS_MS = 20 * SECOND_MS;

/** A rubric is compiled in the Worker instead of the Task object, because compiling may call a model. */
export interface CompiledRubric {
	/** The rubric that was compiled. The draft may have changed since. */
	readonly of: readonly CriterionRow[];
	readonly criteria: readonly CriterionRow[];
	/** Names of criteria whose text demands more than their checks cover. */
	readonly cut: readonly string[];
}

/**
 * Completes the rubric of a draft.
 *
 * @param mayAsk False if the judge has already been asked and the rubric has changed since. If so, fixed rules propose the checks.
 */
export async function compileForPublishing(
	ctx: Ctx,
	{ task, criteria, mayAsk }: { readonly task: TaskRow; readonly criteria: readonly CriterionRow[]; readonly mayAsk: boolean },
): Promise<CompiledRubric> {
	const bare = criteria.filter(({ checks }) => checks.length === 0);
	const complete = (proposals: readonly CriterionProposal[]) => {
		const fitting = fitProposals(
			proposals,
			criteria.reduce((sum, { checks }) => sum + checks.length, 0),
		);
		const byName = new Map(fitting.map((proposal) => [proposal.name, proposal]));
		return {
			of: criteria,
			criteria: criteria.map((criterion) => ({ ...criterion, checks: byName.get(criterion.name)?.checks ?? criterion.checks })),
			cut: fitting.flatMap(({ name, isCut }) => (isCut ? [name] : [])),
		};
	};
	const compiledByModel = mayAsk
		? await askAboutRubric(ctx, { task, criteria }, async (judge, calls): Promise<CompiledRubric> => {
				const proposals = await within(ctx, PROPOSING_MS, (signal) =>
					proposeByModel(bare, { judge, task: briefOf(task), watch: { ...calls, signal } }),
				);
				const compiled = complete(proposals);
				const whole = await within(ctx, WHOLE_CHECKS_MS, (signal) => findWholeChecks(judge, compiled.criteria, { ...calls, signal }));
				return { ...compiled, criteria: compiled.criteria.map((one, index) => ({ ...one, wholeChecks: whole[index] ?? [] })) };
			})
		: null;
	return compiledByModel ?? complete(proposeByRules(bare));
}

/** Returns true if the rubric has not changed since it was compiled. */
export function isCompilationOf(compiled: CompiledRubric | null, criteria: readonly CriterionRow[]): compiled is CompiledRubric {
	return compiled !== null && JSON.stringify(compiled.of) === JSON.stringify(criteria);
}

// Compiles a rubric: a model proposes the checks of each criterion, or the rules do.
import type { Anchors } from "../../../domain/anchors.ts";
import type { Judge, JudgedCriterion, JudgedTask, ModelCall } from "../../../ports/judge.ts";
import { acceptProposal, checksByRules } from "./criterion-checks.ts";

interface CompiledCriterion {
	readonly name: string;
	readonly checks: string[];
	readonly anchors: Anchors | null;
}

export interface CompiledRubric {
	readonly criteria: CompiledCriterion[];
	/** `model` if the model's proposal was used for a criterion. */
	readonly source: "model" | "rules";
}

type Rubric = readonly Pick<JudgedCriterion, "name" | "description" | "anchors">[];

/** Makes the proposal of the rules. Anchors stay as they are, because rules cannot write them. */
export function compileByRules(criteria: Rubric): CompiledRubric {
	const compiled = criteria.map((criterion, index) => {
		return { name: criterion.name, checks: checksByRules(criterion, criteria.toSpliced(index, 1)), anchors: criterion.anchors };
	});
	return { criteria: compiled, source: "rules" };
}

/** Asks the model about every criterion. One that it fails gets the proposal of the rules. Never throws for a fault of the model. */
export async function compileByModel(
	criteria: Rubric,
	{
		judge,
		task,
		signal,
		onCall,
	}: {
		readonly judge: Pick<Judge, "proposeChecks">;
		readonly task: JudgedTask;
		readonly signal: AbortSignal;
		readonly onCall: (call: ModelCall) => void;
	},
): Promise<CompiledRubric> {
	const byRules = compileByRules(criteria);
	const { proposeChecks } = judge;
	if (proposeChecks === undefined) return byRules;
	const proposed = await Promise.all(
		criteria.map(async ({ name, description }, index): Promise<CompiledCriterion | null> => {
			const proposal = await proposeChecks({ task, criterion: { name, description }, signal, onCall }).catch(() => null);
			const checks = proposal === null ? null : acceptProposal(proposal.checks, criteria.toSpliced(index, 1));
			return checks === null ? null : { name, checks, anchors: proposal?.anchors ?? null };
		}),
	);
	if (proposed.every((one) => one === null)) return byRules;
	return { criteria: byRules.criteria.map((fallback, index) => proposed[index] ?? fallback), source: "model" };
}

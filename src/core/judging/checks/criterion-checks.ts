// Proposes checks for a rubric: a model reads each criterion, or fixed rules turn its sentences into checks.
import { CHECKS_BOUNDS } from "../../../domain/checks.ts";
import type { EvidenceKind } from "../../../domain/evaluation-rounds.ts";
import type { CallWatch, Judge, TaskBrief } from "../../../ports/judge.ts";
import { type CriterionText, checksByRules, cleanChecks } from "./checks-by-rules.ts";
import { HAS_CHECKS_NOTE } from "./has-checks-note.ts";
import { lintRubric } from "./lint-rubric.ts";
import { evidenceFor, isEnglish } from "./rubric-texts.ts";

/** Adds the checks that the rules propose to each criterion without checks. */
export function withChecks<Criterion extends CriterionText & { readonly checks: readonly string[] }>(
	criteria: readonly Criterion[],
): Criterion[] {
	return criteria.map((criterion) => {
		return criterion.checks.length > 0 ? criterion : { ...criterion, checks: checksByRules(criterion).checks };
	});
}

/**
 * Keeps the checks of a model's proposal that contain words. Returns null if fewer than two are left, because that is not enough for a
 * proposal.
 */
function acceptProposal(proposed: readonly string[]): readonly string[] | null {
	const checks = cleanChecks(proposed).slice(0, CHECKS_BOUNDS.perCriterion);
	return checks.length >= 2 ? checks : null;
}

export interface CriterionProposal {
	readonly name: string;
	readonly checks: readonly string[];
	/** Notes for the poster about the proposed checks. */
	readonly notes: readonly string[];
	/** True if the criterion's text demands more than the checks cover. */
	readonly isCut: boolean;
	readonly source: "model" | "rules";
}

interface ProposedCriterion extends CriterionText {
	readonly weight: number;
	readonly checks: readonly string[];
}

const NOTES = {
	cut: `The text has more than ${CHECKS_BOUNDS.perCriterion} sentences and list items. The rest did not become checks.`,
	language: "These checks were made by rules that only know English. Read them, because a sentence may be split in the wrong place.",
} as const;

/** Proposes checks by fixed rules. The notes include the linter's messages. */
export function proposeByRules(criteria: readonly ProposedCriterion[]): CriterionProposal[] {
	const findings = lintRubric(criteria);
	return criteria.map(({ name, description }) => {
		const { checks, isCut } = checksByRules({ name, description });
		const notes = [
			...findings.filter(({ criterion }) => criterion === name).map(({ message }) => message),
			...(isEnglish(`${name} ${description ?? ""}`) ? [] : [NOTES.language]),
			...(isCut ? [NOTES.cut] : []),
		];
		return { name, checks, notes, isCut, source: "rules" as const };
	});
}

/** Asks the model about every criterion. If that fails for a criterion, the criterion gets the rules' proposal, so this never throws. */
export async function proposeByModel(
	criteria: readonly ProposedCriterion[],
	{ judge, task, watch }: { readonly judge: Pick<Judge, "proposeChecks">; readonly task: TaskBrief; readonly watch: CallWatch },
): Promise<CriterionProposal[]> {
	const proposed = await Promise.all(
		criteria.map(async ({ name, description }): Promise<CriterionProposal | null> => {
			const proposal = await judge.proposeChecks({ ...watch, task, criterion: { name, description } }).catch(() => null);
			const checks = proposal === null ? null : acceptProposal(proposal.checks);
			return checks === null ? null : { name, checks, notes: proposal?.notes ?? [], isCut: false, source: "model" };
		}),
	);
	return proposeByRules(criteria).map((fallback, index) => proposed[index] ?? fallback);
}

/**
 * Removes checks from the longest proposals until the rubric has at most the maximum number. Each criterion keeps at least one check.
 *
 * @param taken The number of checks that other criteria of the rubric have.
 */
export function fitProposals(proposals: readonly CriterionProposal[], taken: number): CriterionProposal[] {
	const counts = proposals.map(({ checks }) => checks.length);
	for (let excess = taken + sum(counts) - CHECKS_BOUNDS.perRubric; excess > 0; excess -= 1) {
		const longest = Math.max(...counts);
		if (longest <= 1) break;
		counts[counts.lastIndexOf(longest)] = longest - 1;
	}
	return proposals.map((proposal, index) => {
		const count = counts[index] ?? 0;
		if (count === proposal.checks.length) return proposal;
		const note = `A rubric has at most ${CHECKS_BOUNDS.perRubric} checks, so only the first ${count} of this criterion are here.`;
		return { ...proposal, checks: proposal.checks.slice(0, count), notes: [...proposal.notes, note], isCut: true };
	});
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

const MAX_QUOTED = 100;

/** Adds notes and the kind of evidence to a proposal for the poster, who reads it before anything is stored. */
export function describeProposal(
	{ name, checks, notes, source }: CriterionProposal,
	{
		criterion,
		outputSpec,
		wholeChecks,
	}: { readonly criterion: ProposedCriterion; readonly outputSpec: string | null; readonly wholeChecks: readonly number[] },
) {
	const described = [
		...(criterion.checks.length > 0 ? [HAS_CHECKS_NOTE] : []),
		...notes,
		...wholeChecks.map((position) => {
			const check = (checks[position] ?? "").slice(0, MAX_QUOTED).toWellFormed();
			return `A few lines of a file cannot prove this check, so the judge's quotes for it are not confirmed: ${JSON.stringify(check)}.`;
		}),
	];
	const texts = { name, description: criterion.description, checks };
	const evidence: EvidenceKind = evidenceFor(texts, outputSpec);
	return { name, checks: [...checks], evidence, notes: described, source };
}

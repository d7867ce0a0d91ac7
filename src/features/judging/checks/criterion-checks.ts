// Compiles a rubric: a model proposes the checks of each criterion, or fixed rules make them from its text. A publish without checks stores
// those of the rules.
import { type Anchors, CHECK_LIMITS } from "../../../domain/anchors.ts";
import type { CallWatch, Judge, TaskBrief } from "../../../ports/judge.ts";
import { wordsOf } from "../words.ts";

interface CriterionText {
	readonly name: string;
	readonly description: string | null;
}

const LIST_MARK = /^\s*(?:[-*•]|\d{1,2}[.)])\s+/;
/** Full stops inside of "3.5" and "README.md" end no sentence. */
const SENTENCE_END = /(?<=[.!?;])\s+/;

/**
 * Makes 1 to 8 checks of a criterion: its sentences and list items. If it has none, its name is the check. The same text always gives the
 * same checks.
 */
export function checksByRules({ name, description }: CriterionText): string[] {
	const lines = (description ?? "").split(/[\n\r]+/).values();
	const checks = cleanChecks(lines.flatMap(partsOfLine));
	return checks.length > 0 ? checks : [shortenCheck(name)];
}

/** Gives each criterion without checks the ones that the rules make. */
export function withChecks<Criterion extends CriterionText & { readonly checks: readonly string[] }>(
	criteria: readonly Criterion[],
): Criterion[] {
	return criteria.map((criterion) => (criterion.checks.length > 0 ? criterion : { ...criterion, checks: checksByRules(criterion) }));
}

/** Keeps the checks of a model's proposal that have words. Returns null for fewer than two, which are too few to propose. */
export function acceptProposal(proposed: readonly string[]): string[] | null {
	const checks = cleanChecks(proposed);
	return checks.length >= 2 ? checks : null;
}

/** Yields sentences one by one, because a long text has hundreds and only 8 become checks. */
function partsOfLine(line: string): IteratorObject<string> {
	return line
		.replace(LIST_MARK, "")
		.split(SENTENCE_END)
		.values()
		.filter((sentence) => !sentence.trimEnd().endsWith(":"));
}

function cleanChecks(texts: Iterable<string>): string[] {
	const byWords = new Map<string, string>();
	for (const text of texts) {
		const words = wordsOf(text).join(" ");
		if (words === "" || byWords.has(words)) continue;
		byWords.set(words, shortenCheck(text));
		if (byWords.size === CHECK_LIMITS.perCriterion) break;
	}
	return [...byWords.values()];
}

/** Returns text of at most the allowed length, which ends with a word and without a full stop. */
function shortenCheck(text: string): string {
	const line = text
		.replace(/\s+/gu, " ")
		.trim()
		.replace(/[.;,]+$/, "");
	const characters = [...line];
	if (characters.length <= CHECK_LIMITS.characters) return line;
	const cut = characters.slice(0, CHECK_LIMITS.characters - 1).join("");
	const lastSpace = cut.lastIndexOf(" ");
	return `${lastSpace > 0 ? cut.slice(0, lastSpace) : cut}…`;
}

interface CriterionProposal {
	readonly name: string;
	readonly checks: string[];
	readonly anchors: Anchors | null;
}

export interface RubricProposal {
	readonly criteria: CriterionProposal[];
	/** It is `model` if the proposal of the model was used for a criterion. */
	readonly source: "model" | "rules";
}

type RubricTexts = readonly (CriterionText & { readonly anchors: Anchors | null })[];

/** Makes the proposal of the rules. Anchors stay as they are, because rules cannot write them. */
export function compileByRules(criteria: RubricTexts): RubricProposal {
	const compiled = criteria.map((criterion) => {
		return { name: criterion.name, checks: checksByRules(criterion), anchors: criterion.anchors };
	});
	return { criteria: compiled, source: "rules" };
}

/**
 * Asks the model about every criterion. If it fails, the criterion gets the proposal of the rules, so a fault of the model throws nothing.
 */
export async function compileByModel(
	criteria: RubricTexts,
	{
		judge,
		task,
		...watch
	}: {
		readonly judge: Pick<Judge, "proposeChecks">;
		readonly task: TaskBrief;
	} & CallWatch,
): Promise<RubricProposal> {
	const byRules = compileByRules(criteria);
	const proposed = await Promise.all(
		criteria.map(async ({ name, description }): Promise<CriterionProposal | null> => {
			const proposal = await judge.proposeChecks({ task, criterion: { name, description }, ...watch });
			const checks = proposal === null ? null : acceptProposal(proposal.checks);
			return checks === null ? null : { name, checks, anchors: null };
		}),
	);
	if (proposed.every((one) => one === null)) return byRules;
	return { criteria: byRules.criteria.map((fallback, index) => proposed[index] ?? fallback), source: "model" };
}

// Compiles a rubric: a model proposes the checks of each criterion, or fixed rules make them from its text. A publish without checks stores
// those of the rules.
import { type Anchors, CHECK_LIMITS } from "../../../domain/anchors.ts";
import type { CriterionBrief, Judge, ModelCall, TaskBrief } from "../../../ports/judge.ts";
import { isCompound, isDependent, isVague } from "../lint/criterion-rules.ts";
import { type CriterionWords, readCriterion, wordsOf } from "../lint/text.ts";

interface CriterionText {
	readonly name: string;
	readonly description: string | null;
}

const LIST_MARK = /^\s*(?:[-*•]|\d{1,2}[.)])\s+/;
/** Full stops inside of "3.5" and "README.md" end no sentence. */
const SENTENCE_END = /(?<=[.!?;])\s+/;
/** After this, a clause has its own subject: "and the tests pass". */
const CLAUSE = /,?\s+and\s+(?=(?:also|the|an?|all|every|each|there)\s)/i;
const MIN_CLAUSE_WORDS = 3;

/**
 * Makes 1 to 8 checks of a criterion: its sentences and list items, each about one thing, without praise and without references to other
 * criteria. If nothing is left, its name is the check. The same text always gives the same checks.
 */
export function checksByRules({ name, description }: CriterionText, others: readonly CriterionText[]): string[] {
	const read = others.map(readName);
	const lines = (description ?? "").split(/[\n\r]+/).values();
	const parts = lines.flatMap(partsOfLine);
	const checks = cleanChecks(parts, read);
	return checks.length > 0 ? checks : [shortenCheck(name)];
}

/** Gives each criterion without checks the ones that the rules make. */
export function withChecks<Criterion extends CriterionText & { readonly checks: readonly string[] }>(
	criteria: readonly Criterion[],
): Criterion[] {
	return criteria.map((criterion, index) =>
		criterion.checks.length > 0 ? criterion : { ...criterion, checks: checksByRules(criterion, criteria.toSpliced(index, 1)) },
	);
}

/** Keeps the checks of a model's proposal that pass the rules. Returns null for fewer than two, which are too few to propose. */
export function acceptProposal(proposed: readonly string[], others: readonly CriterionText[]): string[] | null {
	const read = others.map(readName);
	const single = proposed.map((check) => check.replace(/\s+/gu, " ").trim()).filter((check) => !isCompound(readText("", check)));
	const checks = cleanChecks(single, read);
	return checks.length >= 2 ? checks : null;
}

/** Yields sentences one by one, because a long text has hundreds and only 8 become checks. */
function partsOfLine(line: string): IteratorObject<string> {
	return line
		.replace(LIST_MARK, "")
		.split(SENTENCE_END)
		.values()
		.filter((sentence) => !sentence.trimEnd().endsWith(":"))
		.flatMap(splitClauses);
}

/** Splits a sentence that asks for several things if each part makes sense without the others. */
function splitClauses(sentence: string): string[] {
	if (!isCompound(readText("", sentence))) return [sentence];
	const clauses = sentence.split(CLAUSE);
	return clauses.every((clause) => wordsOf(clause).length >= MIN_CLAUSE_WORDS) ? clauses : [sentence];
}

function cleanChecks(texts: Iterable<string>, others: readonly CriterionWords[]): string[] {
	const byWords = new Map<string, string>();
	for (const text of texts) {
		const read = readText("", text);
		const words = read.descriptionWords.join(" ");
		if (words === "" || isVague(read) || isDependent(read, others) || byWords.has(words)) continue;
		byWords.set(words, shortenCheck(text));
		if (byWords.size === CHECK_LIMITS.perCriterion) break;
	}
	return [...byWords.values()];
}

/** A check refers to other criteria by their names. Reading their texts too would take steps that grow with the square of the rubric. */
function readName({ name }: CriterionText): CriterionWords {
	return readText(name, null);
}

function readText(name: string, description: string | null): CriterionWords {
	return readCriterion({ name, description, weight: 100 });
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

type RubricTexts = readonly Pick<CriterionBrief, "name" | "description" | "anchors">[];

/** Makes the proposal of the rules. Anchors stay as they are, because rules cannot write them. */
export function compileByRules(criteria: RubricTexts): RubricProposal {
	const compiled = criteria.map((criterion, index) => {
		return { name: criterion.name, checks: checksByRules(criterion, criteria.toSpliced(index, 1)), anchors: criterion.anchors };
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
		signal,
		onCall,
	}: {
		readonly judge: Pick<Judge, "proposeChecks">;
		readonly task: TaskBrief;
		readonly signal: AbortSignal;
		readonly onCall: (call: ModelCall) => void;
	},
): Promise<RubricProposal> {
	const byRules = compileByRules(criteria);
	const { proposeChecks } = judge;
	if (proposeChecks === undefined) return byRules;
	const proposed = await Promise.all(
		criteria.map(async ({ name, description }, index): Promise<CriterionProposal | null> => {
			const proposal = await proposeChecks({ task, criterion: { name, description }, signal, onCall }).catch(() => null);
			const checks = proposal === null ? null : acceptProposal(proposal.checks, criteria.toSpliced(index, 1));
			return checks === null ? null : { name, checks, anchors: proposal?.anchors ?? null };
		}),
	);
	if (proposed.every((one) => one === null)) return byRules;
	return { criteria: byRules.criteria.map((fallback, index) => proposed[index] ?? fallback), source: "model" };
}

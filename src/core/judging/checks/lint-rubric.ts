import { wordsOf } from "../words.ts";
import { LINT_SEVERITIES, type LintCode, type LintFinding } from "./lint-findings.ts";

interface LintCriterion {
	readonly name: string;
	readonly description: string | null;
	readonly weight: number;
	readonly checks?: readonly string[];
}

/** A description made up of these words says only that the submission should be good. It names nothing that a judge could find. */
export const PRAISE: ReadonlySet<string> = new Set(
	`a and are be beautiful best clean clear code correct easy elegant excellent fine follows good great high in is it level looks maintainable
	modern must neat nice of overall perfect practices professional proper quality read readable robust should simple solid solution structured
	submission the tidy to understand very well work works written`.split(/\s+/),
);

const MIN_WEIGHT = 1;
/** A text nearly repeats another one if it contains all of the other's words, and these make up at least this share of its own words. */
const SHARED_WORDS = 0.9;

const MESSAGES: Readonly<Record<LintCode, string>> = {
	NO_DESCRIPTION: "The criterion has no description. The judge knows only what you write, so say what it should find in the files.",
	VAGUE: "The criterion says only that the work should be good. Name something that the judge can find in the files.",
	DUPLICATE:
		"The criterion has nearly the same text as another criterion, so the same thing counts twice. Merge them, or say how they differ.",
	TINY_WEIGHT: "The criterion has a weight of less than 1 percent, so it hardly affects the score. Give it more weight, or remove it.",
};

/** The same rubric always has the same findings, in the order of its criteria. Even a rubric without findings can be bad. */
export function lintRubric(criteria: readonly LintCriterion[]): LintFinding[] {
	const texts = criteria.map((criterion) => new Set(wordsOf(textOf(criterion))));
	return criteria.flatMap((criterion, index) => {
		const original = texts.slice(0, index).findIndex((text) => nearlyRepeats(text, texts[index] ?? new Set()));
		const codes: LintCode[] = [];
		if (textOf(criterion) === "") codes.push("NO_DESCRIPTION");
		if (isVague(criterion)) codes.push("VAGUE");
		if (original !== -1) codes.push("DUPLICATE");
		if (criterion.weight < MIN_WEIGHT) codes.push("TINY_WEIGHT");
		return codes.map((code) => {
			const other = code === "DUPLICATE" ? ` The other criterion is ${JSON.stringify(criteria[original]?.name)}.` : "";
			return { criterion: criterion.name, code, severity: LINT_SEVERITIES[code], message: MESSAGES[code] + other };
		});
	});
}

/** Returns the text that a judge reads in addition to the name, or an empty string if that text contains no words. */
function textOf({ description, checks = [] }: LintCriterion): string {
	const text = [description ?? "", ...checks].join("\n");
	return wordsOf(text).length === 0 ? "" : text;
}

function isVague({ description, checks = [] }: LintCriterion): boolean {
	const words = wordsOf(description ?? "");
	return checks.length === 0 && words.length > 0 && words.every((word) => PRAISE.has(word));
}

/**
 * Returns true if the longer text has all words of the shorter one and few others. If each text has a word that the other lacks, such as a
 * number or a name, they demand different things.
 */
function nearlyRepeats(words: ReadonlySet<string>, others: ReadonlySet<string>): boolean {
	const [smaller, larger] = words.size < others.size ? [words, others] : [others, words];
	return smaller.size > 0 && smaller.size >= larger.size * SHARED_WORDS && smaller.isSubsetOf(larger);
}

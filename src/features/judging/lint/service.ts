import type { TaskWarning } from "../../../domain/task-warnings.ts";
import * as rules from "./criterion-rules.ts";
import { findDuplicated } from "./criterion-rules.ts";
import { LINT_SEVERITIES, type LintCode, type LintFinding } from "./schemas.ts";
import { type CriterionWords, type LintCriterion, readCriterion, wordsOf } from "./text.ts";

type OwnRule = "NO_DESCRIPTION" | "VAGUE" | "COMPOUND" | "TINY_WEIGHT" | "ABSENCE_ONLY" | "NOT_VERIFIABLE";

const OWN_RULES: Readonly<Record<OwnRule, (criterion: CriterionWords) => boolean>> = {
	NO_DESCRIPTION: rules.hasNoDescription,
	VAGUE: rules.isVague,
	COMPOUND: rules.isCompound,
	TINY_WEIGHT: rules.hasTinyWeight,
	ABSENCE_ONLY: rules.asksOnlyForAbsence,
	NOT_VERIFIABLE: rules.isNotVerifiable,
};

const OWN_CODES: readonly OwnRule[] = ["NO_DESCRIPTION", "VAGUE", "COMPOUND", "TINY_WEIGHT", "ABSENCE_ONLY", "NOT_VERIFIABLE"];

const MESSAGES: Readonly<Record<LintCode, string>> = {
	NO_DESCRIPTION: "The criterion has no description. A judge knows only what you write, so say what it should find in the files.",
	VAGUE: "The criterion says only that the work should be good. Name something that a judge can find in the files.",
	COMPOUND: "The criterion asks for several things that can be met separately. Make each of them a criterion.",
	DEPENDENT: "The criterion refers to another one, which its judge does not see. Repeat what it needs from there.",
	DUPLICATE: "The criterion has nearly the text of another one, so the same thing counts twice. Merge them, or say what differs.",
	TINY_WEIGHT: "The criterion weighs less than 1 of 100, so it hardly moves the score. Give it more weight, or drop it.",
	ABSENCE_ONLY:
		"The criterion asks only that something is missing, for which there is no evidence to quote. Say what should be there instead.",
	NOT_VERIFIABLE:
		"The criterion needs what a judge of files cannot see, such as production or people's opinions. Ask for something in the files.",
};

/**
 * Lists the faults that make a rubric hard to judge, in the order of its criteria. The same rubric always gives the same findings. It takes
 * time that is linear in each text, and looks at each pair of criteria once. Contract: additions, "Before spending anything".
 */
export function lintRubric(criteria: readonly LintCriterion[]): LintFinding[] {
	const read = criteria.map(readCriterion);
	return read.flatMap((criterion, index) => findingsOf(criterion, { earlier: read.slice(0, index), others: read.toSpliced(index, 1) }));
}

function findingsOf(
	criterion: CriterionWords,
	{ earlier, others }: { readonly earlier: readonly CriterionWords[]; readonly others: readonly CriterionWords[] },
): LintFinding[] {
	const codes: LintCode[] = OWN_CODES.filter(
		(code) => OWN_RULES[code](criterion) && !(code === "NO_DESCRIPTION" && isDescribedByChecks(criterion)),
	);
	if (rules.isDependent(criterion, others)) codes.push("DEPENDENT");
	const duplicated = findDuplicated(criterion, earlier);
	const findings = [
		...codes.map((code) => finding(criterion, code, MESSAGES[code])),
		...(duplicated === null
			? []
			: [finding(criterion, "DUPLICATE", `${MESSAGES.DUPLICATE} The other one is ${JSON.stringify(duplicated)}.`)]),
	];
	const known = new Set(findings.map(({ code }) => code));
	return [...findings, ...findingsOfChecks(criterion, others).filter(({ code }) => !known.has(code))];
}

/** Returns true if checks describe the criterion. A check that repeats the name says no more than the name. */
function isDescribedByChecks({ checks = [], nameWords }: CriterionWords): boolean {
	return checks.some((check) => {
		const words = wordsOf(check);
		return words.length > 0 && words.join(" ") !== nameWords.join(" ");
	});
}

const CHECK_RULES = ["VAGUE", "COMPOUND", "NOT_VERIFIABLE"] as const;

const CHECK_MESSAGES = {
	VAGUE: "says only that the work should be good. Name something that a judge can find in the files.",
	COMPOUND: "asks for several things that can be met separately. Make each of them a check.",
	NOT_VERIFIABLE: "needs what a judge of files cannot see. Ask for something in the files.",
	DEPENDENT: "refers to another criterion, which the judge does not see. Repeat what it needs from there.",
	DUPLICATE: "repeats an earlier check, so the same thing counts twice. Drop one of them.",
} as const satisfies Partial<Record<LintCode, string>>;

/** Reads each check like a criterion, because a judge answers it separately. */
function findingsOfChecks(criterion: CriterionWords, others: readonly CriterionWords[]): LintFinding[] {
	const seen = new Set<string>();
	return (criterion.checks ?? []).flatMap((check, index) => {
		const read = readCriterion({ name: "", description: check, weight: 100 });
		const words = read.descriptionWords.join(" ");
		const codes: (keyof typeof CHECK_MESSAGES)[] = CHECK_RULES.filter((code) => OWN_RULES[code](read));
		if (rules.isDependent(read, others)) codes.push("DEPENDENT");
		if (seen.has(words)) codes.push("DUPLICATE");
		seen.add(words);
		return codes.map((code) => finding(criterion, code, `Check ${index + 1} of the criterion ${CHECK_MESSAGES[code]}`));
	});
}

function finding({ name }: CriterionWords, code: LintCode, message: string): LintFinding {
	return { criterion: name, code, severity: LINT_SEVERITIES[code], message };
}

/** Linting the largest rubric takes half a second. Creating and cloning cost the caller nothing, so they lint only shorter ones. */
const MAX_DRAFT_CHARACTERS = 20_000;

/** Makes the warning of a new draft. A longer rubric is linted when its owner asks for it or publishes the task. */
export function draftWarnings(taskId: string, criteria: readonly LintCriterion[]): TaskWarning[] {
	const length = criteria.reduce((sum, { name, description }) => sum + name.length + (description?.length ?? 0), 0);
	return length > MAX_DRAFT_CHARACTERS ? [] : rubricWarnings(taskId, criteria);
}

/** A warning names at most this many criteria. */
const NAMED = 3;

/** Makes the warning of a task whose rubric has errors or warnings. Hints do not count. */
export function rubricWarnings(taskId: string, criteria: readonly LintCriterion[]): TaskWarning[] {
	const findings = lintRubric(criteria).filter(({ severity }) => severity !== "hint");
	if (findings.length === 0) return [];
	const named = findings.slice(0, NAMED).map(({ criterion, code }) => `${JSON.stringify(criterion)} is ${code}`);
	const rest = findings.length > NAMED ? `, and ${findings.length - NAMED} more` : "";
	const message = `The rubric is hard to judge: ${named.join(", ")}${rest}. POST /api/v1/tasks/${taskId}/lint says why and what to write instead.`;
	return [{ code: "RUBRIC_LINT", message }];
}

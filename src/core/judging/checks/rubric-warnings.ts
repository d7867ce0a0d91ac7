// Warnings about the rubric, which a task's owner gets when the task is created, copied or published.
import { CHECKS_BOUNDS } from "../../../domain/checks.ts";
import type { EvidenceKind } from "../../../domain/evaluation-rounds.ts";
import { type EvalMode, MODES } from "../../../domain/modes.ts";
import type { TaskWarning } from "../../../domain/task-warnings.ts";
import { lintRubric } from "./lint-rubric.ts";
import { evidenceFor } from "./rubric-texts.ts";

interface WarnedCriterion {
	readonly name: string;
	readonly description: string | null;
	readonly weight: number;
	readonly checks: readonly string[];
}

/** The maximum number of criteria that a warning names. */
const NAMED = 3;

function listNames(names: readonly string[]): string {
	const rest = names.length > NAMED ? `, and ${names.length - NAMED} more` : "";
	return `${names.slice(0, NAMED).join(", ")}${rest}`;
}

/** Returns a warning if the linter finds errors or warnings in the rubric. Ignores hints. */
export function lintWarnings(taskId: string, criteria: readonly WarnedCriterion[]): TaskWarning[] {
	const findings = lintRubric(criteria).filter(({ severity }) => severity !== "hint");
	if (findings.length === 0) return [];
	const named = listNames(findings.map(({ criterion, code }) => `${JSON.stringify(criterion)} is ${code}`));
	const message = `The rubric is hard to judge by: ${named}. POST /api/v1/tasks/${taskId}/lint says why, and what to write instead.`;
	return [{ code: "RUBRIC_LINT", message }];
}

/** Returns a warning for each criterion with a single check, in modes in which a model answers checks. */
export function fewChecksWarnings(mode: EvalMode, criteria: readonly WarnedCriterion[]): TaskWarning[] {
	if (!MODES[mode].usesJudge) return [];
	return criteria
		.filter(({ checks }) => checks.length === 1)
		.map(({ name }) => ({
			code: "CHECKS_FEW",
			message: `${JSON.stringify(name)} has a single check, so its score is 0, 50 or 100. Split the check if it asks for more than one thing.`,
		}));
}

/** Returns a warning if there are criteria whose texts demand more than their checks cover. @param names The names of these criteria. */
export function cutWarnings(names: readonly string[]): TaskWarning[] {
	if (names.length === 0) return [];
	const { perCriterion, perRubric } = CHECKS_BOUNDS;
	const message = `A criterion has at most ${perCriterion} checks, and a rubric ${perRubric}. Parts of these criteria did not fit into checks: ${listNames(names.map((name) => JSON.stringify(name)))}.`;
	return [{ code: "CHECKS_CUT", message }];
}

/** Returns a warning if a criterion or the output specification demands a document that does not count as evidence for a criterion. */
export function evidenceWarnings(
	{ evalMode, outputSpec }: { readonly evalMode: EvalMode; readonly outputSpec: string | null },
	criteria: readonly (WarnedCriterion & { readonly evidence: EvidenceKind })[],
): TaskWarning[] {
	if (!MODES[evalMode].usesJudge) return [];
	const named = criteria.filter((criterion) => criterion.evidence === "work" && evidenceFor(criterion, outputSpec) === "any");
	if (named.length === 0) return [];
	const names = listNames(named.map(({ name }) => JSON.stringify(name)));
	const message = `The task asks for a README or SUBMISSION.md, but these do not count as evidence for criteria with evidence "work": ${names}. Set evidence to "any" on criteria about these documents.`;
	return [{ code: "EVIDENCE_WORK", message }];
}
